#include "serving/auth/forbidden.h"

#include "base/go_quoted.h"
#include "base/html.h"

namespace skiff::serving {
namespace {

std::string WhatIsForbidden(const AccessAttributes& attributes) {
  std::string out = "User ";
  out += GoQuoted(attributes.user != nullptr ? attributes.user->name : "");
  out.append(" cannot ").append(attributes.verb);
  if (!attributes.is_resource) return out + " path " + GoQuoted(attributes.path);
  std::string resource(attributes.resource);
  if (!attributes.subresource.empty()) resource.append("/").append(attributes.subresource);
  out += " resource " + GoQuoted(resource) + " in API group " + GoQuoted(attributes.group);
  if (attributes.name_space.empty()) return out + " at the cluster scope";
  return out + " in the namespace " + GoQuoted(attributes.name_space);
}

}  // namespace

Status ForbiddenStatus(const AccessAttributes& attributes, std::string_view reason) {
  std::string why = EscapeHtml(WhatIsForbidden(attributes), /*quotes=*/false);
  if (!reason.empty()) why.append(": ").append(reason);
  return object::ForbiddenObject(attributes.group, attributes.resource, attributes.name, why);
}

}  // namespace skiff::serving
