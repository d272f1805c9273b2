#include "apiserver/extensions/schema/value_faults.h"

#include <iterator>
#include <unordered_set>
#include <utility>

#include "apiserver/extensions/schema/go_numbers.h"
#include "base/go_quoted.h"
#include "base/limits.h"
#include "base/strings.h"
#include "object/json/encode.h"

namespace skiff::apiserver {
namespace {

std::string NameOf(const object::PathNode& path) {
  std::string name = path.ToString();
  CutText(name, limits::kMaxCauseFieldBytes);
  return name;
}

// What FieldErrors would say of it, which no setting changes.
template <typename Say>
StatusCause CauseOf(Say say) {
  FieldErrors errors(kDefaultSettings);
  say(errors);
  return std::move(errors.Take().front());
}

}  // namespace

std::string GoShown(const object::Value& value) {
  if (value.tag() == object::Tag::kDouble) return GoFloatText(value.AsDouble());
  if (value.is_string()) return ShownValue(value.AsText()).json();
  return ShownValue(value).json();
}

bool ValueFaults::Finds() {
  ++found_;
  return keeps();
}

std::string ValueFaults::FieldOf(std::string_view name) const {
  if (name.starts_with('.')) name.remove_prefix(1);
  if (name.empty()) return base_.empty() ? "<nil>" : base_;
  return base_.empty() ? std::string(name) : base_ + "." + std::string(name);
}

void ValueFaults::Add(std::string_view name, std::string text, StatusCause cause) {
  cause.field = FieldOf(name);
  faults_.push_back({std::move(cause), std::move(text)});
}

void ValueFaults::MissesField(const object::PathNode& path, std::string_view field) {
  if (!Finds()) return;
  const std::string name = NameOf(path) + "." + CutCopy(field, limits::kMaxCauseFieldBytes);
  Add(name, name + " in body is required", {"FieldValueRequired", "Required value", {}});
}

void ValueFaults::HasType(const object::PathNode& path, std::string_view wanted,
                          std::string_view given) {
  if (!Finds()) return;
  const std::string name = NameOf(path);
  const std::string quoted = ShownValue(given).json();
  const std::string why = name + " in body must be of type " + std::string(wanted) + ": " + quoted;
  Add(name, why, {"FieldValueTypeInvalid", "Invalid value: " + quoted + ": " + why, {}});
}

void ValueFaults::IsNotOneOf(const object::PathNode& path, const object::Value& value,
                             std::span<const object::Value> allowed) {
  if (!Finds()) return;
  const std::string name = NameOf(path);
  std::string list;
  for (const object::Value& each : allowed) {
    if (list.size() > limits::kMaxCauseMessageBytes) break;
    list += list.empty() ? ": supported values: " : ", ";
    list += GoQuoted(each.is_string() ? std::string(each.AsText()) : object::EncodeJson(each));
  }
  Add(name, name + " in body should be one of" + list,
      {"FieldValueNotSupported", "Unsupported value: " + GoShown(value) + list, {}});
}

void ValueFaults::IsTooLong(const object::PathNode& path, int64_t max) {
  if (!Finds()) return;
  const std::string name = NameOf(path);
  Add(name, name + " in body should be at most " + std::to_string(max) + " chars long",
      CauseOf([max](FieldErrors& errors) { errors.TooLong("", static_cast<size_t>(max)); }));
}

void ValueFaults::HasTooMany(const object::PathNode& path, size_t count, int64_t max) {
  if (!Finds()) return;
  const std::string name = NameOf(path);
  Add(name, name + " in body should have at most " + std::to_string(max),
      CauseOf([&](auto& errors) { errors.TooMany("", count, static_cast<size_t>(max)); }));
}

void ValueFaults::Breaks(const object::PathNode& path, const std::string& shown,
                         std::string_view why) {
  if (keeps()) {
    BreaksInWords(path, shown, NameOf(path) + " in body " + std::string(why));
  } else {
    ++found_;
  }
}

void ValueFaults::BreaksInWords(const object::PathNode& path, const std::string& shown,
                                std::string why) {
  if (!Finds()) return;
  Add(NameOf(path), why, {"FieldValueInvalid", "Invalid value: " + shown + ": " + why, {}});
}

void ValueFaults::Says(std::string why) {
  if (!Finds()) return;
  Add("", why, {"FieldValueInvalid", "Invalid value: \"\": " + why, {}});
}

void ValueFaults::HasForbidden(const object::PathNode& path, std::string_view field) {
  if (!Finds()) return;
  const std::string name = NameOf(path);
  const std::string key = CutCopy(field, limits::kMaxCauseFieldBytes);
  const std::string why = name + "." + key + " in body is a forbidden property";
  Add(name, why,
      {"FieldValueInvalid", "Invalid value: " + ShownValue(key).json() + ": " + why, {}});
}

void ValueFaults::TakeBack(Mark mark) {
  faults_.erase(faults_.begin() + static_cast<ptrdiff_t>(mark.kept), faults_.end());
  found_ = mark.found;
}

ValueFaults::Taken ValueFaults::TakeOut(Mark mark) {
  Taken out;
  out.found = found_ - mark.found;
  const auto first = faults_.begin() + static_cast<ptrdiff_t>(mark.kept);
  out.faults.assign(std::make_move_iterator(first), std::make_move_iterator(faults_.end()));
  TakeBack(mark);
  return out;
}

void ValueFaults::PutBack(Taken taken) {
  found_ += taken.found;
  for (Fault& fault : taken.faults) {
    if (keeps()) faults_.push_back(std::move(fault));
  }
}

void ValueFaults::Report(FieldErrors& errors) && {
  std::unordered_set<std::string_view> said;
  std::vector<StatusCause> causes;
  for (Fault& fault : faults_) {
    if (said.insert(fault.text).second) causes.push_back(std::move(fault.cause));
  }
  errors.LeaveOut(found_ - faults_.size());
  errors.Append(std::move(causes));
}

}  // namespace skiff::apiserver
