#include "apiserver/defaults/rule_path.h"

#include <span>
#include <string>

#include "base/strings.h"
#include "object/zero.h"

namespace skiff::apiserver {
namespace {

void SetBelow(object::Value& at, std::span<const RuleStep> steps, const object::Value& value,
              Arena& arena) {
  if (!at.is_object()) return;
  const RuleStep& step = steps.front();
  object::Value* member = at.Member(step.index);
  if (step.every) {
    if (member == nullptr) return;
    if (member->is_list()) {
      for (object::Value& item : member->items()) SetBelow(item, steps.subspan(1), value, arena);
    } else if (member->is_map()) {
      for (object::MapEntry& entry : member->entries()) {
        SetBelow(entry.value, steps.subspan(1), value, arena);
      }
    }
    return;
  }
  if (steps.size() == 1) {
    if (member == nullptr || object::IsUnset(*step.field, *member)) {
      at.SetMember(arena, step.index, ConstantFor(value, arena));
    }
    return;
  }
  if (member == nullptr || member->is_null()) {
    member =
        &at.SetMember(arena, step.index, object::Value::EmptyObject(arena, step.field->message));
  }
  SetBelow(*member, steps.subspan(1), value, arena);
}

}  // namespace

object::Value ConstantFor(const object::Value& constant, Arena& arena) {
  return constant.tag() >= object::Tag::kList ? constant.CopyInto(arena) : constant;
}

Result<RulePath> RulePath::Resolve(const object::MessageDesc& root, std::string_view text) {
  RulePath path;
  const object::MessageDesc* message = &root;
  for (std::string_view rest = text; !rest.empty();) {
    const size_t dot = rest.find('.');
    std::string_view name = rest.substr(0, dot);
    rest = dot == std::string_view::npos ? std::string_view() : rest.substr(dot + 1);
    const bool every = name.ends_with("[*]");
    if (every) name.remove_suffix(3);
    const bool even_empty = name.ends_with("[]");
    if (even_empty) name.remove_suffix(2);
    if (!path.text_.empty()) path.text_ += '.';
    path.text_.append(name).append(every ? "[*]" : "");
    const uint16_t index =
        message == nullptr ? object::MessageDesc::kNoField : message->FindField(name);
    if (index == object::MessageDesc::kNoField) {
      return Fail(StatusReason::kInternalError,
                  std::string(root.name) + " has no " + Quoted(name) + " for " + Quoted(text));
    }
    path.owner_ = message;
    path.steps_.push_back({&message->fields[index], index, every, even_empty});
    message = message->fields[index].message;
  }
  return path;
}

const object::Value* RulePath::Find(const object::Value& root) const {
  const object::Value* at = &root;
  for (const RuleStep& step : steps_) {
    if (!at->is_object()) return nullptr;
    at = at->Member(step.index);
    if (at == nullptr || at->is_null()) return nullptr;
    if (!step.even_empty && object::IsUnset(*step.field, *at)) return nullptr;
  }
  return at;
}

void RulePath::SetWhereUnset(object::Value& root, const object::Value& value, Arena& arena) const {
  SetBelow(root, steps_, value, arena);
}

}  // namespace skiff::apiserver
