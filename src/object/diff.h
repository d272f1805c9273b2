// What differs between two documents, for people and for tests.
//
// The two are compared as DeepEqual does: there are no differences exactly when it holds. Items of
// lists whose items have keys (list maps, and lists that strategic merge joins by a key) are paired
// by key and named by it, spec.containers[name=web].image; other lists, and lists where keys are
// missing or repeated, are compared by index. Paths can be read back by FieldPath.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/limits.h"
#include "object/value.h"

namespace skiff::object {

struct Difference {
  enum Kind : uint8_t { kAdded, kRemoved, kChanged };
  Kind kind;
  std::string path;       // "" is the root
  std::string old_value;  // in short JSON, cut at limits::kMaxShownValueBytes; "" of kAdded
  std::string new_value;  // likewise; "" of kRemoved
};

struct DocumentDiff {
  std::vector<Difference> differences;
  size_t total = 0;  // how many there are; no more than the given limit are listed

  bool empty() const { return total == 0; }
  // A line for each: `~ spec.replicas: 1 -> 2`, `+ metadata.labels.app: "web"`,
  // `- spec.paused: true`.
  std::string ToString() const;
};

DocumentDiff DiffValues(const Value& old_value, const Value& new_value,
                        size_t max_differences = limits::kMaxDifferences);

// The value as JSON without spaces, ending in "…" when it is longer than `max_bytes`. For showing,
// not for reading back.
std::string ShortJson(const Value& value, size_t max_bytes = limits::kMaxShownValueBytes);

}  // namespace skiff::object
