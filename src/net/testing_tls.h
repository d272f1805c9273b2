// For tests of this folder: certificates made on the spot, and a client that speaks TLS.
#pragma once

#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include "crypto/openssl.h"
#include "net/testing.h"

namespace skiff::net {

// Files in a folder of their own, which goes with it.
class TestFolder {
 public:
  TestFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "skiff-net-XXXXXX").string();
    path_ = mkdtemp(name.data());
  }
  ~TestFolder() { std::filesystem::remove_all(path_); }
  std::string Path(const std::string& name) const { return path_ + "/" + name; }
  // By renaming, as whoever renews certificates does.
  std::string Write(const std::string& name, std::string_view text) const {
    std::FILE* file = std::fopen(Path(name + ".new").c_str(), "wb");
    std::fwrite(text.data(), 1, text.size(), file);
    std::fclose(file);
    std::filesystem::rename(Path(name + ".new"), Path(name));
    return Path(name);
  }

 private:
  std::string path_;
};

struct TestSubject {
  std::string common_name;
  std::vector<std::string> organizations = {};
  std::string uid = "";
  bool is_ca = false;
  std::string usage = "";   // "clientAuth", "serverAuth"; "" for none
  std::string names = "";   // "DNS:a,IP:127.0.0.1"
  long valid_from = -3600;  // seconds from now
  long valid_until = 3600;
};

// A certificate and its key, signed by another or by itself.
class TestCertificate {
 public:
  explicit TestCertificate(const TestSubject& subject, const TestCertificate* issuer = nullptr)
      : key_(EVP_EC_gen("P-256")), certificate_(X509_new()) {
    X509* certificate = certificate_.get();
    static long serial = 1000;
    X509_set_version(certificate, 2);
    ASN1_INTEGER_set(X509_get_serialNumber(certificate), ++serial);
    X509_gmtime_adj(X509_getm_notBefore(certificate), subject.valid_from);
    X509_gmtime_adj(X509_getm_notAfter(certificate), subject.valid_until);
    X509_set_pubkey(certificate, key_.get());
    X509_NAME* name = X509_get_subject_name(certificate);
    for (const auto& organization : subject.organizations) AddName(name, "O", organization);
    AddName(name, "CN", subject.common_name);
    if (!subject.uid.empty()) AddName(name, "1.3.6.1.4.1.57683.2", subject.uid);
    const TestCertificate& signer = issuer == nullptr ? *this : *issuer;
    X509_set_issuer_name(certificate, X509_get_subject_name(signer.certificate_.get()));
    AddExtension(signer, NID_basic_constraints, subject.is_ca ? "critical,CA:TRUE" : "CA:FALSE");
    if (!subject.usage.empty()) AddExtension(signer, NID_ext_key_usage, subject.usage);
    if (!subject.names.empty()) AddExtension(signer, NID_subject_alt_name, subject.names);
    X509_sign(certificate, signer.key_.get(), EVP_sha256());
  }

  std::string CertificatePem() const {
    const crypto::openssl::BioPtr bio = crypto::openssl::WriteBio();
    PEM_write_bio_X509(bio.get(), certificate_.get());
    return crypto::openssl::Written(bio);
  }
  std::string KeyPem() const {
    const crypto::openssl::BioPtr bio = crypto::openssl::WriteBio();
    PEM_write_bio_PrivateKey(bio.get(), key_.get(), nullptr, nullptr, 0, nullptr, nullptr);
    return crypto::openssl::Written(bio);
  }
  X509* x509() const { return certificate_.get(); }
  EVP_PKEY* key() const { return key_.get(); }

 private:
  static void AddName(X509_NAME* name, const char* field, const std::string& value) {
    X509_NAME_add_entry_by_txt(name, field, MBSTRING_UTF8,
                               reinterpret_cast<const unsigned char*>(value.data()),
                               static_cast<int>(value.size()), -1, 0);
  }
  void AddExtension(const TestCertificate& signer, int kind, const std::string& value) {
    X509V3_CTX context;
    X509V3_set_ctx(&context, signer.certificate_.get(), certificate_.get(), nullptr, nullptr, 0);
    const crypto::openssl::ExtensionPtr extension(
        X509V3_EXT_conf_nid(nullptr, &context, kind, value.c_str()));
    X509_add_ext(certificate_.get(), extension.get(), -1);
  }

