// What a request asks the authorizer for.
#pragma once

#include <vector>

#include "object/selector/field_selector.h"
#include "serving/auth/authorizer.h"
#include "serving/request/api_request.h"

namespace skiff::serving {

// Points into the request.
inline AccessAttributes AttributesOf(const ApiRequest& request) {
  const RequestInfo& info = request.info;
  return AccessAttributes{.user = &request.user,
                          .verb = info.verb,
                          .is_resource = info.is_resource,
                          .group = info.group,
                          .version = info.version,
                          .resource = info.resource,
                          .subresource = info.subresource,
                          .name_space = info.name_space,
                          .name = info.name,
                          .path = info.path};
}

// What the field selector of a request for many comes to; nothing if it is none, or cannot be read.
// Paths of the old form have no selectors that could be relied on.
inline std::vector<SelectedBy> FieldRequirementsOf(const ApiRequest& request) {
  const RequestInfo& info = request.info;
  const std::string_view text = request.query.Get("fieldSelector");
  const bool is_for_many =
      info.verb == "list" || info.verb == "deletecollection" ||
      (info.verb == "watch" && request.http.path.find("/watch/") == std::string::npos);
  if (text.empty() || !info.is_resource || !is_for_many) return {};
  const Result<object::FieldSelector> selector = object::FieldSelector::Parse(text);
  std::vector<SelectedBy> out;
  if (!selector) return out;
  for (const object::FieldTerm& term : selector->terms()) {
    out.push_back({.key = term.field, .op = term.negated ? "!=" : "=", .values = {term.value}});
  }
  return out;
}

}  // namespace skiff::serving
