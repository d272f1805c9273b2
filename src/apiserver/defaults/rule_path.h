// Paths of rules, `spec.ports[*].protocol`, resolved against the message that they begin in.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/arena.h"
#include "base/status.h"
#include "object/value.h"

namespace skiff::apiserver {

// A member of a message, or every item of it if it is a list or map.
struct RuleStep {
  const object::FieldDesc* field;
  uint16_t index;
  bool every;
  bool even_empty;  // a list that is there counts as set though it has no items
};

class RulePath {
 public:
  RulePath() = default;
  static Result<RulePath> Resolve(const object::MessageDesc& root, std::string_view text);

  bool empty() const { return steps_.empty(); }
  // For the bytes of protobuf, which know no list that is there and has no items.
  const std::string& wire_text() const { return text_; }
  const RuleStep& last() const { return steps_.back(); }
  // The message that the last step is a member of.
  const object::MessageDesc& owner() const { return *owner_; }

  // The value there, if it is set. The path must have no step to every item.
  const object::Value* Find(const object::Value& root) const;
  // Puts copies of the value wherever it is unset. Missing parents are made.
  void SetWhereUnset(object::Value& root, const object::Value& value, Arena& arena) const;

 private:
  std::vector<RuleStep> steps_;
  const object::MessageDesc* owner_ = nullptr;
  std::string text_;
};

// A constant of a plan as the value of a document: containers are copied, for they may be changed;
// text stays where it is.
object::Value ConstantFor(const object::Value& constant, Arena& arena);

}  // namespace skiff::apiserver
