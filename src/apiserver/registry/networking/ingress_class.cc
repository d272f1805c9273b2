#include "apiserver/registry/networking/rules.h"
#include "apiserver/validation/common.h"
#include "views/networking.k8s.io/v1.h"

namespace skiff {
namespace {

namespace networking = views::networking_k8s_io_v1;

constexpr size_t kMaxControllerBytes = 250;
constexpr NameFormat kPathSegment{IsPathSegmentName, CheckPathSegmentName};
constexpr NameFormat kControllerFormat{IsDomainPrefixedPath, CheckDomainPrefixedPath};

void ValidateParameters(const networking::IngressClassParametersReference& parameters,
                        FieldErrors& errors) {
  if (parameters.api_group()) {
    ValidateFormat(kDnsSubdomainFormat, *parameters.api_group(), "apiGroup", errors);
  }
  ValidateRequiredFormat(kPathSegment, parameters.kind(), "kind", errors);
  ValidateRequiredFormat(kPathSegment, parameters.name(), "name", errors);
  if (!parameters.scope()) return errors.Required("scope");
  if (*parameters.scope() == "Namespace") {
    if (!parameters.namespace_()) {
      errors.Required("namespace", "`parameters.scope` is set to 'Namespace'");
    } else {
      ValidateFormat(kDnsLabelFormat, *parameters.namespace_(), "namespace", errors);
    }
  } else if (*parameters.scope() == "Cluster") {
    if (parameters.namespace_()) {
      errors.Forbidden("namespace", "`parameters.scope` is set to 'Cluster'");
    }
  } else {
    errors.NotSupported("scope", *parameters.scope(), {"Namespace", "Cluster"});
  }
}

void ValidateIngressClass(const Document& object, FieldErrors& errors) {
  const networking::IngressClassSpec spec = networking::IngressClass(object).spec();
  const auto at = errors.At("spec");
  if (spec.controller().size() > kMaxControllerBytes) {
    errors.TooLong("controller", kMaxControllerBytes);
  }
  ValidateRequiredFormat(kControllerFormat, spec.controller(), "controller", errors);
  if (!spec.has_parameters()) return;
  const auto parameters = errors.At("parameters");
  ValidateParameters(spec.parameters(), errors);
}

void ValidateIngressClassUpdate(const Document& object, const Document& old, FieldErrors& errors) {
  ValidateImmutable(networking::IngressClass(old).spec().controller(),
                    networking::IngressClass(object).spec().controller(), "spec.controller",
                    errors);
  ValidateIngressClass(object, errors);
}

}  // namespace

constinit const KindRules kIngressClassRules = {.group = "networking.k8s.io",
                                                .kind = "IngressClass",
                                                .create = ValidateIngressClass,
                                                .update = ValidateIngressClassUpdate};

}  // namespace skiff
