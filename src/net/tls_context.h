// What new TLS connections begin with: certificates, client CAs, versions and ciphers.
//
// The files are looked at from time to time (Check()); when one has changed, all are read anew, and
// connections that begin later use the new ones; the certificates of clients that are connected
// are asked about again (ReadPeer()). Files that cannot be used leave the old state in place. A new
// state also has new keys for session tickets, so that no session outlives the certificates and CAs
// that it was made under.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <openssl/ssl.h>

#include "base/clock.h"
#include "base/status.h"
#include "net/serving.h"
#include "net/tls_options.h"

namespace skiff::net {

struct TlsState;  // one reading of the files

class TlsContext {
 public:
  static Result<std::unique_ptr<TlsContext>> Load(TlsOptions options, Clock& clock);
  ~TlsContext();

  // Any thread. For one connection; null when there is no memory.
  SSL* NewSession() const;
  // One thread. Reads the files again if one of them has changed, and says whether other CAs of
  // clients count from now on. An error tells of files that cannot be used; it is told once for
  // each change.
  Result<bool> Check();

  // Any thread, after the handshake: what the client's certificate says, and whether the CAs of
  // now believe it.
  void ReadPeer(SSL* ssl, ConnectionPeer& peer) const;
  bool requires_client_certificate() const { return options_.require_client_certificate; }

 private:
  struct FileMark {
    uint64_t device = 0;
    uint64_t inode = 0;
    int64_t size = -1;
    int64_t modified_ns = 0;
    bool operator==(const FileMark&) const = default;
  };

  TlsContext(TlsOptions options, Clock& clock) : options_(std::move(options)), clock_(clock) {}
  std::vector<FileMark> LookAtFiles() const;
  std::shared_ptr<const TlsState> State() const;

  const TlsOptions options_;
  Clock& clock_;
  std::vector<FileMark> marks_;  // of the files when they were last read
  mutable std::mutex mutex_;     // guards what follows
  std::shared_ptr<const TlsState> state_;
};

}  // namespace skiff::net
