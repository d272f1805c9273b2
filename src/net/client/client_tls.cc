#include "net/client/client_tls.h"

#include <utility>
#include <vector>

#include <openssl/err.h>
#include <openssl/pem.h>

#include "base/ip_address.h"
#include "crypto/x509.h"

namespace skiff::net {
namespace {

// HTTP/2 first; a server without it takes the other.
constexpr std::string_view kProtocols = "\x02h2\x08http/1.1";
constexpr std::string_view kHttp1Alone = kProtocols.substr(3);

std::unexpected<Status> Fault(std::string_view what) {
  const char* reason = ERR_reason_error_string(ERR_peek_error());
  ERR_clear_error();
  std::string text(what);
  if (reason != nullptr) text.append(": ").append(reason);
  return BadRequest(std::move(text));
}

std::vector<crypto::openssl::X509Ptr> ReadCertificates(const std::string& pem) {
  std::vector<crypto::openssl::X509Ptr> certificates = crypto::openssl::ReadCertificates(pem);
  ERR_clear_error();  // the end of the text is an error too
  return certificates;
}

Result<void> UseCas(SSL_CTX* ctx, const ClientTlsOptions& options) {
  if (options.insecure) return {};
  SSL_CTX_set_verify(ctx, SSL_VERIFY_PEER, nullptr);
  if (options.ca_pem.empty()) {
    if (SSL_CTX_set_default_verify_paths(ctx) != 1) return Fault("the system's CAs");
    return {};
  }
  const std::vector<crypto::openssl::X509Ptr> certificates = ReadCertificates(options.ca_pem);
  if (certificates.empty()) return Fault("the CA has no certificate that can be read");
  X509_STORE* store = SSL_CTX_get_cert_store(ctx);
  for (const crypto::openssl::X509Ptr& one : certificates)
    if (X509_STORE_add_cert(store, one.get()) != 1) return Fault("the CA cannot be used");
  return {};
}

Result<void> UseCertificate(SSL_CTX* ctx, const ClientTlsOptions& options) {
  if (options.certificate_pem.empty()) return {};
  const std::vector<crypto::openssl::X509Ptr> chain = ReadCertificates(options.certificate_pem);
  if (chain.empty()) return Fault("the client certificate cannot be read");
  const crypto::openssl::BioPtr bio = crypto::openssl::ReadBio(options.key_pem);
  // Without a way to ask for a passphrase, encrypted keys are refused instead of asked about.
  const auto no_passphrase = [](char*, int, int, void*) { return 0; };
  const crypto::openssl::KeyPtr key(
      PEM_read_bio_PrivateKey(bio.get(), nullptr, no_passphrase, nullptr));
  if (key == nullptr) return Fault("the client key cannot be read");
  bool used = SSL_CTX_use_certificate(ctx, chain.front().get()) == 1;
  for (size_t i = 1; used && i < chain.size(); ++i)
    used = SSL_CTX_add1_chain_cert(ctx, chain[i].get()) == 1;
  if (!used) return Fault("the client certificate cannot be used");
  if (SSL_CTX_use_PrivateKey(ctx, key.get()) != 1 || SSL_CTX_check_private_key(ctx) != 1)
    return Fault("the client key does not fit the client certificate");
  return {};
}

}  // namespace

Result<std::shared_ptr<const ClientTls>> ClientTls::Make(const ClientTlsOptions& options) {
  ERR_clear_error();
  crypto::openssl::SslContextPtr ctx(SSL_CTX_new(TLS_client_method()));
  if (ctx == nullptr) return Fault("TLS");
  SSL_CTX_set_min_proto_version(ctx.get(), TLS1_2_VERSION);
  SSL_CTX_set_mode(ctx.get(), SSL_MODE_RELEASE_BUFFERS);
  SSL_CTX_set_options(ctx.get(), SSL_OP_NO_RENEGOTIATION | SSL_OP_IGNORE_UNEXPECTED_EOF);
  SKIFF_RETURN_IF_ERROR(UseCas(ctx.get(), options));
  SKIFF_RETURN_IF_ERROR(UseCertificate(ctx.get(), options));
  const std::string_view protocols = options.only_http1 ? kHttp1Alone : kProtocols;
  if (SSL_CTX_set_alpn_protos(ctx.get(), reinterpret_cast<const unsigned char*>(protocols.data()),
                              static_cast<unsigned>(protocols.size())) != 0)
    return Fault("TLS");
  return std::shared_ptr<const ClientTls>(new ClientTls(std::move(ctx), options.server_name));
}

std::optional<Duration> ClientTls::certificate_not_after() const {
  const X509* certificate = SSL_CTX_get0_certificate(ctx_.get());
  if (certificate == nullptr) return std::nullopt;
  const std::optional<int64_t> seconds =
      crypto::openssl::UnixSeconds(X509_get0_notAfter(certificate));
  if (!seconds) return std::nullopt;
  return std::chrono::seconds(*seconds);
}

SSL* ClientTls::NewSession(const ClientEndpoint& endpoint) const {
  crypto::openssl::SslPtr session(SSL_new(ctx_.get()));
  SSL* const ssl = session.get();
  if (ssl == nullptr) return nullptr;
  const std::string& name = server_name_.empty() ? endpoint.host : server_name_;
  X509_VERIFY_PARAM* verify = SSL_get0_param(ssl);
  const bool is_address = IpAddress::Parse(name).has_value();
  const int set = is_address ? X509_VERIFY_PARAM_set1_ip_asc(verify, name.c_str())
                             : X509_VERIFY_PARAM_set1_host(verify, name.data(), name.size());
  // Names of servers in the handshake are host names only.
  if (set == 1 && (is_address || SSL_set_tlsext_host_name(ssl, name.c_str()) == 1))
    return session.release();
  return nullptr;
}

}  // namespace skiff::net
