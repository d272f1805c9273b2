#include "apiserver/registry/admissionregistration/webhook_configuration.h"

#include <algorithm>
#include <set>
#include <string>

#include "apiserver/registry/admissionregistration/match_rules.h"
#include "apiserver/registry/admissionregistration/static_names.h"
#include "apiserver/validation/common.h"
#include "apiserver/validation/webhook_client.h"

namespace skiff::apiserver {
namespace {

constexpr int64_t kMinTimeoutSeconds = 1;
constexpr int64_t kMaxTimeoutSeconds = 30;
constexpr int64_t kDefaultPort = 443;

// Rules that came late, and do not hold for what was stored before.
struct Options {
  bool check_match_conditions = true;
  bool require_no_side_effects = true;
  bool require_known_review_version = true;
  bool require_unique_names = true;
  bool allow_invalid_label_values = false;
};

bool IsWithoutSideEffects(const object::Value* hook) {
  const std::string_view effects = TextOf(hook, "sideEffects");
  return effects == "None" || effects == "NoneOnDryRun";
}

bool HasKnownReviewVersion(const object::Value* hook) {
  const auto versions = TextsOf(hook, "admissionReviewVersions");
  return std::any_of(versions.begin(), versions.end(), [](std::string_view version) {
    return version == "v1" || version == "v1beta1";
  });
}

void ValidateHookName(std::string_view name, FieldErrors& errors) {
  if (name.empty()) return errors.Required("name");
  if (!object::IsDns1123Subdomain(name)) {
    return errors.Invalid("name", name, object::CheckDns1123Subdomain(name).front());
  }
  if (std::ranges::count(name, '.') < 2) {
    errors.Invalid("name", name,
                   "should be a domain with at least three segments separated by dots");
  }
}

void ValidateClient(const object::Value* hook, FieldErrors& errors) {
  const object::Value* config = FieldOf(hook, "clientConfig");
  const object::Value* url = FieldOf(config, "url");
  const object::Value* service = FieldOf(config, "service");
  if ((url == nullptr) == (service == nullptr)) {
    return errors.Required("clientConfig", "exactly one of url or service is required");
  }
  if (url != nullptr) return ValidateWebhookUrl(url->AsText(), "clientConfig.url", errors);
  const auto at = errors.At("clientConfig.service");
  const object::Value* path = FieldOf(service, "path");
  const object::Value* port = FieldOf(service, "port");
  ValidateWebhookService(
      {.name_space = TextOf(service, "namespace"),
       .name = TextOf(service, "name"),
       .path = path != nullptr ? std::optional(path->AsText()) : std::nullopt,
       .port = static_cast<int32_t>(port != nullptr ? port->AsInt() : kDefaultPort)},
      errors);
}

void ValidateSideEffects(const object::Value* hook, bool require_none, FieldErrors& errors) {
  if (FieldOf(hook, "sideEffects") == nullptr) {
    errors.Required("sideEffects", require_none
                                       ? "must specify one of None, NoneOnDryRun"
                                       : "must specify one of None, NoneOnDryRun, Some, Unknown");
  } else if (require_none) {
    ValidateOneOf(TextOf(hook, "sideEffects"), {"None", "NoneOnDryRun"}, "sideEffects", errors);
  } else {
    ValidateOneOf(TextOf(hook, "sideEffects"), {"None", "NoneOnDryRun", "Some", "Unknown"},
                  "sideEffects", errors);
  }
}

void ValidateHook(const object::Value* hook, const Options& options, FieldErrors& errors) {
  ValidateHookName(TextOf(hook, "name"), errors);
  const auto rules = ItemsOf(hook, "rules");
  for (size_t i = 0; i < rules.size(); ++i) {
    const auto at = errors.At("rules", i);
    ValidateRule(rules[i], errors);
  }
  const auto one_of = [&](std::string_view field,
                          std::initializer_list<std::string_view> supported) {
    if (FieldOf(hook, field) != nullptr)
      ValidateOneOf(TextOf(hook, field), supported, field, errors);
  };
  one_of("failurePolicy", {"Fail", "Ignore"});
  one_of("matchPolicy", {"Equivalent", "Exact"});
  ValidateSideEffects(hook, options.require_no_side_effects, errors);
  if (const object::Value* timeout = FieldOf(hook, "timeoutSeconds")) {
    if (timeout->AsInt() < kMinTimeoutSeconds || timeout->AsInt() > kMaxTimeoutSeconds) {
      errors.Invalid("timeoutSeconds", timeout->AsInt(),
                     "the timeout value must be between 1 and 30 seconds");
    }
  }
  ValidateSelector(hook, "namespaceSelector", options.allow_invalid_label_values, errors);
  ValidateSelector(hook, "objectSelector", options.allow_invalid_label_values, errors);
  one_of("reinvocationPolicy", {"IfNeeded", "Never"});
  ValidateClient(hook, errors);
  if (options.check_match_conditions) ValidateMatchConditions(hook, /*has_params=*/false, errors);
}

void ValidateReviewVersions(const object::Value* hook, bool require_known, FieldErrors& errors) {
  constexpr std::string_view kField = "admissionReviewVersions";
  const auto versions = TextsOf(hook, kField);
  if (versions.empty()) return errors.Required(kField, "must specify one of v1, v1beta1");
  std::set<std::string_view> seen;
  for (size_t i = 0; i < versions.size(); ++i) {
    const auto at = errors.At(kField, i);
    if (!seen.insert(versions[i]).second) {
      errors.Invalid("", versions[i], "duplicate version");
      continue;
    }
    ValidateFormat(kDns1035LabelFormat, versions[i], "", errors);
  }
  if (require_known && !HasKnownReviewVersion(hook)) {
    errors.Invalid(kField, FieldOf(hook, kField), "must include at least one of v1, v1beta1");
  }
}

void ValidateHooks(const object::Document& object, const Options& options, FieldErrors& errors) {
  const auto hooks = ItemsOf(&object.root(), "webhooks");
  std::set<std::string_view> names;
  for (size_t i = 0; i < hooks.size(); ++i) {
    const auto at = errors.At("webhooks", i);
    ValidateHook(hooks[i], options, errors);
    ValidateReviewVersions(hooks[i], options.require_known_review_version, errors);
    const std::string_view name = TextOf(hooks[i], "name");
    if (options.require_unique_names && !name.empty() && !names.insert(name).second) {
      errors.Duplicate("name", name);
    }
  }
}

void ValidateCreate(const object::Document& object, FieldErrors& errors) {
  ValidateHooks(object, {}, errors);
  ValidateStaticName(object, errors);
}

bool HasSameMatchConditions(const object::Document& object, const object::Document& old) {
  const auto hooks = ItemsOf(&object.root(), "webhooks");
  const auto before = ItemsOf(&old.root(), "webhooks");
  if (hooks.size() != before.size()) return false;
  for (size_t i = 0; i < hooks.size(); ++i) {
    if (!SameValue(FieldOf(before[i], "matchConditions"), FieldOf(hooks[i], "matchConditions"))) {
      return false;
    }
  }
  return true;
}

Options OptionsForUpdate(const object::Document& object, const object::Document& old) {
  Options options;
  options.check_match_conditions = !HasSameMatchConditions(object, old);
  std::set<std::string_view> names;
  FieldErrors faults_of_selectors(kDefaultSettings);
  for (const object::Value* hook : ItemsOf(&old.root(), "webhooks")) {
    if (!IsWithoutSideEffects(hook)) options.require_no_side_effects = false;
    if (!HasKnownReviewVersion(hook) && !TextsOf(hook, "admissionReviewVersions").empty()) {
      options.require_known_review_version = false;
    }
    if (!names.insert(TextOf(hook, "name")).second) options.require_unique_names = false;
    ValidateSelector(hook, "namespaceSelector", false, faults_of_selectors);
    ValidateSelector(hook, "objectSelector", false, faults_of_selectors);
  }
  options.allow_invalid_label_values = !faults_of_selectors.empty();
  return options;
}

void ValidateUpdate(const object::Document& object, const object::Document& old,
                    FieldErrors& errors) {
  ValidateHooks(object, OptionsForUpdate(object, old), errors);
}

}  // namespace

const KindRules kValidatingWebhookConfigurationRules = {.group = "admissionregistration.k8s.io",
                                                        .kind = "ValidatingWebhookConfiguration",
                                                        .create = ValidateCreate,
                                                        .update = ValidateUpdate,
                                                        .warn = WarnAboutStaticName};
const KindRules kMutatingWebhookConfigurationRules = {.group = "admissionregistration.k8s.io",
                                                      .kind = "MutatingWebhookConfiguration",
                                                      .create = ValidateCreate,
                                                      .update = ValidateUpdate,
                                                      .warn = WarnAboutStaticName};

}  // namespace skiff::apiserver
