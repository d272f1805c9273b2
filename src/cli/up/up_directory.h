// The directory in which `skiff up` keeps a cluster:
//
//   store/         the embedded store
//   pki/           keys and certificates (pki/cluster_pki.h)
//   admin.conf     the kubeconfig of an administrator
//   skiff.pid      the number of the process that runs the cluster, which holds a lock on this file
//   running.json   where it listens, as long as it runs
//   skiff.log      what it says when it is detached; the one before: skiff.log.1
//
// The lock, not the number, tells whether a cluster runs: it ends with its process however that
// ends, and a number may have been given to another process since.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <sys/types.h>

#include "base/status.h"
#include "cli/common/flags.h"
#include "pki/cluster_pki.h"

namespace skiff::cli {

// What running.json says.
struct RunningState {
  pid_t pid = 0;
  std::string server;      // "https://127.0.0.1:6443"
  std::string version;     // "v1.36.4+skiff"
  std::string started_at;  // RFC 3339
};

// The flag --data-dir, which all commands about such a directory have.
void DeclareDataDir(FlagSet& flags, std::string* target);

class UpDirectory {
 public:
  explicit UpDirectory(std::string root) : root_(std::move(root)) {}

  // --data-dir, else $SKIFF_DATA_DIR, else /var/lib/skiff for root, else skiff in $XDG_DATA_HOME or
  // ~/.local/share.
  static Result<UpDirectory> Find(const std::string& data_dir);

  const std::string& root() const { return root_; }
  // The command for this directory, as one types it: "skiff down", and with --data-dir where that
  // is not the directory which it would take by itself.
  std::string CommandFor(std::string_view name) const;
  std::string store() const { return root_ + "/store"; }
  std::string kubeconfig() const { return root_ + "/admin.conf"; }
  std::string pid_file() const { return root_ + "/skiff.pid"; }
  std::string running_file() const { return root_ + "/running.json"; }
  std::string log_file() const { return root_ + "/skiff.log"; }
  std::string old_log_file() const { return log_file() + ".1"; }
  pki::ClusterPki pki() const { return pki::ClusterPki(root_ + "/pki"); }
  std::string pki_directory() const { return root_ + "/pki"; }
  bool exists() const;

  // The process that holds the lock; nothing when none does.
  Result<std::optional<pid_t>> Owner() const;

  Result<void> WriteRunning(const RunningState& state) const;
  Result<RunningState> ReadRunning() const;

 private:
  std::string root_;
};

// The lock on a place, held as long as this lives.
class UpLock {
 public:
  // Makes the directory if there is none. The error says what to do when it cannot be used or when
  // somebody else has it.
  static Result<UpLock> Take(const UpDirectory& place);
  UpLock(UpLock&& other) noexcept;
  UpLock& operator=(UpLock&&) = delete;
  ~UpLock();

 private:
  explicit UpLock(int fd) : fd_(fd) {}
  int fd_;
};

}  // namespace skiff::cli
