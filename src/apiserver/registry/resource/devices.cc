#include "apiserver/registry/resource/devices.h"

#include <algorithm>

#include "apiserver/registry/core/volumes.h"
#include "base/strings.h"
#include "cel/device_selector.h"
#include "object/json/decode.h"

namespace skiff::apiserver {
namespace {

namespace resource = views::resource_k8s_io_v1;

constexpr size_t kMaxPoolNameBytes = 253;
constexpr size_t kMaxIdentifierBytes = 32;
constexpr size_t kMaxExpressionBytes = 10 << 10;
constexpr size_t kMaxParameterBytes = 10 << 10;
constexpr size_t kMaxBindingConditions = 4;
constexpr size_t kUidBytes = 36;

void ValidateIdentifier(std::string_view id, std::string_view field, FieldErrors& errors) {
  if (id.size() > kMaxIdentifierBytes) errors.TooLong(field, kMaxIdentifierBytes);
  errors.Invalid(field, id, object::CheckCIdentifier(id));
}

bool IsUid(std::string_view uid) {
  if (uid.size() != kUidBytes) return false;
  for (size_t i = 0; i < uid.size(); ++i) {
    const bool dash = i == 8 || i == 13 || i == 18 || i == 23;
    const char c = uid[i];
    if (dash ? c != '-' : !IsDigit(c) && (c < 'a' || c > 'f')) return false;
  }
  return true;
}

void ValidateConditionNames(const object::ListView<std::string_view>& names, std::string_view field,
                            FieldErrors& errors) {
  ValidateItems(
      names, field, kMaxBindingConditions,
      [&](std::string_view name, size_t) {
        ValidateFormat(kQualifiedNameFormat, name, "", errors);
      },
      errors);
}

}  // namespace

void ValidatePoolName(std::string_view name, std::string_view field, FieldErrors& errors) {
  if (name.empty()) return errors.Required(field);
  if (name.size() > kMaxPoolNameBytes) errors.TooLong(field, kMaxPoolNameBytes);
  for (bool more = true; more;) {
    const size_t end = name.find('/');
    ValidateFormat(kDnsSubdomainFormat, name.substr(0, end), field, errors);
    more = end != std::string_view::npos;
    if (more) name.remove_prefix(end + 1);
  }
}

void ValidateUid(std::string_view uid, std::string_view field, FieldErrors& errors) {
  if (IsUid(uid)) return;
  errors.Invalid(field, uid,
                 "uid must be in RFC 4122 normalized form, `xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx` "
                 "with lowercase hexadecimal characters");
}

void ValidateDeviceQualifiedName(std::string_view name, std::string_view field,
                                 FieldErrors& errors) {
  const auto slashes = std::ranges::count(name, '/');
  if (slashes == 0) return ValidateIdentifier(name, field, errors);
  if (slashes > 1) return;
  const size_t slash = name.find('/');
  const std::string_view domain = name.substr(0, slash);
  const std::string_view id = name.substr(slash + 1);
  if (domain.empty()) {
    errors.Invalid(field, "", "the domain must not be empty");
  } else {
    ValidateCsiDriverName(domain, field, errors);
  }
  if (id.empty()) {
    errors.Invalid(field, "", "the name must not be empty");
  } else {
    ValidateIdentifier(id, field, errors);
  }
}

void ValidateDeviceFullName(std::string_view name, std::string_view field, FieldErrors& errors) {
  ValidateDeviceQualifiedName(name, field, errors);
  if (name.find('/') != std::string_view::npos) return;
  errors.Invalid(field, name,
                 "a fully qualified name must be a domain and a name separated by a slash");
}

void ValidateDeviceSelector(const resource::DeviceSelector& selector, FieldErrors& errors) {
  if (!selector.has_cel()) return errors.Required("cel");
  const std::string_view expression = selector.cel().expression();
  if (expression.size() > kMaxExpressionBytes) {
    return errors.TooLong("cel.expression", kMaxExpressionBytes);
  }
  const cel::DeviceSelector compiled = cel::CompileDeviceSelector(expression);
  if (compiled.is_internal) {
    errors.Internal("cel.expression", compiled.error);
  } else if (!compiled.error.empty()) {
    errors.Invalid("cel.expression", expression, compiled.error);
  } else if (compiled.max_cost > cel::kDeviceSelectorCostLimit) {
    errors.Forbidden("cel.expression", "too complex, exceeds cost limit");
  }
}

void ValidateTaintEffect(std::string_view effect, FieldErrors& errors) {
  ValidateOneOf(effect, {"NoExecute", "NoSchedule", "None"}, "effect", errors);
}

void ValidateDeviceToleration(const resource::DeviceToleration& toleration, FieldErrors& errors) {
  if (!toleration.key().empty()) {
    ValidateFormat(kQualifiedNameFormat, toleration.key(), "key", errors);
  }
  if (toleration.operator_() == "Exists") {
    if (!toleration.value().empty()) {
      errors.Invalid("value", toleration.value(), "must be empty for operator `Exists`");
    }
  } else if (toleration.operator_() == "Equal") {
    ValidateFormat(kLabelValueFormat, toleration.value(), "value", errors);
  } else if (toleration.operator_().empty()) {
    errors.Required("operator");
  } else {
    errors.NotSupported("operator", toleration.operator_(), {"Equal", "Exists"});
  }
  if (!toleration.effect().empty()) ValidateTaintEffect(toleration.effect(), errors);
}

void ValidateJsonObject(std::string_view json, size_t max_bytes, std::string_view field,
                        FieldErrors& errors) {
  if (json.empty()) return errors.Required(field);
  if (json.size() > max_bytes) return errors.TooLong(field, max_bytes);
  const Result<object::Document> document = object::DecodeJson(json, nullptr);
  if (!document) {
    return errors.Invalid(field, "<value omitted>",
                          "error parsing data as JSON: " + document.error().message());
  }
  if (document->root().is_null()) return errors.Required(field);
  if (!document->root().is_map()) {
    errors.Invalid(field, "<value omitted>", "must be a valid JSON object");
  }
}

void ValidateOpaqueConfig(bool there, const resource::OpaqueDeviceConfiguration& config,
                          bool is_stored, FieldErrors& errors) {
  if (!there) return errors.Required("opaque");
  const auto at = errors.At("opaque");
  ValidateCsiDriverName(config.driver(), "driver", errors);
  const size_t max = is_stored ? std::string_view::npos : kMaxParameterBytes;
  ValidateJsonObject(config.parameters(), max, "parameters", errors);
}

void ValidateBindingConditions(const object::ListView<std::string_view>& conditions,
                               const object::ListView<std::string_view>& failures,
                               FieldErrors& errors) {
  constexpr std::string_view kConditions = "bindingConditions";
  constexpr std::string_view kFailures = "bindingFailureConditions";
  ValidateConditionNames(conditions, kConditions, errors);
  ValidateConditionNames(failures, kFailures, errors);
  std::set<std::string_view> seen;
  for (size_t i = 0; i < conditions.size(); ++i) {
    const auto at = errors.At(kConditions, i);
    if (!seen.insert(conditions[i]).second) errors.Duplicate("", conditions[i]);
  }
  std::set<std::string_view> seen_failures;
  for (size_t i = 0; i < failures.size(); ++i) {
    const auto at = errors.At(kFailures, i);
    if (!seen_failures.insert(failures[i]).second) errors.Duplicate("", failures[i]);
    if (seen.contains(failures[i])) {
      errors.Invalid("", failures[i],
                     "bindingFailureConditions must not overlap with bindingConditions");
    }
  }
  const ShownValue nothing(static_cast<const object::Value*>(nullptr));
  if (conditions.empty() && !failures.empty()) {
    errors.Invalid(kConditions, nothing,
                   "bindingConditions are required to use bindingFailureConditions");
  }
  if (failures.empty() && !conditions.empty()) {
    errors.Invalid(kFailures, nothing,
                   "bindingFailureConditions are required to use bindingConditions");
  }
}

}  // namespace skiff::apiserver
