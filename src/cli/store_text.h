// What `skiff store inspect` prints: tables for people, JSON for programs.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "cli/store_place.h"
#include "store/store.h"

namespace skiff {

struct ResourceFigures {
  std::string name;
  uint64_t keys = 0;
  uint64_t bytes = 0;  // of keys and values
};

struct StoreSummary {
  std::string place;
  PlaceFigures figures;
  ResourceFigures total;
  std::vector<ResourceFigures> resources;  // in the order to be shown
  std::string verified;                    // what was checked; empty: nothing
};

struct EntrySummary {
  const KeyValue& entry;
  std::optional<LeaseInfo> lease;  // if it is still there
  bool show_secrets = false;
  std::string prefix;
};

// The part of a key that tells the resource, as kube-apiserver makes keys: pods, services/specs,
// stable.example.com/crontabs. Keys that are not under the prefix give their own first part, with a
// slash before it.
std::string ResourceOfKey(std::string_view prefix, std::string_view key);

std::string SummaryTable(const StoreSummary& summary);
std::string SummaryJson(const StoreSummary& summary);
std::string EntryTable(const EntrySummary& summary);
std::string EntryJson(const EntrySummary& summary);

// Compact JSON of ours on many lines, and as YAML.
std::string Pretty(std::string_view json);
Result<std::string> JsonAsYaml(std::string_view json);

}  // namespace skiff
