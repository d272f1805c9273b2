// Faults of a document that do not stop its decoding: the caller's mode of field validation says
// whether they are ignored, become warnings, or refuse the document.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/limits.h"
#include "base/status.h"

namespace skiff::object {

struct FieldIssue {
  enum Kind : uint8_t { kUnknown, kDuplicate };
  Kind kind;
  std::string path;
  TextPosition position;

  // unknown field "spec.imagee", the text that clients of Kubernetes look for.
  std::string ToString() const {
    return (kind == kUnknown ? "unknown field \"" : "duplicate field \"") + path + '"';
  }
};

// Adds an issue unless the bound is reached or there is no list.
inline void AddFieldIssue(std::vector<FieldIssue>* issues, FieldIssue::Kind kind, std::string path,
                          TextPosition position) {
  if (issues == nullptr || issues->size() >= limits::kMaxFieldIssues) return;
  issues->push_back({kind, std::move(path), position});
}

}  // namespace skiff::object
