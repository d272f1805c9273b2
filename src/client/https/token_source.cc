#include "client/https/token_source.h"

#include <utility>

namespace skiff::client {

void ConfiguredToken::Read() {
  read_at_ = clock_.Monotonic();
  Result<std::string> token = LoadToken(config_);
  if (token) {
    token_ = *std::move(token);
    outcome_ = {};
  } else {
    outcome_ = std::unexpected(std::move(token).error());
  }
}

void ConfiguredToken::Get(Done done) {
  const bool is_file = !config_.token.file.empty();
  const bool is_old = clock_.Monotonic() - read_at_ >= check_interval_;
  if (read_at_ < Duration::zero() || (is_file && is_old)) Read();
  if (!outcome_ && token_.empty()) {
    Status why = outcome_.error();
    // A file that comes later is used at once.
    read_at_ = Duration(-1);
    return done(std::unexpected(std::move(why)));
  }
  done(token_);
}

bool ConfiguredToken::Refuse(const std::string& token) {
  if (config_.token.file.empty()) return false;
  if (token_ == token) Read();
  return token_ != token;
}

std::string ConfiguredToken::Advice() const {
  if (config_.token.empty()) return {};
  if (config_.token.file.empty())
    return "the token of this client may have expired: put a new one into its configuration";
  if (!outcome_) return outcome_.error().message() + ", and the token that was in it is refused";
  return "the token in " + config_.token.file +
         " was read again and is still refused: it may have expired, or be of another cluster";
}

}  // namespace skiff::client
