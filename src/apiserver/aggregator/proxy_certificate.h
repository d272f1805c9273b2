// The certificate by which extension API servers know this one (--proxy-client-cert-file,
// --proxy-client-key-file): to whom shows it they believe who asks.
//
// Both files are read again from time to time; a pair that does not fit, such as one of which half
// is written, leaves the old one in its place. Any thread.
#pragma once

#include <memory>
#include <mutex>
#include <string>

#include "base/log.h"
#include "base/status.h"

namespace skiff::apiserver {

struct CertificatePair {
  std::string certificate_pem;  // empty: none is shown
  std::string key_pem;
};

class ProxyCertificate {
 public:
  // Without files: none.
  ProxyCertificate(std::string certificate_file, std::string key_file, Log& log);

  // Reads the files: an error of the first time is one of the start.
  Result<void> Load();
  // The same again, whose errors are logged once each.
  void Reload();

  bool is_configured() const { return !certificate_file_.empty(); }
  std::shared_ptr<const CertificatePair> current() const;
  // Why the files could not be used when they were last read; empty: they could.
  std::string fault() const;

 private:
  Result<CertificatePair> Read() const;

  const std::string certificate_file_;
  const std::string key_file_;
  Log& log_;
  mutable std::mutex mutex_;  // guards what follows
  std::shared_ptr<const CertificatePair> current_ = std::make_shared<CertificatePair>();
  std::string fault_;
};

}  // namespace skiff::apiserver
