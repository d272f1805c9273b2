#include "apiserver/registry/apiregistration/api_service.h"

#include <string>

#include "apiserver/validation/common.h"
#include "views/apiregistration.k8s.io/v1.h"

namespace skiff::apiserver {
namespace {

namespace registration = views::apiregistration_k8s_io_v1;

constexpr int32_t kMaxGroupPriority = 20'000;
constexpr int32_t kMaxVersionPriority = 1'000;

void ValidateName(const registration::APIService& service, FieldErrors& errors) {
  const std::string_view name = service.metadata().name();
  if (!object::IsPathSegmentName(name)) {
    return errors.Invalid("metadata.name", name, object::CheckPathSegmentName(name));
  }
  const std::string wanted =
      std::string(service.spec().version()) + "." + std::string(service.spec().group());
  if (name == wanted) return;
  errors.Invalid("metadata.name", name,
                 "must be `spec.version+\".\"+spec.group`: \"" + wanted + "\"");
}

void ValidateBackend(const registration::APIServiceSpec& spec, FieldErrors& errors) {
  if (!spec.has_service()) {
    if (!spec.ca_bundle().empty()) {
      errors.Invalid("caBundle", std::to_string(spec.ca_bundle().size()) + " bytes",
                     "local APIServices may not have a caBundle");
    }
    if (spec.insecure_skip_tls_verify()) {
      errors.Invalid("insecureSkipTLSVerify", true,
                     "local APIServices may not have insecureSkipTLSVerify");
    }
    return;
  }
  ValidateRequired(spec.service().namespace_(), "service.namespace", errors);
  ValidateRequired(spec.service().name(), "service.name", errors);
  const int32_t port = spec.service().port().value_or(0);
  if (port < 1 || port > 65535) {
    errors.Invalid("service.port", port,
                   "port is not valid: must be between 1 and 65535, inclusive");
  }
  if (spec.insecure_skip_tls_verify() && !spec.ca_bundle().empty()) {
    errors.Invalid("insecureSkipTLSVerify", true, "may not be true if caBundle is present");
  }
}

void ValidateCreate(const object::Document& object, FieldErrors& errors) {
  const registration::APIService service(object);
  ValidateName(service, errors);
  const registration::APIServiceSpec spec = service.spec();
  const auto at = errors.At("spec");
  if (spec.group().empty() && spec.version() != "v1") {
    errors.Required("group", "only v1 may have an empty group and it better be legacy kube");
  }
  if (!spec.group().empty()) ValidateFormat(kDnsSubdomainFormat, spec.group(), "group", errors);
  ValidateFormat(kDns1035LabelFormat, spec.version(), "version", errors);
  const int32_t group_priority = spec.group_priority_minimum();
  if (group_priority <= 0 || group_priority > kMaxGroupPriority) {
    errors.Invalid("groupPriorityMinimum", group_priority, "must be positive and less than 20000");
  }
  const int32_t version_priority = spec.version_priority();
  if (version_priority <= 0 || version_priority > kMaxVersionPriority) {
    errors.Invalid("versionPriority", version_priority, "must be positive and less than 1000");
  }
  ValidateBackend(spec, errors);
}

void ValidateUpdate(const object::Document& object, const object::Document&, FieldErrors& errors) {
  ValidateCreate(object, errors);
}

void ValidateStatus(const object::Document& object, const object::Document&, FieldErrors& errors) {
  const auto conditions = registration::APIService(object).status().conditions();
  for (size_t i = 0; i < conditions.size(); ++i) {
    const auto at = errors.At("status.conditions", i);
    ValidateOneOf(conditions[i].status(), {"True", "False", "Unknown"}, "status", errors);
  }
}

}  // namespace

const KindRules kAPIServiceRules = {.group = "apiregistration.k8s.io",
                                    .kind = "APIService",
                                    .create = ValidateCreate,
                                    .update = ValidateUpdate,
                                    .status = ValidateStatus};

}  // namespace skiff::apiserver
