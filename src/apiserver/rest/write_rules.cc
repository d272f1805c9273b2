#include "apiserver/rest/write_rules.h"

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "apiserver/rest/errors.h"
#include "apiserver/rest/meta_validation.h"
#include "apiserver/rest/object_meta.h"
#include "apiserver/validation/common.h"
#include "base/random.h"
#include "object/field_path.h"
#include "object/json/encode.h"
#include "object/scalar/generate_name.h"

namespace skiff::apiserver {
namespace {

void CheckImmutable(const object::ResourceDesc& resource, const object::Document& old,
                    const object::Document& object, FieldErrors& errors) {
  for (const std::string_view text : resource.hub->immutable) {
    const Result<object::FieldPath> path = object::FieldPath::Parse(text);
    if (!path) continue;
    const Result<const object::Value*> before = path->Get(old.root());
    const Result<const object::Value*> after = path->Get(object.root());
    if (before && after && !SameValue(*before, *after)) {
      const std::string shown = *after != nullptr ? object::EncodeJson(**after) : "null";
      errors.Append(std::vector{InvalidField(std::string(text), shown, kIsImmutable)});
    }
  }
}

// Events of both groups are one kind, which is reported as that of the core group.
Status InvalidOf(const object::ResourceDesc& resource, std::string_view name, FieldErrors errors) {
  const std::string_view group = resource.version->desc->group;
  return Invalid(resource.kind_name, group == "events.k8s.io" ? "" : group, name,
                 std::move(errors));
}

}  // namespace

Result<void> CheckNewObject(const Endpoint& endpoint, WriteContext& write, object::Document& object,
                            std::vector<std::string>& warnings) {
  FieldErrors all(write.settings);
  CheckMeta(*endpoint.resource, object, all);
  const KindRules* rules = endpoint.rules;
  FieldErrors errors(write.settings);
  if (rules != nullptr && rules->create != nullptr) rules->create(object, errors);
  FieldErrors beyond_rules(write.settings);
  endpoint.behaviour->Check(write, nullptr, object, errors.empty(), beyond_rules);
  all.Append(std::move(beyond_rules));
  all.Append(std::move(errors));
  if (!all.empty()) {
    return std::unexpected(InvalidOf(*endpoint.resource, MetaOf(object).name(), std::move(all)));
  }
  if (rules != nullptr && rules->warn != nullptr)
    rules->warn(object, nullptr, write.settings, warnings);
  return {};
}

Result<void> CheckChangedObject(const Endpoint& endpoint, WriteContext& write,
                                object::Document& old, object::Document& object,
                                std::vector<std::string>& warnings) {
  const object::ResourceDesc& resource = *endpoint.resource;
  // Kubernetes looks at these twice, for all kinds and for the kind, and its clients see both.
  FieldErrors all(write.settings);
  CheckMetaUpdate(old, object, all);
  CheckMetaUpdate(old, object, all);
  CheckMeta(resource, object, all);
  const KindRules* rules = endpoint.rules;
  const ValidateChange update =
      rules != nullptr ? rules->OfUpdate(endpoint.subresource_name()) : nullptr;
  FieldErrors errors(write.settings);
  if (update != nullptr) update(object, old, errors);
  FieldErrors beyond_rules(write.settings);
  endpoint.behaviour->Check(write, &old, object, errors.empty(), beyond_rules);
  all.Append(std::move(beyond_rules));
  all.Append(std::move(errors));
  if (update == nullptr && endpoint.subresource == nullptr) {
    CheckImmutable(resource, old, object, all);
  }
  if (!all.empty()) {
    return std::unexpected(InvalidOf(resource, MetaOf(object).name(), std::move(all)));
  }
  // A scale is another way to write the object itself.
  const bool is_whole = endpoint.subresource == nullptr || endpoint.subresource->name == "scale";
  if (rules != nullptr && rules->warn != nullptr && is_whole)
    rules->warn(object, &old, write.settings, warnings);
  return {};
}

Result<void> CheckName(std::string_view name, std::string_view url_name) {
  if (name == url_name) return {};
  if (name.empty()) {
    return BadRequest("the name of the object (" + std::string(url_name) +
                      " based on URL) was undeterminable: name must be provided");
  }
  return BadRequest("the name of the object (" + std::string(name) +
                    ") does not match the name on the URL (" + std::string(url_name) + ")");
}

void DropDuplicateOwners(object::Document& object, bool after_admission,
                         std::vector<std::string>& warnings) {
  object::Value* meta = object.root().Find("metadata");
  object::Value* owners = meta != nullptr ? meta->Find("ownerReferences") : nullptr;
  if (owners == nullptr || !owners->is_list() || owners->size() < 2) return;
  std::set<std::string> seen;
  std::string duplicates;
  owners->EraseItemsIf([&](const object::Value& owner) {
    // References are the same if their JSON is: they have texts and pointers only.
    if (seen.insert(object::EncodeJson(owner)).second) return false;
    const object::Value* uid = owner.Find("uid");
    if (!duplicates.empty()) duplicates += ", ";
    if (uid != nullptr && uid->is_string()) duplicates += uid->AsText();
    return true;
  });
  if (duplicates.empty()) return;
  warnings.push_back(".metadata.ownerReferences contains duplicate entries" +
                     std::string(after_admission ? " after mutating admission happens" : "") +
                     "; API server dedups owner references in 1.20+, and may reject such requests "
                     "as early as 1.24; please fix your requests; duplicate UID(s) observed: " +
                     duplicates);
}

Result<void> TakeNamespace(const Endpoint& endpoint, std::string_view url_namespace,
                           object::Document& object) {
  MetaOf meta(object);
  if (!endpoint.resource->namespaced) {
    meta.Erase("namespace");
    return {};
  }
  if (!meta.name_space().empty() && meta.name_space() != url_namespace) {
    return BadRequest(
        "the namespace of the provided object does not match the namespace sent on the request");
  }
  meta.SetText("namespace", url_namespace);
  return {};
}

std::string ServerChosenName(const object::ResourceDesc& resource, std::string_view prefix,
                             Random& random) {
  if (!prefix.empty()) return object::GenerateName(prefix, random);
  const bool is_limit_range =
      resource.name == "limitranges" && resource.version->desc->group.empty();
  return is_limit_range ? NewUuid(random) : std::string();
}

Result<void> ClearMetaForCreate(const Endpoint& endpoint, std::string_view url_namespace,
                                object::Document& object) {
  MetaOf meta(object);
  if (!meta.resource_version().empty()) {
    return BadRequest("resourceVersion should not be set on objects to be created");
  }
  SKIFF_RETURN_IF_ERROR(TakeNamespace(endpoint, url_namespace, object));
  for (const std::string_view name : {"selfLink", "deletionTimestamp", "deletionGracePeriodSeconds",
                                      "uid", "creationTimestamp"}) {
    meta.Erase(name);
  }
  return {};
}

Result<void> FillMetaForCreate(const Endpoint& endpoint, std::string_view url_namespace,
                               object::Document& object, Random& random, object::Timestamp now) {
  SKIFF_RETURN_IF_ERROR(ClearMetaForCreate(endpoint, url_namespace, object));
  MetaOf meta(object);
  meta.SetText("uid", NewUuid(random));
  meta.value().Set(object.arena(), "creationTimestamp", object::Value::Time(now));
  return {};
}

void FillMetaForUpdate(object::Document& old, object::Document& object) {
  const MetaOf before(old);
  MetaOf after(object);
  after.Take("generation", before);
  after.Take("creationTimestamp", before);
  if (after.uid().empty()) after.Take("uid", before);
  if (before.deleting()) after.Take("deletionTimestamp", before);
  if (!after.grace_period_seconds()) after.Take("deletionGracePeriodSeconds", before);
}

bool IsGone(object::Document& old, object::Document& object) {
  const MetaOf before(old);
  const MetaOf after(object);
  return before.deleting() && after.finalizer_count() == 0 && before.finalizer_count() != 0 &&
         before.grace_period_seconds().value_or(0) == 0;
}

}  // namespace skiff::apiserver
