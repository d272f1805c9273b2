#include "apiserver/registry/networking/ingress.h"

#include <algorithm>
#include <string>
#include <vector>

#include "apiserver/validation/addresses.h"
#include "apiserver/validation/common.h"
#include "apiserver/validation/members.h"
#include "apiserver/validation/seen_names.h"
#include "views/networking.k8s.io/v1.h"

namespace skiff::apiserver {
namespace {

namespace networking = views::networking_k8s_io_v1;

constexpr std::string_view kClassAnnotation = "kubernetes.io/ingress.class";
constexpr std::string_view kIsAddress = "must be a DNS name, not an IP address";
constexpr NameFormat kPathSegment{object::IsPathSegmentName, object::CheckPathSegmentName};
constexpr NameFormat kWildcardFormat{object::IsWildcardDns1123Subdomain,
                                     object::CheckWildcardDns1123Subdomain};

// What an update may keep although it would be refused in a new Ingress.
struct Tolerated {
  bool secret_names = false;
  bool paths_of_wildcards = false;
};

bool HasWildcard(std::string_view host) { return host.find('*') != std::string_view::npos; }

void ValidateHost(std::string_view host, std::string_view field, FieldErrors& errors) {
  ValidateFormat(HasWildcard(host) ? kWildcardFormat : kDnsSubdomainFormat, host, field, errors);
}

void ValidateServiceBackend(const networking::IngressBackend& backend, FieldErrors& errors) {
  const networking::IngressServiceBackend service = backend.service();
  ValidateRequiredFormat(kDnsLabelFormat, service.name(), "service.name", errors);
  const std::string_view name = service.port().name();
  const int32_t number = service.port().number();
  if (!name.empty() && number != 0) {
    errors.Invalid("", "", "cannot set both port name & port number");
  } else if (!name.empty()) {
    ValidateFormat(kPortNameFormat, name, "service.port.name", errors);
  } else if (number != 0) {
    ValidatePortNumber(number, "service.port.number", errors);
  } else {
    errors.Required("", "port name or number is required");
  }
}

void ValidateBackend(const networking::IngressBackend& backend, FieldErrors& errors) {
  if (backend.has_resource() && backend.has_service()) {
    errors.Invalid("", "", "cannot set both resource and service backends");
  } else if (backend.has_resource()) {
    const auto at = errors.At("resource");
    const auto resource = backend.resource();
    if (resource.api_group()) {
      ValidateFormat(kDnsSubdomainFormat, *resource.api_group(), "apiGroup", errors);
    }
    ValidateRequiredFormat(kPathSegment, resource.kind(), "kind", errors);
    ValidateRequiredFormat(kPathSegment, resource.name(), "name", errors);
  } else if (backend.has_service()) {
    ValidateServiceBackend(backend, errors);
  } else {
    errors.Invalid("", "", "resource or service backend is required");
  }
}

void ValidateHttpPath(const networking::HTTPIngressPath& path, FieldErrors& errors) {
  const std::optional<std::string_view> type = path.path_type();
  if (!type) return errors.Required("pathType", "pathType must be specified");
  const std::string_view text = path.path();
  if (*type == "Exact" || *type == "Prefix") {
    if (!text.starts_with('/')) errors.Invalid("path", text, "must be an absolute path");
    for (const std::string_view part : {"//", "/./", "/../", "%2f", "%2F"}) {
      if (text.find(part) == std::string_view::npos) continue;
      errors.Invalid("path", text, "must not contain '" + std::string(part) + "'");
    }
    for (const std::string_view end : {"/..", "/."}) {
      if (text.ends_with(end)) {
        errors.Invalid("path", text, "cannot end with '" + std::string(end) + "'");
      }
    }
  } else if (*type == "ImplementationSpecific") {
    if (!text.empty() && !text.starts_with('/')) {
      errors.Invalid("path", text, "must be an absolute path");
    }
  } else {
    errors.NotSupported("pathType", *type, {"Exact", "ImplementationSpecific", "Prefix"});
  }
  const auto at = errors.At("backend");
  ValidateBackend(path.backend(), errors);
}

void ValidatePaths(const networking::IngressRule& rule, FieldErrors& errors) {
  if (!rule.has_http()) return;
  const auto http = errors.At("http");
  const auto paths = rule.http().paths();
  if (paths.empty()) errors.Required("paths");
  for (size_t i = 0; i < paths.size(); ++i) {
    const auto at = errors.At("paths", i);
    ValidateHttpPath(paths[i], errors);
  }
}

void ValidateRule(const networking::IngressRule& rule, const Tolerated& tolerated,
                  FieldErrors& errors) {
  if (!rule.host().empty()) {
    if (ReadIp(rule.host())) errors.Invalid("host", rule.host(), kIsAddress);
    ValidateHost(rule.host(), "host", errors);
  }
  if (!HasWildcard(rule.host()) || !tolerated.paths_of_wildcards) ValidatePaths(rule, errors);
}

void ValidateTls(const networking::IngressTLS& tls, const Tolerated& tolerated,
                 FieldErrors& errors) {
  for (size_t i = 0; i < tls.hosts().size(); ++i) {
    const auto at = errors.At("hosts", i);
    ValidateHost(tls.hosts()[i], "", errors);
  }
  if (!tolerated.secret_names && !tls.secret_name().empty()) {
    ValidateFormat(kDnsSubdomainFormat, tls.secret_name(), "secretName", errors);
  }
}

void ValidateSpec(const networking::IngressSpec& spec, const Tolerated& tolerated,
                  FieldErrors& errors) {
  if (spec.rules().empty() && !spec.has_default_backend()) {
    errors.Invalid("", ShownNull(), "either `defaultBackend` or `rules` must be specified");
  }
  if (spec.has_default_backend()) {
    const auto at = errors.At("defaultBackend");
    ValidateBackend(spec.default_backend(), errors);
  }
  for (size_t i = 0; i < spec.rules().size(); ++i) {
    const auto at = errors.At("rules", i);
    ValidateRule(spec.rules()[i], tolerated, errors);
  }
  for (size_t i = 0; i < spec.tls().size(); ++i) {
    const auto at = errors.At("tls", i);
    ValidateTls(spec.tls()[i], tolerated, errors);
  }
  if (spec.ingress_class_name()) {
    ValidateFormat(kDnsSubdomainFormat, *spec.ingress_class_name(), "ingressClassName", errors);
  }
}

void ValidateIngress(const object::Document& object, FieldErrors& errors) {
  const networking::Ingress ingress(object);
  {
    const auto at = errors.At("spec");
    ValidateSpec(ingress.spec(), {}, errors);
  }
  const std::optional<std::string_view> annotated =
      ingress.metadata().annotations().Find(kClassAnnotation);
  const std::optional<std::string_view> named = ingress.spec().ingress_class_name();
  if (annotated && named && *annotated != *named) {
    const auto at = errors.At("annotations");
    errors.Invalid(kClassAnnotation, *annotated,
                   "must match `ingressClassName` when both are specified");
  }
}

Tolerated ToleratedIn(const networking::IngressSpec& old) {
  Tolerated out;
  for (const networking::IngressTLS tls : old.tls()) {
    out.secret_names |=
        !tls.secret_name().empty() && !object::IsDns1123Subdomain(tls.secret_name());
  }
  for (const networking::IngressRule rule : old.rules()) {
    if (!HasWildcard(rule.host())) continue;
    FieldErrors faults(kDefaultSettings);
    ValidatePaths(rule, faults);
    out.paths_of_wildcards |= !faults.empty();
  }
  return out;
}

void ValidateIngressUpdate(const object::Document& object, const object::Document& old,
                           FieldErrors& errors) {
  const auto at = errors.At("spec");
  ValidateSpec(networking::Ingress(object).spec(), ToleratedIn(networking::Ingress(old).spec()),
               errors);
}

void ValidateIngressStatus(const object::Document& object, const object::Document& old,
                           FieldErrors& errors) {
  SeenNames known;
  for (const auto& point : networking::Ingress(old).status().load_balancer().ingress()) {
    if (!point.ip().empty()) known.Add(point.ip());
  }
  const auto status = errors.At("status");
  const auto balancer = errors.At("loadBalancer");
  const auto points = networking::Ingress(object).status().load_balancer().ingress();
  for (size_t i = 0; i < points.size(); ++i) {
    const auto at = errors.At("ingress", i);
    const std::string_view ip = points[i].ip();
    if (!ip.empty() && !known.Has(ip)) CheckOldIp(ip, "ip", errors);
    const std::string_view host = points[i].hostname();
    if (host.empty()) continue;
    ValidateFormat(kDnsSubdomainFormat, host, "hostname", errors);
    if (ReadIp(host)) errors.Invalid("hostname", host, kIsAddress);
  }
}

void WarnAboutIngress(const object::Document& object, const object::Document* old,
                      const KindSettings&, std::vector<std::string>& warnings) {
  const networking::Ingress ingress(object);
  if (old != nullptr || ingress.spec().ingress_class_name()) return;
  if (ingress.metadata().annotations().Contains(kClassAnnotation)) {
    warnings.push_back("annotation \"" + std::string(kClassAnnotation) +
                       "\" is deprecated, please use 'spec.ingressClassName' instead");
  }
}

}  // namespace

constinit const KindRules kIngressRules = {.group = "networking.k8s.io",
                                           .kind = "Ingress",
                                           .create = ValidateIngress,
                                           .update = ValidateIngressUpdate,
                                           .status = ValidateIngressStatus,
                                           .warn = WarnAboutIngress};

}  // namespace skiff::apiserver
