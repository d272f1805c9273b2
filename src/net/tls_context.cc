#include "net/tls_context.h"

#include <utility>

#include <openssl/err.h>
#include <sys/stat.h>

#include "net/tls_peer.h"
#include "net/tls_state.h"

namespace skiff::net {

Result<std::unique_ptr<TlsContext>> TlsContext::Load(TlsOptions options, Clock& clock) {
  std::unique_ptr<TlsContext> context(new TlsContext(std::move(options), clock));
  context->marks_ = context->LookAtFiles();
  SKIFF_ASSIGN_OR_RETURN(context->state_, LoadTlsState(context->options_, clock, nullptr));
  return context;
}

TlsContext::~TlsContext() = default;

std::shared_ptr<const TlsState> TlsContext::State() const {
  std::lock_guard lock(mutex_);
  return state_;
}

SSL* TlsContext::NewSession() const { return NewTlsSession(State()); }

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

Result<bool> TlsContext::Check() {
  // Looked at before they are read: what changes in between is seen the next time.
  std::vector<FileMark> marks = LookAtFiles();
  if (marks == marks_) return false;
  marks_ = std::move(marks);
  SKIFF_ASSIGN_OR_RETURN(auto state, LoadTlsState(options_, clock_, State().get()));
  std::lock_guard lock(mutex_);
  const bool has_other_cas = &ClientCasOf(*state) != &ClientCasOf(*state_);
  state_ = std::move(state);
  return has_other_cas;
}

void TlsContext::ReadPeer(SSL* ssl, ConnectionPeer& peer) const {
  const std::shared_ptr<const TlsState> state = State();
  const ClientCas& now = ClientCasOf(*state);
  ReadTlsPeer(ssl, clock_, &ClientCasOf(ssl) == &now ? nullptr : &now, peer);
}

}  // namespace skiff::net
