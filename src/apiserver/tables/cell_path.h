// A path of the notation, `.status.podIPs[0].ip`, resolved against a kind so that it can be
// followed by index.
//
// Whether a value counts as set: if the way leads over fields that are pointers in the API, it is
// when all of those are there, even if it is zero; else it is when it is not empty.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "object/value.h"

namespace skiff::apiserver {

class CellPath {
 public:
  // The value may be null though it is set: a zero, such as 0, "" or an empty list.
  struct Found {
    const object::Value* value;
    bool set;
  };

  static Result<CellPath> Resolve(std::string_view path, const object::MessageDesc* kind);

  Found Follow(const object::Value& object) const;
  const std::string& text() const { return text_; }
  // Of the value at the end.
  object::FieldType type() const { return type_; }

 private:
  struct Step {
    uint16_t field;
    int32_t item = -1;     // of a list
    std::string key = {};  // of a map
    bool in_map = false;
  };
  static constexpr size_t kNoPointer = SIZE_MAX;

  static const object::Value* Next(const object::Value& at, const Step& step);

  std::string text_;
  std::vector<Step> steps_;
  size_t last_pointer_ = kNoPointer;
  object::FieldType type_ = object::FieldType::kString;
};

}  // namespace skiff::apiserver
