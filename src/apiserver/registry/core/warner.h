// Warnings about fields: "spec.volumes[0].gitRepo: deprecated in v1.11".
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "apiserver/validation/field_errors.h"
#include "base/limits.h"

namespace skiff::apiserver {

// Knows its place as FieldErrors does. No more than limits::kMaxFieldIssues texts are kept, for an
// object can have a warning for each two of its parts.
class Warner {
 public:
  explicit Warner(std::vector<std::string>& warnings) : warnings_(warnings) {}

  FieldErrors::Scope At(std::string_view name) { return place_.At(name); }
  FieldErrors::Scope At(std::string_view name, size_t index) { return place_.At(name, index); }
  FieldErrors::Scope AtKey(std::string_view name, std::string_view key) {
    return place_.AtKey(name, key);
  }
  std::string PathOf(std::string_view field) const { return place_.PathOf(field); }

  void Add(std::string_view field, std::string_view text) {
    if (IsFull()) return;
    warnings_.push_back(PathOf(field) + ": " + std::string(text));
  }
  // Of no field.
  void AddText(std::string text) {
    if (!IsFull()) warnings_.push_back(std::move(text));
  }
  bool IsFull() const { return warnings_.size() >= limits::kMaxFieldIssues; }

 private:
  FieldErrors place_{kDefaultSettings};
  std::vector<std::string>& warnings_;
};

}  // namespace skiff::apiserver
