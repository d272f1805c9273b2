// What `skiff store inspect` prints: tables for people, JSON for programs.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "cli/store/store_location.h"
#include "store/store.h"

namespace skiff::cli {

struct ResourceFigures {
  std::string name;
  uint64_t keys = 0;
  uint64_t bytes = 0;  // of keys and values
};

// A key whose object says that it is another.
struct MisplacedKey {
  std::string key;
  std::string object;  // "default/web" or "node-1", as it says
};

struct StoreSummary {
  std::string place;
  LocationFigures figures;
  ResourceFigures total;
  std::vector<ResourceFigures> resources;  // in the order to be shown
  std::string verified;                    // what was checked; empty: nothing
  uint64_t misplaced = 0;
  std::vector<MisplacedKey> misplaced_keys = {};  // the first of them
};

struct EntrySummary {
  const store::KeyValue& entry;
  std::optional<store::LeaseInfo> lease;  // if it is still there
  bool show_secrets = false;
  std::string prefix;
};

// The part of a key that tells the resource, as kube-apiserver makes keys: pods, services/specs,
// stable.example.com/crontabs. Keys that are not under the prefix give their own first part, with a
// slash before it.
std::string ResourceOfKey(std::string_view prefix, std::string_view key);

// What the object of an entry calls itself, if its key says otherwise: such an object is listed,
// but cannot be read, changed or deleted. Nothing for objects without a name, for bytes that are no
// objects and for keys that are not under the prefix.
std::optional<MisplacedKey> FindMisplaced(std::string_view prefix, const store::KeyValue& entry);

std::string SummaryTable(const StoreSummary& summary);
std::string SummaryJson(const StoreSummary& summary);
std::string EntryTable(const EntrySummary& summary);
std::string EntryJson(const EntrySummary& summary);

// Compact JSON of ours on many lines, and as YAML.
std::string Pretty(std::string_view json);
Result<std::string> JsonAsYaml(std::string_view json);

}  // namespace skiff::cli
