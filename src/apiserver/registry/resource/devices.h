// What requests, allocations and slices of devices have in common: names of drivers, pools and
// attributes, taints and what tolerates them, and lists that are sets.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "apiserver/validation/common.h"
#include "apiserver/validation/field_errors.h"
#include "views/resource.k8s.io/v1.h"

namespace skiff::apiserver {

inline constexpr size_t kMaxDeviceConfigs = 32;
inline constexpr size_t kMaxDeviceSelectors = 32;
inline constexpr size_t kMaxDeviceRequests = 32;
inline constexpr size_t kMaxStatusDataBytes = 10 << 10;

// Node names with slashes between them.
void ValidatePoolName(std::string_view name, std::string_view field, FieldErrors& errors);
// In lower case, as RFC 4122 has it.
void ValidateUid(std::string_view uid, std::string_view field, FieldErrors& errors);
// "model", or "example.com/model".
void ValidateDeviceQualifiedName(std::string_view name, std::string_view field,
                                 FieldErrors& errors);
// A domain is needed.
void ValidateDeviceFullName(std::string_view name, std::string_view field, FieldErrors& errors);

// Each is at what it looks at.
void ValidateDeviceSelector(const views::resource_k8s_io_v1::DeviceSelector& selector,
                            FieldErrors& errors);
void ValidateDeviceToleration(const views::resource_k8s_io_v1::DeviceToleration& toleration,
                              FieldErrors& errors);
void ValidateTaintEffect(std::string_view effect, FieldErrors& errors);
// opaque: the part of a configuration that only the driver understands. `is_stored`: its size was
// looked at before.
void ValidateOpaqueConfig(bool there,
                          const views::resource_k8s_io_v1::OpaqueDeviceConfiguration& config,
                          bool is_stored, FieldErrors& errors);
void ValidateJsonObject(std::string_view json, size_t max_bytes, std::string_view field,
                        FieldErrors& errors);
void ValidateBindingConditions(const object::ListView<std::string_view>& conditions,
                               const object::ListView<std::string_view>& failures,
                               FieldErrors& errors);

template <typename Taint>
void ValidateDeviceTaint(const Taint& taint, bool effect_is_new, FieldErrors& errors) {
  ValidateFormat(kQualifiedNameFormat, taint.key(), "key", errors);
  if (!taint.value().empty()) ValidateFormat(kLabelValueFormat, taint.value(), "value", errors);
  if (!effect_is_new) return;
  if (taint.effect().empty()) return errors.Required("effect");
  ValidateTaintEffect(taint.effect(), errors);
}

// Each item; nothing but their number is looked at when there are too many.
template <typename List, typename Validate>
bool ValidateItems(const List& list, std::string_view field, size_t max, Validate validate,
                   FieldErrors& errors) {
  if (list.size() > max) {
    errors.TooMany(field, list.size(), max);
    return false;
  }
  for (size_t i = 0; i < list.size(); ++i) {
    const auto at = errors.At(field, i);
    validate(list[i], i);
  }
  return true;
}

// The same, and each key once.
template <typename List, typename Validate, typename KeyOf>
void ValidateSet(const List& list, std::string_view field, size_t max, Validate validate,
                 KeyOf key_of, FieldErrors& errors) {
  if (!ValidateItems(list, field, max, validate, errors)) return;
  std::set<std::string> seen;
  for (size_t i = 0; i < list.size(); ++i) {
    const std::string key(key_of(list[i]));
    if (seen.insert(key).second) continue;
    const auto at = errors.At(field, i);
    errors.Duplicate("", key);
  }
}

}  // namespace skiff::apiserver
