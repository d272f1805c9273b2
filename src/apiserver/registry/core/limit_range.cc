#include "apiserver/registry/core/limit_range.h"

#include <set>
#include <string>

#include "apiserver/registry/core/resources.h"
#include "apiserver/validation/common.h"
#include "apiserver/validation/seen_names.h"
#include "views/core/v1.h"

namespace skiff::apiserver {
namespace {

namespace core = views::core_v1;

using Amounts = object::MapView<std::string_view>;

void ValidateType(std::string_view type, FieldErrors& errors) {
  const size_t before = errors.size();
  ValidateFormat(kQualifiedNameFormat, type, "type", errors);
  if (errors.size() != before || type.find('/') != std::string_view::npos) return;
  if (type != "Pod" && type != "Container" && type != "PersistentVolumeClaim") {
    errors.Invalid("type", type, "must be a standard limit type or fully qualified");
  }
}

void ValidateNames(std::string_view type, const Amounts& amounts, std::string_view field,
                   std::set<std::string_view>& all, FieldErrors& errors) {
  for (const auto& [name, quantity] : amounts) {
    const auto at = errors.AtKey(field, name);
    if (type == "Pod" || type == "Container") {
      ValidateContainerResourceName(name, errors);
    } else {
      ValidateResourceName(name, errors);
    }
    all.insert(name);
  }
}

// The amounts of one resource, those that are there.
struct Bounds {
  std::optional<std::string_view> min, max, limit, request, ratio;
};

bool Exceeds(const std::optional<std::string_view>& a, const std::optional<std::string_view>& b) {
  return a && b && ParsedQuantity(*a).Compare(ParsedQuantity(*b)) > 0;
}

std::string Text(std::string_view a, std::string_view a_value, std::string_view b,
                 std::string_view b_value) {
  return std::string(a) + " value " + std::string(a_value) + " is greater than " + std::string(b) +
         " value " + std::string(b_value);
}

void ValidateRatio(std::string_view name, const Bounds& bounds, FieldErrors& errors) {
  const auto at = errors.AtKey("maxLimitRequestRatio", name);
  const object::Quantity ratio = ParsedQuantity(*bounds.ratio);
  if (ratio < object::Quantity(1)) {
    errors.Invalid("", *bounds.ratio, "ratio " + std::string(*bounds.ratio) + " is less than 1");
  }
  if (!bounds.min || !bounds.max) return;
  const double min = ParsedQuantity(*bounds.min).AsApproximateDouble();
  const double most = ParsedQuantity(*bounds.max).AsApproximateDouble() / min;
  if (min != 0 && ratio.AsApproximateDouble() > most) {
    errors.Invalid("", *bounds.ratio,
                   "ratio " + std::string(*bounds.ratio) +
                       " is greater than max/min = " + std::to_string(most));
  }
}

void ValidateBounds(std::string_view name, const Bounds& bounds, FieldErrors& errors) {
  const auto& [min, max, limit, request, ratio] = bounds;
  if (Exceeds(min, max)) {
    const auto at = errors.AtKey("min", name);
    errors.Invalid("", *min, Text("min", *min, "max", *max));
  }
  {
    const auto at = errors.AtKey("defaultRequest", name);
    if (Exceeds(min, request)) {
      errors.Invalid("", *request, Text("min", *min, "default request", *request));
    }
    if (Exceeds(request, max)) {
      errors.Invalid("", *request, Text("default request", *request, "max", *max));
    }
    if (Exceeds(request, limit)) {
      errors.Invalid("", *request, Text("default request", *request, "default limit", *limit));
    }
  }
  {
    const auto at = errors.AtKey("default", name);
    if (Exceeds(min, limit)) errors.Invalid("", *min, Text("min", *min, "default", *limit));
    if (Exceeds(limit, max)) errors.Invalid("", *max, Text("default", *limit, "max", *max));
  }
  if (ratio) ValidateRatio(name, bounds, errors);
  const bool whole = !IsNativeResource(name) || IsHugePageResource(name);
  if (whole && limit && request && ParsedQuantity(*limit) != ParsedQuantity(*request)) {
    const auto at = errors.AtKey("defaultRequest", name);
    errors.Invalid("", *request,
                   "default value " + std::string(*limit) + " must equal to defaultRequest value " +
                       std::string(*request) + " in " + std::string(name));
  }
}

void ValidateItem(const core::LimitRangeItem& item, FieldErrors& errors) {
  const std::string_view type = item.type();
  const bool is_pod = type == "Pod";
  std::set<std::string_view> names;
  ValidateNames(type, item.max(), "max", names, errors);
  ValidateNames(type, item.min(), "min", names, errors);
  if (is_pod) {
    for (const std::string_view field : {"default", "defaultRequest"}) {
      const bool set =
          field == "default" ? !item.default_().empty() : !item.default_request().empty();
      if (set) errors.Forbidden(field, "may not be specified when `type` is 'Pod'");
    }
  } else {
    ValidateNames(type, item.default_(), "default", names, errors);
    ValidateNames(type, item.default_request(), "defaultRequest", names, errors);
  }
  if (type == "PersistentVolumeClaim" && !item.min().Contains("storage") &&
      !item.max().Contains("storage")) {
    errors.Required(
        "limits", "either minimum or maximum storage value is required, but neither was provided");
  }
  ValidateNames(type, item.max_limit_request_ratio(), "maxLimitRequestRatio", names, errors);
  for (const std::string_view name : names) {
    Bounds bounds{.min = item.min().Find(name),
                  .max = item.max().Find(name),
                  .limit = {},
                  .request = {},
                  .ratio = item.max_limit_request_ratio().Find(name)};
    if (!is_pod) {
      bounds.limit = item.default_().Find(name);
      bounds.request = item.default_request().Find(name);
    }
    ValidateBounds(name, bounds, errors);
  }
}

void ValidateLimitRange(const object::Document& object, FieldErrors& errors) {
  const auto limits = core::LimitRange(object).spec().limits();
  const auto spec = errors.At("spec");
  SeenNames types;
  for (size_t i = 0; i < limits.size(); ++i) {
    const auto at = errors.At("limits", i);
    ValidateType(limits[i].type(), errors);
    if (!types.Add(limits[i].type())) errors.Duplicate("type", limits[i].type());
    ValidateItem(limits[i], errors);
  }
}

void ValidateLimitRangeUpdate(const object::Document& object, const object::Document&,
                              FieldErrors& errors) {
  ValidateLimitRange(object, errors);
}

}  // namespace

constinit const KindRules kLimitRangeRules = {.group = "",
                                              .kind = "LimitRange",
                                              .create = ValidateLimitRange,
                                              .update = ValidateLimitRangeUpdate};

}  // namespace skiff::apiserver
