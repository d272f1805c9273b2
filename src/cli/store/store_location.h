// Where a store is, as the flags of `skiff store` commands say it, and how it is read.
//
// A location is the directory of an embedded store, the servers of an etcd, or a file that holds a
// backup.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/random.h"
#include "base/status.h"
#include "cli/common/flags.h"
#include "store/backup.h"
#include "store/store.h"

namespace skiff::cli {

struct StoreLocation {
  std::string data_dir;
  std::vector<std::string> etcd_servers;
  std::string backup_file;
  std::string ca_file;
  std::string cert_file;
  std::string key_file;

  bool is_etcd() const { return !etcd_servers.empty(); }
  // For messages: the directory, the servers or the file.
  std::string Shown() const;
};

// Which places a command takes.
enum class LocationKinds : uint8_t { kStores, kStoresAndBackups };

// --data-dir, --etcd-servers with its TLS files, --backup.
void DeclareLocation(FlagSet& flags, StoreLocation* place, LocationKinds kinds);
// --etcd-prefix.
void DeclarePrefix(FlagSet& flags, std::string* prefix, std::string_view help);
// That just one place is given, and that its flags go together.
Result<void> CheckLocation(const StoreLocation& place, LocationKinds kinds);

// The value of --from and --to: a directory, embedded:DIR, or URLs of etcd servers separated by
// commas. The flag's name is for the error.
Result<StoreLocation> ParseLocation(std::string_view text);

// What all keys under a prefix begin with, as kube-apiserver makes it of --etcd-prefix: /registry/.
// Nothing stays nothing: all keys.
std::string KeyPrefix(std::string_view etcd_prefix);

struct LocationFigures {
  std::string engine;  // embedded, etcd, backup
  int64_t format_version = 0;
  uint64_t cluster_id = 0;  // 0: not known
  int64_t taken_at = 0;     // of a backup
  store::Revision revision;
  std::optional<store::Revision> compacted;
  std::optional<uint64_t> leases;
  uint64_t bytes_on_disk = 0;
  std::optional<uint64_t> bytes_in_use;
};

// What a verification found.
struct Verdict {
  std::string sound;                     // what was checked, for people
  uint64_t damaged = 0;                  // places where something is wrong
  std::vector<std::string> damage = {};  // what is, of the first of them
};

// A place that is open for reading. Nothing in it changes by that.
class LocationReader : public store::BackupSource {
 public:
  virtual Result<std::optional<store::KeyValue>> Get(std::string_view key) = 0;
  virtual Result<LocationFigures> Figures() = 0;
  // Reads everything there is and checks it.
  virtual Result<Verdict> Verify(const store::ProgressFunction& progress) = 0;
  virtual uint64_t cluster_id() = 0;
};

// What opened stores use; must outlive them.
struct StoreTools {
  Clock* clock = nullptr;
  Random* random = nullptr;
};

// A running server is no obstacle. Errors name the place.
Result<std::unique_ptr<LocationReader>> OpenForReading(const StoreLocation& place,
                                                       const StoreTools& tools);

// An etcd, once it has answered.
Result<std::unique_ptr<store::Store>> OpenEtcd(const StoreLocation& place, const StoreTools& tools);

// An error with the place before it.
std::unexpected<Status> AtPlace(const StoreLocation& place, const Status& status);

}  // namespace skiff::cli
