#include "net/tls_state.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <openssl/err.h>
#include <openssl/pem.h>

#include "base/limits.h"
#include "crypto/openssl.h"
#include "crypto/x509.h"
#include "net/tls_peer.h"

namespace skiff::net {

struct TlsState {
  std::shared_ptr<ClientCas> client_cas;
  crypto::openssl::SslContextPtr ctx;                  // with the certificate that has no name
  std::vector<crypto::openssl::SslContextPtr> others;  // one for each certificate of by_name
  std::map<std::string, SSL_CTX*> by_name;             // exact, or with a leading "*."
};

namespace {

constexpr unsigned char kBothProtocols[] = "\x02h2\x08http/1.1";
constexpr unsigned char kHttp1Alone[] = "\x08http/1.1";
constexpr unsigned char kSessionContext[] = "skiff";
// As Go prefers them; OpenSSL alone would take the most expensive that both sides know.
constexpr char kTls13Ciphers[] =
    "TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256";

std::string OpenSslError() {
  const unsigned long code = ERR_get_error();
  ERR_clear_error();
  const char* reason = code == 0 ? nullptr : ERR_reason_error_string(code);
  return reason == nullptr ? "unknown error" : reason;
}

std::unexpected<Status> TlsFailure(const std::string& what) {
  return Fail(StatusReason::kInternalError, what + ": " + OpenSslError());
}

// `what` says in errors which of several files it is.
Result<std::string> ReadFile(const std::string& what, const std::string& path) {
  const auto failure = [&](const char* why) {
    return Fail(StatusReason::kInternalError, what + " " + path + ": " + why);
  };
  std::unique_ptr<FILE, crypto::openssl::Free<fclose>> file(std::fopen(path.c_str(), "rbe"));
  if (file == nullptr) return failure(std::strerror(errno));
  std::string text(64 * 1024, '\0');
  size_t size = 0;
  for (;;) {
    const size_t got = std::fread(text.data() + size, 1, text.size() - size, file.get());
    if (got == 0) break;
    size += got;
    if (size > limits::kMaxTlsFileBytes) return failure("too large for certificates or a key");
    if (size == text.size()) text.resize(text.size() * 2);
  }
  if (std::ferror(file.get()) != 0) return failure("cannot be read");
  text.resize(size);
  return text;
}

Result<std::vector<crypto::openssl::X509Ptr>> ParseCertificates(const std::string& what,
                                                                const std::string& path,
                                                                const std::string& text) {
  std::vector<crypto::openssl::X509Ptr> certificates = crypto::openssl::ReadCertificates(text);
  // The end of the file is an error of its own, which is none once something was found.
  const unsigned long code = ERR_peek_last_error();
  const bool at_end = ERR_GET_REASON(code) == PEM_R_NO_START_LINE;
  if (certificates.empty() || !at_end)
    return TlsFailure(what + " " + path + ": no certificates that can be read");
  ERR_clear_error();
  return certificates;
}

Result<std::vector<crypto::openssl::X509Ptr>> ReadCertificates(const std::string& what,
                                                               const std::string& path) {
  SKIFF_ASSIGN_OR_RETURN(const std::string text, ReadFile(what, path));
  return ParseCertificates(what, path, text);
}

int ChooseProtocol(SSL*, const unsigned char** out, unsigned char* out_size,
                   const unsigned char* offered, unsigned int offered_size, void* with_http2) {
  const bool both = with_http2 != nullptr;
  const unsigned char* ours = both ? kBothProtocols : kHttp1Alone;
  const unsigned int size = both ? sizeof(kBothProtocols) - 1 : sizeof(kHttp1Alone) - 1;
  const int outcome = SSL_select_next_proto(const_cast<unsigned char**>(out), out_size, ours, size,
                                            offered, offered_size);
  return outcome == OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_ALERT_FATAL;
}

// Everything but certificates. A session that changes over to the context of another name takes
// what is set here from there.
Result<crypto::openssl::SslContextPtr> NewCtx(const TlsOptions& options) {
  SKIFF_ASSIGN_OR_RETURN(const int version, TlsVersion(options.min_version));
  SKIFF_ASSIGN_OR_RETURN(const std::string ciphers, CipherList(options.cipher_suites));
  crypto::openssl::SslContextPtr ctx(SSL_CTX_new(TLS_server_method()));
  if (ctx == nullptr) return TlsFailure("TLS");
  SSL_CTX_set_min_proto_version(ctx.get(), version);
  if (SSL_CTX_set_cipher_list(ctx.get(), ciphers.c_str()) != 1 ||
      SSL_CTX_set_ciphersuites(ctx.get(), kTls13Ciphers) != 1)
    return TlsFailure("cipher suites");
  SKIFF_ASSIGN_OR_RETURN(const std::string curves, CurveList(options.curve_preferences));
  if (!curves.empty() && SSL_CTX_set1_groups_list(ctx.get(), curves.c_str()) != 1)
    return TlsFailure("curve preferences");
  SSL_CTX_set_options(ctx.get(), SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION |
                                     SSL_OP_CIPHER_SERVER_PREFERENCE | SSL_OP_PRIORITIZE_CHACHA |
                                     SSL_OP_IGNORE_UNEXPECTED_EOF);
  SSL_CTX_set_mode(ctx.get(), SSL_MODE_RELEASE_BUFFERS | SSL_MODE_NO_AUTO_CHAIN);
  // Tickets only: the server remembers nothing of sessions. One ticket is enough for clients that
  // keep few connections.
  SSL_CTX_set_session_cache_mode(ctx.get(), SSL_SESS_CACHE_OFF);
  SSL_CTX_set_num_tickets(ctx.get(), 1);
  SSL_CTX_set_session_id_context(ctx.get(), kSessionContext, sizeof(kSessionContext) - 1);
  static constinit char with_http2 = 0;  // only its address counts
  SSL_CTX_set_alpn_select_cb(ctx.get(), ChooseProtocol, options.http2 ? &with_http2 : nullptr);
  return ctx;
}

Result<void> UseCertificate(SSL_CTX* ctx, const TlsCertificateFiles& files) {
  SKIFF_ASSIGN_OR_RETURN(auto chain, ReadCertificates("the certificate", files.certificate_file));
  SKIFF_ASSIGN_OR_RETURN(const std::string key_text, ReadFile("the key", files.key_file));
  crypto::openssl::BioPtr bio = crypto::openssl::ReadBio(key_text);
  // Without a way to ask for a passphrase, encrypted keys are refused instead of asked about.
  const auto no_passphrase = [](char*, int, int, void*) { return 0; };
  crypto::openssl::KeyPtr key(PEM_read_bio_PrivateKey(bio.get(), nullptr, no_passphrase, nullptr));
  if (key == nullptr) return TlsFailure("the key " + files.key_file + ": no key that can be read");
  if (SSL_CTX_use_certificate(ctx, chain.front().get()) != 1)
    return TlsFailure(files.certificate_file);
  for (size_t i = 1; i < chain.size(); ++i)
    if (SSL_CTX_add1_chain_cert(ctx, chain[i].get()) != 1)
      return TlsFailure(files.certificate_file);
  if (SSL_CTX_use_PrivateKey(ctx, key.get()) != 1 || SSL_CTX_check_private_key(ctx) != 1)
    return TlsFailure(files.key_file + " does not fit " + files.certificate_file);
  return {};
}

// Those of `before` if the files hold what they held then.
Result<std::shared_ptr<ClientCas>> LoadClientCas(const TlsOptions& options, Clock& clock,
                                                 const TlsState* before) {
  auto cas = std::make_shared<ClientCas>();
  cas->clock = &clock;
  cas->required = options.require_client_certificate;
  for (const std::string& file : options.client_ca_files) {
    SKIFF_ASSIGN_OR_RETURN(cas->texts.emplace_back(), ReadFile("the CA of clients", file));
    SKIFF_ASSIGN_OR_RETURN(auto certificates,
                           ParseCertificates("the CA of clients", file, cas->texts.back()));
    auto& store = cas->stores.emplace_back(X509_STORE_new());
    for (crypto::openssl::X509Ptr& certificate : certificates)
      if (X509_STORE_add_cert(store.get(), certificate.get()) != 1) return TlsFailure(file);
  }
  if (before != nullptr && before->client_cas->texts == cas->texts) return before->client_cas;
  return cas;
}

void UseClientCas(SSL_CTX* ctx, ClientCas& cas) {
  if (cas.stores.empty()) return;
  SSL_CTX_set_client_CA_list(ctx, sk_X509_NAME_new_null());  // takes it over
  for (const auto& store : cas.stores)
    for (int i = 0; i < sk_X509_OBJECT_num(X509_STORE_get0_objects(store.get())); ++i)
      SSL_CTX_add_client_CA(ctx, X509_OBJECT_get0_X509(sk_X509_OBJECT_value(
                                     X509_STORE_get0_objects(store.get()), i)));
  const int mode = cas.required ? SSL_VERIFY_FAIL_IF_NO_PEER_CERT : 0;
  SSL_CTX_set_verify(ctx, SSL_VERIFY_PEER | mode, nullptr);
  SSL_CTX_set_cert_verify_callback(ctx, VerifyTlsPeer, &cas);
}

int ChooseCertificate(SSL* ssl, int*, void* state) {
  const char* name = SSL_get_servername(ssl, TLSEXT_NAMETYPE_host_name);
  if (name == nullptr) return SSL_TLSEXT_ERR_OK;
  const auto& by_name = static_cast<const TlsState*>(state)->by_name;
  std::string wanted(name);
  std::transform(wanted.begin(), wanted.end(), wanted.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
  });
  auto found = by_name.find(wanted);
  if (found == by_name.end() && wanted.find('.') != std::string::npos)
    found = by_name.find("*" + wanted.substr(wanted.find('.')));
  if (found != by_name.end()) SSL_set_SSL_CTX(ssl, found->second);
  return SSL_TLSEXT_ERR_OK;
}

// The names of a certificate: its alternative DNS names, or else its common name.
std::vector<std::string> NamesOf(X509* certificate) {
  std::vector<std::string> names = crypto::openssl::DnsNames(certificate);
  if (names.empty())
    if (auto subject = DescribeCertificate(certificate)) names.push_back(subject->common_name);
  return names;
}

int StateIndex() {
  static const int index = SSL_get_ex_new_index(
      0, nullptr, nullptr, nullptr, [](void*, void* state, CRYPTO_EX_DATA*, int, long, void*) {
        delete static_cast<std::shared_ptr<const TlsState>*>(state);
      });
  return index;
}

}  // namespace

