#include "apiserver/admission/resource_quota_config.h"

#include "apiserver/rest/errors.h"
#include "apiserver/validation/field_errors.h"
#include "object/json/decode.h"
#include "views/resourcequota-admission/v1.h"

namespace skiff::apiserver {

namespace config = views::resourcequota_admission_v1;

Result<std::vector<LimitedResource>> ParseLimitedResources(std::string_view json) {
  std::vector<LimitedResource> out;
  if (json.empty()) return out;
  std::vector<object::FieldIssue> issues;
  SKIFF_ASSIGN_OR_RETURN(
      const object::Document document,
      object::DecodeJson(json, config::Configuration::Type(), {.issues = &issues}));
  // The kind was called Configuration in the group that it came from.
  const bool known = (document.api_version() == "apiserver.config.k8s.io/v1" &&
                      document.kind() == "ResourceQuotaConfiguration") ||
                     (document.api_version().starts_with("resourcequota.admission.k8s.io/v1") &&
                      document.kind() == "Configuration");
  if (!known) {
    return BadRequest("expected ResourceQuotaConfiguration of apiserver.config.k8s.io/v1, not " +
                      std::string(document.kind()) + " of " + std::string(document.api_version()));
  }
  if (!issues.empty()) return BadRequest("ResourceQuotaConfiguration: " + issues[0].ToString());
  FieldErrors errors(kDefaultSettings);
  const config::Configuration read(document);
  const auto limited = read.limited_resources();
  for (size_t i = 0; i < limited.size(); ++i) {
    const auto at = errors.At("limitedResources", i);
    if (limited[i].resource().empty()) errors.Required("resource");
    LimitedResource& each = out.emplace_back();
    each.group = std::string(limited[i].api_group());
    each.resource = std::string(limited[i].resource());
    for (const std::string_view text : limited[i].match_contains()) {
      each.match_contains.emplace_back(text);
    }
    for (const auto scope : limited[i].match_scopes()) each.match_scopes.emplace_back(scope);
  }
  if (!errors.empty()) {
    return std::unexpected(
        Invalid("ResourceQuotaConfiguration", "apiserver.config.k8s.io", "", errors.Take()));
  }
  return out;
}

}  // namespace skiff::apiserver
