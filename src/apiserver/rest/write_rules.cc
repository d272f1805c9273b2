#include "apiserver/rest/write_rules.h"

#include <utility>
#include <vector>

#include "apiserver/rest/errors.h"
#include "apiserver/rest/meta_validation.h"
#include "apiserver/rest/object_meta.h"
#include "object/field_path.h"
#include "object/json/encode.h"
#include "object/scalar/generate_name.h"

namespace skiff {
Result<bool> IsDryRun(const ApiRequest& request) {
  const std::vector<std::string_view> given = request.query.All("dryRun");
  for (const std::string_view each : given) {
    if (each == "All") continue;
    return std::unexpected(Invalid(
        "CreateOptions", "meta.k8s.io", "",
        {{"FieldValueNotSupported",
          "Unsupported value: " + JsonText(each) + ": supported values: \"All\"", "dryRun"}}));
  }
  return !given.empty();
}

namespace {

void AddTo(std::vector<StatusCause>& causes, std::vector<StatusCause> more) {
  for (StatusCause& cause : more) causes.push_back(std::move(cause));
}

std::vector<StatusCause> CheckImmutable(const ResourceDesc& resource, const Document& old,
                                        const Document& object) {
  static constexpr Value kAbsent{};
  std::vector<StatusCause> causes;
  for (const std::string_view text : resource.hub->immutable) {
    const Result<FieldPath> path = FieldPath::Parse(text);
    if (!path) continue;
    const Result<const Value*> before = path->Get(old.root());
    const Result<const Value*> after = path->Get(object.root());
    if (!before || !after || (*before == nullptr && *after == nullptr)) continue;
    if (DeepEqual(*before != nullptr ? **before : kAbsent, *after != nullptr ? **after : kAbsent)) {
      continue;
    }
    causes.push_back(InvalidField(
        std::string(text), *after != nullptr ? EncodeJson(**after) : "null", "field is immutable"));
  }
  return causes;
}

// Events of both groups are one kind, which is reported as that of the core group.
Status InvalidOf(const ResourceDesc& resource, std::string_view name,
                 std::vector<StatusCause> causes) {
  const std::string_view group = resource.version->desc->group;
  return Invalid(resource.kind_name, group == "events.k8s.io" ? "" : group, name,
                 std::move(causes));
}

}  // namespace

Result<void> CheckNewObject(const Endpoint& endpoint, WriteContext& write, Document& object,
                            std::vector<std::string>& warnings) {
  std::vector<StatusCause> causes = CheckMeta(*endpoint.resource, object);
  const KindRules* rules = endpoint.rules;
  FieldErrors errors;
  if (rules != nullptr && rules->create != nullptr) rules->create(object, errors);
  FieldErrors beyond_rules;
  endpoint.behaviour->Check(write, nullptr, object, errors.empty(), beyond_rules);
  AddTo(causes, beyond_rules.Take());
  AddTo(causes, errors.Take());
  if (!causes.empty()) {
    return std::unexpected(InvalidOf(*endpoint.resource, MetaOf(object).name(), std::move(causes)));
  }
  if (rules != nullptr && rules->warn != nullptr) rules->warn(object, nullptr, warnings);
  return {};
}

Result<void> CheckChangedObject(const Endpoint& endpoint, WriteContext& write, Document& old,
                                Document& object, std::vector<std::string>& warnings) {
  const ResourceDesc& resource = *endpoint.resource;
  // Kubernetes looks at these twice, for all kinds and for the kind, and its clients see both.
  std::vector<StatusCause> causes = CheckMetaUpdate(old, object);
  AddTo(causes, CheckMetaUpdate(old, object));
  AddTo(causes, CheckMeta(resource, object));
  const KindRules* rules = endpoint.rules;
  const ValidateChange update =
      rules != nullptr ? rules->OfUpdate(endpoint.subresource_name()) : nullptr;
  FieldErrors errors;
  if (update != nullptr) update(object, old, errors);
  FieldErrors beyond_rules;
  endpoint.behaviour->Check(write, &old, object, errors.empty(), beyond_rules);
  AddTo(causes, beyond_rules.Take());
  AddTo(causes, errors.Take());
  if (update == nullptr && endpoint.subresource == nullptr) {
    AddTo(causes, CheckImmutable(resource, old, object));
  }
  if (!causes.empty()) {
    return std::unexpected(InvalidOf(resource, MetaOf(object).name(), std::move(causes)));
  }
  // A scale is another way to write the object itself.
  const bool is_whole = endpoint.subresource == nullptr || endpoint.subresource->name == "scale";
  if (rules != nullptr && rules->warn != nullptr && is_whole) rules->warn(object, &old, warnings);
  return {};
}

Result<void> TakeNamespace(const Endpoint& endpoint, std::string_view url_namespace,
                           Document& object) {
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

Result<void> FillMetaForCreate(const Endpoint& endpoint, std::string_view url_namespace,
                               Document& object, Random& random, Timestamp now) {
  MetaOf meta(object);
  if (!meta.resource_version().empty()) {
    return BadRequest("resourceVersion should not be set on objects to be created");
  }
  SKIFF_RETURN_IF_ERROR(TakeNamespace(endpoint, url_namespace, object));
  if (meta.name().empty()) {
    const std::string_view base = meta.Text("generateName");
    if (base.empty()) {
      return std::unexpected(
          Invalid(*endpoint.resource, "",
                  {RequiredField("metadata.name", "name or generateName is required")}));
    }
    meta.SetText("name", GenerateName(base, random));
  }
  meta.Erase("selfLink");
  meta.Erase("deletionTimestamp");
  meta.Erase("deletionGracePeriodSeconds");
  meta.SetText("uid", NewUid(random));
  meta.value().Set(object.arena(), "creationTimestamp", Value::Time(now));
  return {};
}

void FillMetaForUpdate(Document& old, Document& object) {
  const MetaOf before(old);
  MetaOf after(object);
  after.Take("generation", before);
  after.Take("creationTimestamp", before);
  after.Take("generateName", before);
  if (after.uid().empty()) after.Take("uid", before);
  if (before.deleting() && !after.deleting()) after.Take("deletionTimestamp", before);
  if (!after.grace_period_seconds()) after.Take("deletionGracePeriodSeconds", before);
}

bool IsGone(Document& old, Document& object) {
  const MetaOf before(old);
  const MetaOf after(object);
  return before.deleting() && after.finalizer_count() == 0 && before.finalizer_count() != 0 &&
         before.grace_period_seconds().value_or(0) == 0;
}

}  // namespace skiff
