#include "apiserver/rest/list_options.h"

#include <utility>

#include "base/strings.h"

namespace skiff {
namespace {

// A watch or list of a single object by its URL is a selection of its name.
Result<void> AddSelectors(const ApiRequest& request, const Endpoint& endpoint, ListOptions& out) {
  SKIFF_ASSIGN_OR_RETURN(out.selection.labels,
                         LabelSelector::Parse(request.query.Get("labelSelector")));
  SKIFF_ASSIGN_OR_RETURN(out.selection.fields,
                         FieldSelector::Parse(request.query.Get("fieldSelector")));
  for (const FieldTerm& term : out.selection.fields.terms()) {
    if (term.field == kNameField ||
        (term.field == kNamespaceField && endpoint.resource->namespaced)) {
      continue;
    }
    if (!endpoint.storage->facts().FindField(term.field)) {
      return BadRequest("field label not supported: " + term.field);
    }
  }
  return {};
}

}  // namespace

Result<ListOptions> ReadListOptions(const ApiRequest& request, const Endpoint& endpoint) {
  ListOptions out;
  if (endpoint.resource->namespaced) out.selection.name_space = request.info.name_space;
  if (request.info.name_in_path) out.selection.name = request.info.name;
  SKIFF_RETURN_IF_ERROR(AddSelectors(request, endpoint, out));
  out.resource_version = request.query.Get("resourceVersion");
  out.resource_version_match = request.query.Get("resourceVersionMatch");
  out.continue_token = request.query.Get("continue");
  SKIFF_ASSIGN_OR_RETURN(const auto limit, request.query.OptionalInt("limit"));
  out.limit = limit.value_or(0);
  SKIFF_ASSIGN_OR_RETURN(out.timeout_seconds, request.query.OptionalInt("timeoutSeconds"));
  out.send_initial_events = request.query.OptionalBool("sendInitialEvents");
  out.allow_watch_bookmarks = request.query.IsTrue("allowWatchBookmarks");
  return out;
}

}  // namespace skiff
