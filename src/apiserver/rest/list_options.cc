#include "apiserver/rest/list_options.h"

#include <algorithm>
#include <utility>

#include "base/strings.h"
#include "object/open_kind.h"
#include "store/cache/fact_path.h"

namespace skiff::apiserver {
namespace {

// A watch or list of a single object by its URL is a selection of its name.
Result<void> AddSelectors(const serving::ApiRequest& request, const Endpoint& endpoint,
                          ListOptions& out) {
  SKIFF_ASSIGN_OR_RETURN(out.selection.labels,
                         object::LabelSelector::Parse(request.query.Get("labelSelector")));
  SKIFF_ASSIGN_OR_RETURN(out.selection.fields,
                         object::FieldSelector::Parse(request.query.Get("fieldSelector")));
  for (const object::FieldTerm& term : out.selection.fields.terms()) {
    SKIFF_RETURN_IF_ERROR(CheckFieldLabel(*endpoint.resource, term.field));
  }
  return {};
}

}  // namespace

Result<void> CheckFieldLabel(const object::ResourceDesc& resource, std::string_view label) {
  const object::ResourceHub& hub = *resource.hub;
  const bool is_of_key = label == store::kNameField || label == store::kNamespaceField;
  // Versions of an open kind have their own fields.
  const object::OpenKind* const open = resource.kind->open;
  if (open != nullptr && !is_of_key && !open->IsSelectable(label)) {
    return BadRequest("field label not supported: " + std::string(label));
  }
  if (hub.FindSelectable(label) != nullptr) return {};
  if (hub.FindSelectable(store::ResolveFieldAlias(hub, label)) != nullptr) return {};
  const std::string_view kind = resource.kind->name;
  const bool only_metadata =
      std::ranges::all_of(hub.selectable, [](const object::SelectableField& field) {
        return field.label == store::kNameField || field.label == store::kNamespaceField;
      });
  if (only_metadata) {
    return BadRequest(Quoted(label) +
                      " is not a known field selector: only \"metadata.name\", "
                      "\"metadata.namespace\"");
  }
  if (kind == "Job") return BadRequest("field label " + Quoted(label) + " not supported for Job");
  std::string message = "field label not supported";
  if (kind == "ResourceSlice") {
    message +=
        " for " + std::string(resource.kind->group_version->api_version) + ", Kind=ResourceSlice";
  }
  return BadRequest(message + ": " + std::string(label));
}

Result<ListOptions> ReadListOptions(const serving::ApiRequest& request, const Endpoint& endpoint) {
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

}  // namespace skiff::apiserver
