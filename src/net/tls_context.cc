#include "net/tls_context.h"

#include <utility>

#include <openssl/err.h>
#include <sys/stat.h>

#include "net/tls_peer.h"
#include "net/tls_state.h"

namespace skiff {

Result<std::unique_ptr<TlsContext>> TlsContext::Load(TlsOptions options, Clock& clock) {
  std::unique_ptr<TlsContext> context(new TlsContext(std::move(options), clock));
  context->marks_ = context->LookAtFiles();
  SKIFF_ASSIGN_OR_RETURN(context->state_, LoadTlsState(context->options_, clock));
  return context;
}

TlsContext::~TlsContext() = default;

SSL* TlsContext::NewSession() const {
  std::shared_ptr<const TlsState> state;
  {
    std::lock_guard lock(mutex_);
    state = state_;
  }
  return NewTlsSession(std::move(state));
}

std::vector<TlsContext::FileMark> TlsContext::LookAtFiles() const {
  std::vector<std::string_view> files = {options_.certificate.certificate_file,
                                         options_.certificate.key_file};
  for (const auto& named : options_.by_name) {
    files.push_back(named.certificate_file);
    files.push_back(named.key_file);
  }
  files.insert(files.end(), options_.client_ca_files.begin(), options_.client_ca_files.end());
  std::vector<FileMark> marks;
  for (std::string_view file : files) {
    struct stat facts {};
    FileMark mark;
    if (stat(std::string(file).c_str(), &facts) == 0)
      mark = {facts.st_dev, facts.st_ino, facts.st_size,
              facts.st_mtim.tv_sec * 1'000'000'000 + facts.st_mtim.tv_nsec};
    marks.push_back(mark);
  }
  return marks;
}

Result<void> TlsContext::Check() {
  // Looked at before they are read: what changes in between is seen the next time.
  std::vector<FileMark> marks = LookAtFiles();
  if (marks == marks_) return {};
  marks_ = std::move(marks);
  SKIFF_ASSIGN_OR_RETURN(auto state, LoadTlsState(options_, clock_));
  std::lock_guard lock(mutex_);
  state_ = std::move(state);
  return {};
}

void TlsContext::ReadPeer(SSL* ssl, ConnectionPeer& peer) const { ReadTlsPeer(ssl, clock_, peer); }

}  // namespace skiff
