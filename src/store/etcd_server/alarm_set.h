// The alarms that are raised, in memory and in a file, so that they outlive the process.
//
// The file has a line for each: its name and, in decimal, the member that it is about. No file: no
// alarms. It is replaced as a whole, so that a power cut leaves the old one or the new one.
#pragma once

#include <cstdint>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <etcd_rpc.pb.h>

#include "base/status.h"

namespace skiff::store {

// "NOSPACE"
std::string_view AlarmName(etcdserverpb::AlarmType alarm);

// Any thread, after Load().
class AlarmSet {
 public:
  struct Alarm {
    etcdserverpb::AlarmType type = etcdserverpb::NONE;
    uint64_t member = 0;
    friend auto operator<=>(const Alarm&, const Alarm&) = default;
  };

  // An empty path: nothing is kept.
  explicit AlarmSet(std::string path) : path_(std::move(path)) {}

  Result<void> Load();
  std::vector<Alarm> List() const;
  bool Has(etcdserverpb::AlarmType type) const;
  // What the error says concerns the file alone: the alarm is raised, or gone, all the same.
  Result<void> Raise(const Alarm& alarm);
  Result<void> Clear(const Alarm& alarm);

 private:
  Result<void> Save() const;

  const std::string path_;
  mutable std::mutex mutex_;
  std::set<Alarm> alarms_;
};

}  // namespace skiff::store
