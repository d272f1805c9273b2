#include "apiserver/registry/apiextensions/conversion_rules.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string>

#include "apiserver/validation/common.h"
#include "apiserver/validation/value_fields.h"
#include "apiserver/validation/webhook_client.h"

namespace skiff::apiserver {
namespace {

constexpr int64_t kDefaultPort = 443;

bool IsKnown(std::string_view version) { return version == "v1" || version == "v1beta1"; }

void ValidateReviewVersions(const object::Value* conversion, bool require_known,
                            FieldErrors& errors) {
  constexpr std::string_view kField = "conversionReviewVersions";
  const auto versions = TextsOf(conversion, kField);
  if (versions.empty()) return errors.Required(kField);
  std::set<std::string_view> seen;
  for (size_t i = 0; i < versions.size(); ++i) {
    const auto at = errors.At(kField, i);
    if (!seen.insert(versions[i]).second) {
      errors.Invalid("", versions[i], "duplicate version");
      continue;
    }
    ValidateFormat(kDns1035LabelFormat, versions[i], "", errors);
  }
  if (require_known && std::none_of(versions.begin(), versions.end(), IsKnown)) {
    errors.Invalid(kField, FieldOf(conversion, kField), "must include at least one of v1, v1beta1");
  }
}

void ValidateClient(const object::Value* config, FieldErrors& errors) {
  constexpr std::string_view kField = "webhookClientConfig";
  if (config == nullptr) return errors.Required(kField, "required when strategy is set to Webhook");
  const object::Value* url = FieldOf(config, "url");
  const object::Value* service = FieldOf(config, "service");
  if ((url == nullptr) == (service == nullptr)) {
    return errors.Required(kField, "exactly one of url or service is required");
  }
  const auto at = errors.At(kField);
  if (url != nullptr) return ValidateWebhookUrl(url->AsText(), "url", errors);
  const auto at_service = errors.At("service");
  const object::Value* path = FieldOf(service, "path");
  const object::Value* port = FieldOf(service, "port");
  ValidateWebhookService(
      {.name_space = TextOf(service, "namespace"),
       .name = TextOf(service, "name"),
       .path = path != nullptr ? std::optional(path->AsText()) : std::nullopt,
       .port = static_cast<int32_t>(port != nullptr ? port->AsInt() : kDefaultPort)},
      errors);
}

}  // namespace

void ValidateConversion(const object::Value* spec, bool preserves_unknown_fields,
                        bool require_known_review_version, FieldErrors& errors) {
  const object::Value* conversion = FieldOf(spec, "conversion");
  if (conversion == nullptr) return;
  const auto at = errors.At("conversion");
  const std::string_view strategy = TextOf(conversion, "strategy");
  if (strategy != "None" && preserves_unknown_fields) {
    errors.Invalid("strategy", strategy, "must be None if spec.preserveUnknownFields is true");
  }
  if (strategy.empty()) {
    errors.Required("strategy");
  } else {
    ValidateOneOf(strategy, {"None", "Webhook"}, "strategy", errors);
  }
  const object::Value* client = FieldOf(conversion, "webhookClientConfig");
  if (strategy == "Webhook") {
    ValidateClient(client, errors);
    return ValidateReviewVersions(conversion, require_known_review_version, errors);
  }
  constexpr std::string_view kWhy = "should not be set when strategy is not set to Webhook";
  if (client != nullptr) errors.Forbidden("webhookClientConfig", kWhy);
  if (!TextsOf(conversion, "conversionReviewVersions").empty()) {
    errors.Forbidden("conversionReviewVersions", kWhy);
  }
}

bool HasKnownReviewVersionOrNone(const object::Value* spec) {
  const auto versions = TextsOf(FieldOf(spec, "conversion"), "conversionReviewVersions");
  return versions.empty() || std::any_of(versions.begin(), versions.end(), IsKnown);
}

}  // namespace skiff::apiserver
