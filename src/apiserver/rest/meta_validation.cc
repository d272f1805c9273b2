#include "apiserver/rest/meta_validation.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <string>
#include <utility>

#include "apiserver/managed_fields/manager_name.h"
#include "apiserver/rest/object_meta.h"
#include "apiserver/validation/addresses.h"
#include "apiserver/validation/common.h"
#include "apiserver/validation/seen_names.h"
#include "base/limits.h"
#include "base/strings.h"
#include "object/json/json_text.h"
#include "object/scalar/names.h"
#include "views/meta/v1.h"

namespace skiff::apiserver {
namespace {

using views::meta_v1::ObjectMeta;
using views::meta_v1::OwnerReference;

// As Kubernetes has it, of the subresource that an entry of managedFields names.
constexpr size_t kMaxSubresourceBytes = 256;
constexpr std::string_view kStandardFinalizers[] = {"kubernetes", "orphan", "foregroundDeletion"};

object::NameProblems NameProblemsOf(const object::ResourceDesc& resource, std::string_view name,
                                    bool is_prefix) {
  // A prefix may end where a name may not.
  std::string whole(name);
  if (is_prefix && whole.ends_with('-')) whole.back() = 'a';
  const std::string_view format = resource.hub->name_format;
  if (resource.kind_name == "IPAddress") return CheckIpName(name);
  if (resource.kind_name == "Service") return object::CheckDns1123Label(whole);
  if (format == "configMapKey") return object::CheckConfigMapKey(name);
  if (format == "dns1123Subdomain") return object::CheckDns1123Subdomain(whole);
  if (format == "dns1123Label") return object::CheckDns1123Label(whole);
  if (format == "dns1035Label") return object::CheckDns1035Label(whole);
  return is_prefix ? object::CheckPathSegmentPrefix(whole) : object::CheckPathSegmentName(whole);
}

// Most texts have no problems, and then nobody needs to see them.
void ReportProblems(std::string_view field, std::string_view text,
                    const object::NameProblems& problems, FieldErrors& errors) {
  if (!problems.empty()) errors.Invalid(field, text, problems);
}

void CheckLabels(const ObjectMeta& meta, FieldErrors& errors) {
  for (const auto& [key, value] : meta.labels()) {
    ReportProblems("metadata.labels", key, object::CheckQualifiedName(key), errors);
    ReportProblems("metadata.labels", value, object::CheckLabelValue(value), errors);
  }
}

void CheckAnnotations(const ObjectMeta& meta, FieldErrors& errors) {
  size_t bytes = 0;
  for (const auto& [key, value] : meta.annotations()) {
    ReportProblems("metadata.annotations", key, object::CheckAnnotationKey(key), errors);
    bytes += key.size() + value.size();
  }
  if (bytes > limits::kMaxAnnotationBytes) {
    errors.TooLong("metadata.annotations", limits::kMaxAnnotationBytes);
  }
}

// Whether finalizers without a path may only be those that everybody knows. Not so in the groups
// that libraries of Kubernetes serve, one of whose own has none; and writers of open kinds are only
// warned.
bool WantsFinalizersWithPaths(const object::ResourceDesc& resource) {
  static constexpr std::string_view kOfLibraries[] = {
      "admissionregistration.k8s.io", "apiextensions.k8s.io", "apiregistration.k8s.io",
      "coordination.k8s.io"};
  return resource.kind->open == nullptr &&
         std::ranges::find(kOfLibraries, resource.version->desc->group) == std::end(kOfLibraries);
}

void CheckFinalizers(const object::ResourceDesc& resource, const ObjectMeta& meta,
                     FieldErrors& errors) {
  bool orphan = false;
  bool foreground = false;
  for (const std::string_view finalizer : meta.finalizers()) {
    errors.Invalid("metadata.finalizers", finalizer, object::CheckQualifiedName(finalizer));
    orphan |= finalizer == "orphan";
    foreground |= finalizer == "foregroundDeletion";
  }
  if (orphan && foreground) {
    errors.Invalid("metadata.finalizers", meta.AsValue()->Find("finalizers"),
                   "finalizer orphan and foregroundDeletion cannot be both set");
  }
  if (!WantsFinalizersWithPaths(resource)) return;
  size_t index = 0;
  for (const std::string_view finalizer : meta.finalizers()) {
    const auto at = errors.At("metadata.finalizers", index++);
    bool known = finalizer.find('/') != std::string_view::npos;
    for (const std::string_view each : kStandardFinalizers) known |= each == finalizer;
    if (known) continue;
    errors.Invalid("", finalizer,
                   "name is neither a standard finalizer name nor is it fully qualified");
  }
}

// "v1", "apps/v1".
bool HasVersion(std::string_view api_version) {
  const size_t slash = api_version.find('/');
  if (slash == std::string_view::npos) return !api_version.empty();
  const std::string_view version = api_version.substr(slash + 1);
  return !version.empty() && version.find('/') == std::string_view::npos;
}

void CheckOwner(const OwnerReference& owner, FieldErrors& errors) {
  const auto at = errors.At("metadata.ownerReferences");
  if (!HasVersion(owner.api_version())) {
    errors.Invalid("apiVersion", owner.api_version(), "version must not be empty");
  }
  constexpr std::string_view kEmpty = "must not be empty";
  if (owner.kind().empty()) errors.Invalid("kind", "", kEmpty);
  if (owner.name().empty()) errors.Invalid("name", "", kEmpty);
  if (owner.uid().empty()) errors.Invalid("uid", "", kEmpty);
  if (owner.kind() == "Event" && owner.api_version() == "v1") {
    errors.Invalid("", owner.AsValue(), "/v1, Kind=Event is disallowed from being an owner");
  }
}

void CheckOwners(const ObjectMeta& meta, FieldErrors& errors) {
  const auto shown = [](std::string_view text) {
    return CutCopy(text, limits::kMaxCauseFieldBytes);
  };
  std::string first;
  for (const OwnerReference owner : meta.owner_references()) {
    CheckOwner(owner, errors);
    if (!owner.controller().value_or(false)) continue;
    const std::string name = shown(owner.kind()) + "/" + shown(owner.name());
    if (first.empty()) {
      first = name;
      continue;
    }
    errors.Invalid("metadata.ownerReferences", meta.AsValue()->Find("ownerReferences"),
                   "Only one reference can have Controller set to true. Found \"true\" in "
                   "references for " +
                       first + " and " + name);
  }
}

void CheckManagedFields(const ObjectMeta& meta, FieldErrors& errors) {
  size_t index = 0;
  for (const views::meta_v1::ManagedFieldsEntry entry : meta.managed_fields()) {
    const auto at = errors.At("metadata.managedFields", index++);
    std::vector<StatusCause> faults = FieldManagerFaults(entry.manager());
    for (StatusCause& cause : faults) cause.field = errors.PathOf("manager");
    errors.Append(std::move(faults));
    if (entry.subresource().size() > kMaxSubresourceBytes) {
      errors.TooLong("subresource", kMaxSubresourceBytes);
    }
  }
}

}  // namespace

void CheckMeta(const object::ResourceDesc& resource, object::Document& object,
               FieldErrors& errors) {
  const ObjectMeta meta(&MetaOf(object).value());
  if (const std::string_view base = meta.generate_name(); !base.empty()) {
    errors.Invalid("metadata.generateName", base, NameProblemsOf(resource, base, true));
  }
  if (meta.name().empty()) {
    errors.Required("metadata.name", "name or generateName is required");
  } else {
    errors.Invalid("metadata.name", meta.name(), NameProblemsOf(resource, meta.name(), false));
  }
  if (meta.generation() < 0) {
    errors.Invalid("metadata.generation", meta.generation(), kIsNegative);
  }
  CheckLabels(meta, errors);
  CheckAnnotations(meta, errors);
  CheckOwners(meta, errors);
  CheckFinalizers(resource, meta, errors);
  CheckManagedFields(meta, errors);
}

namespace {

// While an object is being deleted nobody else may begin to hold it.
void CheckNewFinalizers(object::Document& old, object::Document& object, FieldErrors& errors) {
  MetaOf before(old);
  if (!before.deleting()) return;
  SeenNames known;
  for (const std::string_view finalizer : ObjectMeta(&before.value()).finalizers()) {
    known.Add(finalizer);
  }
  std::set<std::string_view> added;
  for (const std::string_view finalizer : ObjectMeta(&MetaOf(object).value()).finalizers()) {
    if (!known.Has(finalizer)) added.insert(finalizer);
  }
  if (added.empty()) return;
  std::string list;
  for (const std::string_view each : added) {
    if (list.size() > limits::kMaxCauseMessageBytes) break;
    list += (list.empty() ? "" : ", ") + object::JsonText(each);
  }
  errors.Forbidden("metadata.finalizers",
                   "no new finalizers can be added if the object is being deleted, found new "
                   "finalizers []string{" +
                       list + "}");
}

}  // namespace

void CheckMetaUpdate(object::Document& old, object::Document& object, FieldErrors& errors) {
  const MetaOf before(old);
  const MetaOf after(object);
  CheckNewFinalizers(old, object, errors);
  const auto at = errors.At("metadata");
  for (const std::string_view name : {"name", "namespace", "uid", "creationTimestamp",
                                      "deletionTimestamp", "deletionGracePeriodSeconds"}) {
    ValidateImmutable(before.Find(name), after.Find(name), name, errors);
  }
}

}  // namespace skiff::apiserver
