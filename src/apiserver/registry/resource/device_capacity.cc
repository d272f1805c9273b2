#include "apiserver/registry/resource/device_capacity.h"

#include <string>

#include "apiserver/registry/resource/devices.h"

namespace skiff::apiserver {
namespace {

namespace resource = views::resource_k8s_io_v1;

constexpr size_t kMaxPortions = 10;

// Amounts and their texts, which messages show.
struct Amount {
  explicit Amount(std::string_view given) : text(given), quantity(ParsedQuantity(given)) {}
  std::string text;
  object::Quantity quantity;
};

void ValidateValues(const resource::CapacityRequestPolicy& policy, const Amount& capacity,
                    FieldErrors& errors) {
  const auto values = policy.valid_values();
  const Amount normal(*policy.default_());
  bool has_default = false;
  for (size_t i = 0; i + 1 < values.size(); ++i) {
    if (ParsedQuantity(values[i]) <= ParsedQuantity(values[i + 1])) continue;
    const auto at = errors.At("validValues", i + 1);
    errors.Invalid("", values[i + 1], "values must be sorted in ascending order");
  }
  ValidateSet(
      values, "validValues", kMaxPortions,
      [&](std::string_view value, size_t) {
        const Amount portion(value);
        if (portion.quantity > capacity.quantity) {
          errors.Invalid("", value, "option is larger than capacity value: " + capacity.text);
        }
        has_default |= portion.quantity == normal.quantity;
      },
      [](std::string_view value) { return std::to_string(ParsedQuantity(value).Value()); }, errors);
  if (!has_default) {
    errors.Invalid("validValues", normal.text,
                   "default value is not valid according to the requestPolicy");
  }
}

void ValidateStep(const Amount& value, const Amount& min, const Amount& step, FieldErrors& errors) {
  const int64_t size = step.quantity.Value();
  if (size != 0 && (value.quantity.Value() - min.quantity.Value()) % size == 0) return;
  errors.Invalid(
      "step", value.text,
      "value is not a multiple of a given step (" + step.text + ") from (" + min.text + ")");
}

void ValidateRange(const resource::CapacityRequestPolicy& policy, const Amount& capacity,
                   FieldErrors& errors) {
  const resource::CapacityRequestPolicyRange range = policy.valid_range();
  const auto at = errors.At("validRange");
  if (!range.min()) return errors.Required("min", "required when validRange is defined");
  const Amount normal(*policy.default_());
  const Amount min(*range.min());
  if (min.quantity > capacity.quantity) {
    errors.Invalid("min", min.text, "min is larger than capacity value: " + capacity.text);
  }
  if (normal.quantity < min.quantity) {
    errors.Invalid("min", normal.text, "default is less than min: " + min.text);
  }
  if (range.max()) {
    const Amount max(*range.max());
    if (min.quantity > max.quantity) {
      errors.Invalid("max", min.text, "min is larger than max: " + max.text);
    }
    if (max.quantity > capacity.quantity) {
      errors.Invalid("max", max.text, "max is larger than capacity value: " + capacity.text);
    }
    if (normal.quantity > max.quantity) {
      errors.Invalid("max", normal.text, "default is more than max: " + max.text);
    }
  }
  if (!range.step()) return;
  const Amount step(*range.step());
  object::Quantity first = min.quantity;
  first.Add(step.quantity);
  if (first > capacity.quantity) {
    errors.Invalid(
        "step", step.text,
        "one step " + first.ToString() + " is larger than capacity value: " + capacity.text);
  }
  ValidateStep(normal, min, step, errors);
  if (range.max()) ValidateStep(Amount(*range.max()), min, step, errors);
}

}  // namespace

void ValidateDeviceCapacity(const resource::DeviceCapacity& capacity, bool is_shared,
                            FieldErrors& errors) {
  if (!capacity.has_request_policy()) return;
  if (!is_shared) {
    return errors.Forbidden("requestPolicy", "allowMultipleAllocations must be true");
  }
  const resource::CapacityRequestPolicy policy = capacity.request_policy();
  const auto at = errors.At("requestPolicy");
  const bool has_values = !policy.valid_values().empty();
  if (has_values && policy.has_valid_range()) {
    return errors.Forbidden("",
                            "exactly one policy can be specified, cannot specify \"validValues\" "
                            "and \"validRange\" at the same time");
  }
  if (!has_values && !policy.has_valid_range()) return;
  if (!policy.default_()) {
    return errors.Required("default", has_values ? "required when validValues is defined"
                                                 : "required when validRange is defined");
  }
  const Amount whole(capacity.value());
  if (has_values) {
    ValidateValues(policy, whole, errors);
  } else {
    ValidateRange(policy, whole, errors);
  }
}

}  // namespace skiff::apiserver
