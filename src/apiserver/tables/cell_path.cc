#include "apiserver/tables/cell_path.h"

#include <charconv>

#include "object/zero.h"

namespace skiff::apiserver {
namespace {

bool IsEmpty(const object::Value& value) {
  if (value.is_list() || value.is_map() || value.is_object()) return value.size() == 0;
  return value.tag() == object::Tag::kRawJson ? value.AsText().empty()
                                              : object::IsZeroScalar(value);
}

Status BadPath(std::string_view path) {
  return Status(StatusReason::kInternalError, "a column has the bad path " + std::string(path));
}

}  // namespace

Result<CellPath> CellPath::Resolve(std::string_view path, const object::MessageDesc* kind) {
  CellPath out;
  out.text_ = path;
  const object::MessageDesc* type = kind;
  std::string_view rest = path;
  while (!rest.empty()) {
    if (!rest.starts_with('.') || type == nullptr) return std::unexpected(BadPath(path));
    rest.remove_prefix(1);
    std::string_view name = rest.substr(0, rest.find('.'));
    rest.remove_prefix(name.size());
    Step step{.field = object::MessageDesc::kNoField};
    if (const size_t bracket = name.find('['); bracket != std::string_view::npos) {
      const char* const digits = name.data() + bracket + 1;
      if (std::from_chars(digits, name.data() + name.size(), step.item).ec != std::errc()) {
        return std::unexpected(BadPath(path));
      }
      name = name.substr(0, bracket);
    }
    step.field = type->FindField(name);
    if (step.field == object::MessageDesc::kNoField) return std::unexpected(BadPath(path));
    const object::FieldDesc& field = type->fields[step.field];
    if (field.pointer()) out.last_pointer_ = out.steps_.size();
    if (field.cardinality == object::Cardinality::kMap && !rest.empty()) {
      step.in_map = true;
      step.key = rest.substr(1);  // keys may hold dots
      rest = {};
    }
    out.type_ = field.type;
    type = field.message;
    out.steps_.push_back(std::move(step));
  }
  return out;
}

const object::Value* CellPath::Next(const object::Value& at, const Step& step) {
  if (!at.is_object()) return nullptr;
  const object::Value* value = at.Member(step.field);
  if (value == nullptr) return nullptr;
  if (step.in_map) return value->is_map() ? value->Find(step.key) : nullptr;
  if (step.item < 0) return value;
  const auto item = static_cast<size_t>(step.item);
  return value->is_list() && item < value->size() ? &value->items()[item] : nullptr;
}

CellPath::Found CellPath::Follow(const object::Value& object) const {
  const object::Value* at = &object;
  for (size_t i = 0; i < steps_.size(); ++i) {
    at = Next(*at, steps_[i]);
    if (at == nullptr || at->is_null()) {
      return {nullptr, last_pointer_ != kNoPointer && i > last_pointer_};
    }
  }
  return {at, last_pointer_ != kNoPointer || !IsEmpty(*at)};
}

}  // namespace skiff::apiserver