  crypto::openssl::KeyPtr key_;
  crypto::openssl::X509Ptr certificate_;
};

// Blocking. Says which certificate the server showed.
class TlsClient {
 public:
  struct Options {
    const TestCertificate* certificate = nullptr;
    const TestCertificate* intermediate = nullptr;
    std::string server_name = "";
    std::vector<std::string> protocols = {};  // ALPN
    SSL_SESSION* session = nullptr;           // to be resumed
    int max_version = 0;
    const char* ciphers = nullptr;
  };

  TlsClient(const std::string& address, const Options& options)
      : socket_(address), ctx_(SSL_CTX_new(TLS_client_method())) {
    if (options.certificate != nullptr) {
      SSL_CTX_use_certificate(ctx_, options.certificate->x509());
      SSL_CTX_use_PrivateKey(ctx_, options.certificate->key());
    }
    if (options.intermediate != nullptr)
      SSL_CTX_add1_chain_cert(ctx_, options.intermediate->x509());
    if (options.max_version != 0) SSL_CTX_set_max_proto_version(ctx_, options.max_version);
    if (options.ciphers != nullptr) SSL_CTX_set_cipher_list(ctx_, options.ciphers);
    ssl_ = SSL_new(ctx_);
    SSL_set_fd(ssl_, socket_.fd());
    if (!options.server_name.empty()) SSL_set_tlsext_host_name(ssl_, options.server_name.c_str());
    std::string offered;
    for (const std::string& name : options.protocols)
      offered += static_cast<char>(name.size()) + name;
    if (!offered.empty())
      SSL_set_alpn_protos(ssl_, reinterpret_cast<const unsigned char*>(offered.data()),
                          static_cast<unsigned int>(offered.size()));
    if (options.session != nullptr) SSL_set_session(ssl_, options.session);
    connected_ = SSL_connect(ssl_) == 1;
  }
  TlsClient(const TlsClient&) = delete;
  ~TlsClient() {
    SSL_free(ssl_);
    SSL_CTX_free(ctx_);
  }

  bool connected() const { return connected_; }
  bool resumed() const { return SSL_session_reused(ssl_) == 1; }
  std::string protocol() const {
    const unsigned char* name = nullptr;
    unsigned int size = 0;
    SSL_get0_alpn_selected(ssl_, &name, &size);
    return {reinterpret_cast<const char*>(name), size};
  }
  std::string version() const { return SSL_get_version(ssl_); }
  std::string cipher() const { return SSL_get_cipher_name(ssl_); }
  std::string server_common_name() const {
    X509* certificate = SSL_get0_peer_certificate(ssl_);
    if (certificate == nullptr) return "";
    char text[256] = {};
    X509_NAME_get_text_by_NID(X509_get_subject_name(certificate), NID_commonName, text, 256);
    return text;
  }
  bool Send(std::string_view bytes) {
    return SSL_write(ssl_, bytes.data(), static_cast<int>(bytes.size())) > 0;
  }
  // "" at the end.
  std::string Receive() {
    std::string bytes(64 * 1024, '\0');
    const int got = SSL_read(ssl_, bytes.data(), static_cast<int>(bytes.size()));
    bytes.resize(got > 0 ? static_cast<size_t>(got) : 0);
    return bytes;
  }
  std::string ReceiveAll() {
    std::string all;
    for (std::string piece = Receive(); !piece.empty(); piece = Receive()) all += piece;
    return all;
  }
  // Asks once; the connection ends with the answer, whose body this is.
  std::string Get(const std::string& path) {
    if (!Send("GET " + path + " HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")) return "";
    const std::string all = ReceiveAll();
    const size_t at = all.find("\r\n\r\n");
    return at == std::string::npos ? all : all.substr(at + 4);
  }
  // After something was received. To be freed.
  SSL_SESSION* TakeSession() { return SSL_get1_session(ssl_); }
  RawClient& socket() { return socket_; }
  SSL* ssl() { return ssl_; }

 private:
  RawClient socket_;
  SSL_CTX* ctx_;
  SSL* ssl_ = nullptr;
  bool connected_ = false;
};

}  // namespace skiff::net