Result<std::shared_ptr<const TlsState>> LoadTlsState(const TlsOptions& options, Clock& clock,
                                                     const TlsState* before) {
  ERR_clear_error();
  if (options.by_name.size() > limits::kMaxSniCertificates)
    return BadRequest("too many certificates for names");
  auto state = std::make_shared<TlsState>();
  SKIFF_ASSIGN_OR_RETURN(state->ctx, NewCtx(options));
  SSL_CTX* ctx = state->ctx.get();
  SKIFF_RETURN_IF_ERROR(UseCertificate(ctx, options.certificate));
  SKIFF_ASSIGN_OR_RETURN(state->client_cas, LoadClientCas(options, clock, before));
  UseClientCas(ctx, *state->client_cas);
  for (const TlsCertificateFiles& files : options.by_name) {
    SKIFF_ASSIGN_OR_RETURN(crypto::openssl::SslContextPtr other, NewCtx(options));
    SKIFF_RETURN_IF_ERROR(UseCertificate(other.get(), files));
    UseClientCas(other.get(), *state->client_cas);
    std::vector<std::string> names = files.names;
    if (names.empty()) names = NamesOf(SSL_CTX_get0_certificate(other.get()));
    for (const std::string& name : names) state->by_name.emplace(name, other.get());
    state->others.push_back(std::move(other));
  }
  SSL_CTX_set_tlsext_servername_callback(ctx, ChooseCertificate);
  SSL_CTX_set_tlsext_servername_arg(ctx, state.get());
  return state;
}

SSL* NewTlsSession(std::shared_ptr<const TlsState> state) {
  SSL* ssl = SSL_new(state->ctx.get());
  if (ssl == nullptr) return nullptr;
  SSL_set_ex_data(ssl, StateIndex(), new std::shared_ptr<const TlsState>(std::move(state)));
  return ssl;
}

const ClientCas& ClientCasOf(const TlsState& state) { return *state.client_cas; }

const ClientCas& ClientCasOf(SSL* ssl) {
  using Held = std::shared_ptr<const TlsState>;
  return *(*static_cast<const Held*>(SSL_get_ex_data(ssl, StateIndex())))->client_cas;
}

}  // namespace skiff::net
