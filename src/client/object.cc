#include "client/object.h"

#include <algorithm>
#include <cassert>
#include <tuple>
#include <vector>

#include "object/json/decode.h"
#include "object/resource.h"

namespace skiff::client {
namespace {

auto KeyOf(const ApiResource& resource) {
  return std::tuple<std::string_view, std::string_view, std::string_view>(
      resource.group, resource.version, resource.name);
}

std::vector<ApiResource> MakeBuiltIns() {
  std::vector<ApiResource> all;
  for (const object::GroupVersionInfo& version : object::ServedGroupVersions()) {
    for (const object::ResourceDesc& resource : version.resources) {
      all.push_back({.group = std::string(version.desc->group),
                     .version = std::string(version.desc->version),
                     .name = std::string(resource.name),
                     .kind = std::string(resource.kind_name),
                     .namespaced = resource.namespaced,
                     .type = resource.kind});
    }
  }
  std::ranges::sort(all, {}, KeyOf);
  return all;
}

std::string_view MetadataText(const object::Document& object, std::string_view name) {
  const object::Value* value = object.root().FindPath({"metadata", name});
  return value != nullptr && value->is_string() ? value->AsText() : std::string_view();
}

// Sets a member that may be left out, or fails when it is there and says something else.
Result<void> SetOrCompare(object::Document& document, std::string_view name,
                          std::string_view wanted) {
  if (const object::Value* given = document.root().Find(name);
      given != nullptr && !given->is_null()) {
    if (given->is_string() && given->AsText() == wanted) return {};
    if (!given->is_string() || !given->AsText().empty()) {
      return BadField(std::string(name), "must be " + std::string(wanted));
    }
  }
  document.root().Set(document.arena(), name, object::Value::String(document.arena().Copy(wanted)));
  return {};
}

}  // namespace

const ApiResource* FindBuiltIn(std::string_view group, std::string_view version,
                               std::string_view name) {
  static const std::vector<ApiResource> all = MakeBuiltIns();
  const std::tuple key(group, version, name);
  const auto found = std::ranges::lower_bound(all, key, {}, KeyOf);
  return found != all.end() && KeyOf(*found) == key ? &*found : nullptr;
}

const ApiResource& BuiltIn(std::string_view group, std::string_view version,
                           std::string_view name) {
  const ApiResource* resource = FindBuiltIn(group, version, name);
  assert(resource != nullptr);
  return *resource;
}

ObjectName NameOf(const object::Document& object) {
  return {std::string(MetadataText(object, "namespace")),
          std::string(MetadataText(object, "name"))};
}

std::string_view UidOf(const object::Document& object) { return MetadataText(object, "uid"); }

std::string_view ResourceVersionOf(const object::Document& object) {
  return MetadataText(object, "resourceVersion");
}

bool IsDeleting(const object::Document& object) {
  const object::Value* time = object.root().FindPath({"metadata", "deletionTimestamp"});
  return time != nullptr && !time->is_null();
}

Result<ObjectPtr> ParseObject(const ApiResource& resource, std::string_view json) {
  SKIFF_ASSIGN_OR_RETURN(object::Document document, object::DecodeJson(json, resource.type));
  if (!document.root().is_object() && !document.root().is_map()) {
    return BadRequest("an object of the API must be a JSON object");
  }
  SKIFF_RETURN_IF_ERROR(SetOrCompare(document, "kind", resource.kind));
  SKIFF_RETURN_IF_ERROR(SetOrCompare(document, "apiVersion", resource.api_version()));
  return std::make_shared<const object::Document>(std::move(document));
}

std::shared_ptr<object::Document> MutableCopy(const object::Document& object) {
  return std::make_shared<object::Document>(object.Copy());
}

}  // namespace skiff::client
