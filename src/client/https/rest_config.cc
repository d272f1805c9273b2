#include "client/https/rest_config.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "base/strings.h"
#include "net/unique_fd.h"

namespace skiff::client {

RestConfig RestConfig::Anonymous() const {
  RestConfig copy = *this;
  copy.certificate = {};
  copy.key = {};
  copy.token = {};
  copy.user.clear();
  copy.password.clear();
  copy.impersonation = {};
  return copy;
}

Result<std::string> ReadCredentialFile(const std::string& path) {
  const auto fault = [&](int error) {
    return BadRequest(path + ": cannot be read: " + std::generic_category().message(error));
  };
  const net::UniqueFd fd(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY));
  if (!fd) return fault(errno);
  std::string text;
  constexpr size_t kPiece = 16 * 1024;
  while (true) {
    const size_t size = text.size();
    text.resize(size + kPiece);
    const ssize_t got = read(fd.get(), text.data() + size, kPiece);
    text.resize(size + static_cast<size_t>(std::max<ssize_t>(got, 0)));
    if (got < 0 && errno != EINTR) return fault(errno);
    if (got == 0) return text;
    if (text.size() > limits::kMaxCredentialFileBytes)
      return BadRequest(path + ": is longer than " +
                        std::to_string(limits::kMaxCredentialFileBytes) + " bytes");
  }
}

Result<std::string> LoadText(const TextOrFile& source) {
  if (!source.text.empty() || source.file.empty()) return source.text;
  return ReadCredentialFile(source.file);
}

Result<net::ClientTlsOptions> LoadTls(const RestConfig& config) {
  net::ClientTlsOptions tls;
  tls.server_name = config.server_name;
  tls.insecure = config.insecure;
  SKIFF_ASSIGN_OR_RETURN(tls.ca_pem, LoadText(config.ca));
  SKIFF_ASSIGN_OR_RETURN(tls.certificate_pem, LoadText(config.certificate));
  SKIFF_ASSIGN_OR_RETURN(tls.key_pem, LoadText(config.key));
  return tls;
}

Result<std::string> LoadToken(const RestConfig& config) {
  std::string token = config.token.text;
  if (!config.token.file.empty()) {
    Result<std::string> read = ReadCredentialFile(config.token.file);
    if (read) {
      token = std::string(TrimSpace(*read));
      if (token.empty()) read = BadRequest(config.token.file + ": has no token in it");
    }
    if (!read && config.token.text.empty()) return std::unexpected(std::move(read).error());
    if (!read) token = config.token.text;
  }
  token = std::string(TrimSpace(token));
  // It becomes part of a header, where other characters would begin another one.
  const bool is_plain = std::ranges::all_of(token, [](char c) { return c > ' ' && c < 0x7f; });
  if (!is_plain) {
    return BadRequest(config.token.file.empty() ? "the token has characters that no token has"
                                                : config.token.file + ": this is no token");
  }
  return token;
}

Result<void> CheckRestConfig(const RestConfig& config) {
  if (config.server.empty()) return BadRequest("it has no server");
  if (config.insecure && !config.ca.empty())
    return BadRequest("a CA makes no sense together with insecure-skip-tls-verify");
  if (config.certificate.empty() != config.key.empty())
    return BadRequest(config.key.empty() ? "there is a client certificate without its key"
                                         : "there is a client key without its certificate");
  if (!config.token.empty() && !config.user.empty())
    return BadRequest("a user has either a token or a name and password");
  if (config.impersonation.user.empty() && !config.impersonation.empty())
    return BadRequest("as-uid, as-groups and as-user-extra need a user in \"as\"");
  return {};
}

}  // namespace skiff::client
