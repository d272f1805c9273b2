// Where the values of field selectors come from: the cells of the resource tables, taken apart.
//
// Of the notation in api/README.md selectors use paths, `bool(PATH)`, `int(PATH)`, constants in
// double quotes, and ` or ` between them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "object/resource.h"

namespace skiff::store {

struct FactStep {
  std::string name;
  int32_t item = -1;  // of a list; -1: the step names no list
  friend bool operator==(const FactStep&, const FactStep&) = default;
};

// One value of an object, and its text when the object lacks it.
struct FactPath {
  std::vector<FactStep> steps;  // none: always `absent`
  std::string absent;
  friend bool operator==(const FactPath&, const FactPath&) = default;

  std::string ToString() const;  // "status.podIPs[0].ip"
};

// The first of them whose text is not empty counts.
Result<std::vector<FactPath>> ParseFactCell(std::string_view cell);

// What an alias of the table makes of the label, or the label itself.
std::string ResolveFieldAlias(const object::ResourceHub& hub, std::string_view label);

}  // namespace skiff::store
