#include "apiserver/registry/networking/ingress_class.h"

#include <string>

#include "apiserver/validation/common.h"
#include "views/networking.k8s.io/v1.h"

namespace skiff::apiserver {
namespace {

namespace networking = views::networking_k8s_io_v1;

constexpr size_t kMaxControllerBytes = 250;
constexpr NameFormat kPathSegment{object::IsPathSegmentName, object::CheckPathSegmentName};

// "acme.io/foo". A fault is of the part before the slash or of that behind it.
void ValidateController(std::string_view controller, FieldErrors& errors) {
  constexpr std::string_view kField = "controller";
  if (controller.empty()) return errors.Required(kField);
  if (object::IsDomainPrefixedPath(controller)) return;
  const size_t slash = controller.find('/');
  if (slash == std::string_view::npos || slash == 0 || slash + 1 == controller.size()) {
    return errors.Invalid(kField, controller, object::CheckDomainPrefixedPath(controller));
  }
  const std::string_view host = controller.substr(0, slash);
  ValidateFormat(kDnsSubdomainFormat, host, kField, errors);
  const std::string path = "a" + std::string(controller.substr(slash));
  errors.Invalid(kField, controller.substr(slash + 1), object::CheckDomainPrefixedPath(path));
}

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
    errors.NotSupported("scope", *parameters.scope(), {"Cluster", "Namespace"});
  }
}

void ValidateIngressClass(const object::Document& object, FieldErrors& errors) {
  const networking::IngressClassSpec spec = networking::IngressClass(object).spec();
  const auto at = errors.At("spec");
  if (spec.controller().size() > kMaxControllerBytes) {
    errors.TooLong("controller", kMaxControllerBytes);
  }
  ValidateController(spec.controller(), errors);
  if (!spec.has_parameters()) return;
  const auto parameters = errors.At("parameters");
  ValidateParameters(spec.parameters(), errors);
}

void ValidateIngressClassUpdate(const object::Document& object, const object::Document& old,
                                FieldErrors& errors) {
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

}  // namespace skiff::apiserver
