#include "apiserver/admission/pod_security_config.h"

#include <vector>

#include "apiserver/rest/errors.h"
#include "apiserver/validation/field_errors.h"
#include "object/json/decode.h"
#include "object/scalar/names.h"
#include "views/pod-security.admission.config.k8s.io/v1.h"

namespace skiff::apiserver {
namespace {

namespace config = views::pod_security_admission_config_k8s_io_v1;
using pod_security::LevelVersion;

constexpr std::string_view kGroup = "pod-security.admission.config.k8s.io";

void TakeMode(std::string_view mode, std::string_view version_field, std::string_view level,
              std::string_view version, LevelVersion& out, FieldErrors& errors) {
  if (!level.empty()) {
    const auto parsed = pod_security::ParseLevel(level);
    if (!parsed) errors.Invalid(mode, level, pod_security::kLevelProblem);
    out.level = parsed.value_or(out.level);
  }
  if (!version.empty()) {
    const auto parsed = pod_security::ParseVersion(version);
    if (!parsed) errors.Invalid(version_field, version, pod_security::kVersionProblem);
    out.version = parsed.value_or(out.version);
  }
}

void TakeNames(std::string_view field, const object::ListView<std::string_view>& names,
               object::NameProblems (*check)(std::string_view), PodSecurityConfig::Names& out,
               FieldErrors& errors) {
  for (size_t i = 0; i < names.size(); ++i) {
    const auto item = errors.At(field, i);
    if (const object::NameProblems problems = check(names[i]); !problems.empty()) {
      errors.Invalid("", names[i], problems);
    } else if (!out.emplace(names[i]).second) {
      errors.Duplicate("", names[i]);
    }
  }
}

object::NameProblems CheckUser(std::string_view name) {
  if (name.empty()) return {"username must not be empty"};
  return {};
}

bool IsKnownVersion(std::string_view api_version) {
  for (const std::string_view version : {"/v1", "/v1beta1", "/v1alpha1"}) {
    if (api_version == std::string(kGroup) + std::string(version)) return true;
  }
  return false;
}

}  // namespace

Result<PodSecurityConfig> PodSecurityConfig::Parse(std::string_view json) {
  PodSecurityConfig out;
  if (json.empty()) return out;
  std::vector<object::FieldIssue> issues;
  SKIFF_ASSIGN_OR_RETURN(
      const object::Document document,
      object::DecodeJson(json, config::PodSecurityConfiguration::Type(), {.issues = &issues}));
  if (!IsKnownVersion(document.api_version()) || document.kind() != "PodSecurityConfiguration") {
    return BadRequest("expected PodSecurityConfiguration of " + std::string(kGroup) + "/v1, not " +
                      std::string(document.kind()) + " of " + std::string(document.api_version()));
  }
  if (!issues.empty()) return BadRequest("PodSecurityConfiguration: " + issues[0].ToString());
  const config::PodSecurityConfiguration read(document);
  FieldErrors errors(kDefaultSettings);
  {
    const auto at = errors.At("defaults");
    const config::PodSecurityDefaults defaults = read.defaults();
    TakeMode("enforce", "enforce-version", defaults.enforce(), defaults.enforce_version(),
             out.defaults.enforce, errors);
    TakeMode("warn", "warn-version", defaults.warn(), defaults.warn_version(), out.defaults.warn,
             errors);
    TakeMode("audit", "audit-version", defaults.audit(), defaults.audit_version(),
             out.defaults.audit, errors);
  }
  {
    const auto at = errors.At("exemptions");
    const config::PodSecurityExemptions exemptions = read.exemptions();
    TakeNames("namespaces", exemptions.namespaces(), object::CheckDns1123Label, out.namespaces,
              errors);
    TakeNames("runtimeClasses", exemptions.runtime_classes(), object::CheckDns1123Subdomain,
              out.runtime_classes, errors);
    TakeNames("usernames", exemptions.usernames(), CheckUser, out.users, errors);
  }
  if (!errors.empty()) {
    return std::unexpected(Invalid("PodSecurityConfiguration", kGroup, "", errors.Take()));
  }
  return out;
}

}  // namespace skiff::apiserver
