#include "apiserver/aggregator/proxy_certificate.h"

#include <utility>

#include "base/limits.h"
#include "base/read_file.h"
#include "net/client/client_tls.h"

namespace skiff::apiserver {

ProxyCertificate::ProxyCertificate(std::string certificate_file, std::string key_file, Log& log)
    : certificate_file_(std::move(certificate_file)), key_file_(std::move(key_file)), log_(log) {}

Result<CertificatePair> ProxyCertificate::Read() const {
  constexpr size_t kMostBytes = limits::kMaxDocumentBytes;
  CertificatePair out;
  SKIFF_ASSIGN_OR_RETURN(out.certificate_pem, ReadFileUpTo(certificate_file_, kMostBytes));
  SKIFF_ASSIGN_OR_RETURN(out.key_pem, ReadFileUpTo(key_file_, kMostBytes));
  // Whether both are what they should be, and fit.
  net::ClientTlsOptions options;
  options.insecure = true;
  options.certificate_pem = out.certificate_pem;
  options.key_pem = out.key_pem;
  SKIFF_RETURN_IF_ERROR(net::ClientTls::Make(options));
  return out;
}

Result<void> ProxyCertificate::Load() {
  if (!is_configured()) return {};
  Result<CertificatePair> read = Read();
  if (!read) {
    return Fail(read.error().reason(), "--proxy-client-cert-file: " + read.error().message());
  }
  const std::lock_guard lock(mutex_);
  current_ = std::make_shared<const CertificatePair>(std::move(*read));
  return {};
}

void ProxyCertificate::Reload() {
  if (!is_configured()) return;
  Result<CertificatePair> read = Read();
  const std::lock_guard lock(mutex_);
  const std::string fault = read ? std::string() : read.error().message();
  if (!fault.empty() && fault != fault_) {
    log_.Warning("The certificate of the front proxy could not be read again; the old one stays",
                 {{"file", certificate_file_}, {"err", fault}});
  }
  fault_ = fault;
  if (!read || read->certificate_pem == current_->certificate_pem) return;
  log_.Info("The certificate of the front proxy has changed", {{"file", certificate_file_}});
  current_ = std::make_shared<const CertificatePair>(std::move(*read));
}

std::shared_ptr<const CertificatePair> ProxyCertificate::current() const {
  const std::lock_guard lock(mutex_);
  return current_;
}

std::string ProxyCertificate::fault() const {
  const std::lock_guard lock(mutex_);
  return fault_;
}

}  // namespace skiff::apiserver
