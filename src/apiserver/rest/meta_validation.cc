#include "apiserver/rest/meta_validation.h"

#include <set>
#include <string>
#include <utility>

#include "apiserver/managed_fields/manager_name.h"
#include "apiserver/rest/errors.h"
#include "apiserver/rest/object_meta.h"
#include "apiserver/validation/addresses.h"
#include "base/limits.h"
#include "object/json/encode.h"
#include "object/scalar/names.h"
#include "views/meta/v1.h"

namespace skiff {
namespace {

using views::meta_v1::ObjectMeta;
using views::meta_v1::OwnerReference;

// As Kubernetes has it, of the subresource that an entry of managedFields names.
constexpr size_t kMaxSubresourceBytes = 256;
constexpr std::string_view kStandardFinalizers[] = {"kubernetes", "orphan", "foregroundDeletion"};

void AddProblems(const NameProblems& problems, std::string_view field, std::string_view value,
                 std::vector<StatusCause>& out) {
  for (const std::string& problem : problems) {
    out.push_back(InvalidField(std::string(field), JsonText(value), problem));
  }
}

NameProblems NameProblemsOf(const ResourceDesc& resource, std::string_view name, bool is_prefix) {
  // A prefix may end where a name may not.
  std::string whole(name);
  if (is_prefix && whole.ends_with('-')) whole.back() = 'a';
  const std::string_view format = resource.hub->name_format;
  if (resource.kind_name == "IPAddress") return CheckIpName(name);
  if (resource.kind_name == "Service") return CheckDns1123Label(whole);
  if (format == "configMapKey") return CheckConfigMapKey(name);
  if (format == "dns1123Subdomain") return CheckDns1123Subdomain(whole);
  if (format == "dns1123Label") return CheckDns1123Label(whole);
  if (format == "dns1035Label") return CheckDns1035Label(whole);
  return is_prefix ? CheckPathSegmentPrefix(whole) : CheckPathSegmentName(whole);
}

void CheckLabels(const ObjectMeta& meta, std::vector<StatusCause>& out) {
  for (const auto& [key, value] : meta.labels()) {
    AddProblems(CheckQualifiedName(key), "metadata.labels", key, out);
    AddProblems(CheckLabelValue(value), "metadata.labels", value, out);
  }
}

void CheckAnnotations(const ObjectMeta& meta, std::vector<StatusCause>& out) {
  size_t bytes = 0;
  for (const auto& [key, value] : meta.annotations()) {
    AddProblems(CheckAnnotationKey(key), "metadata.annotations", key, out);
    bytes += key.size() + value.size();
  }
  if (bytes > limits::kMaxAnnotationBytes) {
    out.push_back(
        {"FieldValueTooLong",
         "Too long: may not be more than " + std::to_string(limits::kMaxAnnotationBytes) + " bytes",
         "metadata.annotations"});
  }
}

void CheckFinalizers(const ObjectMeta& meta, std::vector<StatusCause>& out) {
  bool orphan = false;
  bool foreground = false;
  for (const std::string_view finalizer : meta.finalizers()) {
    AddProblems(CheckQualifiedName(finalizer), "metadata.finalizers", finalizer, out);
    orphan |= finalizer == "orphan";
    foreground |= finalizer == "foregroundDeletion";
  }
  if (orphan && foreground) {
    out.push_back(InvalidField("metadata.finalizers",
                               EncodeJson(*meta.AsValue()->Find("finalizers")),
                               "finalizer orphan and foregroundDeletion cannot be both set"));
  }
  size_t index = 0;
  for (const std::string_view finalizer : meta.finalizers()) {
    const std::string field = "metadata.finalizers[" + std::to_string(index++) + "]";
    bool known = finalizer.find('/') != std::string_view::npos;
    for (const std::string_view each : kStandardFinalizers) known |= each == finalizer;
    if (known) continue;
    out.push_back(
        InvalidField(field, JsonText(finalizer),
                     "name is neither a standard finalizer name nor is it fully qualified"));
  }
}

// "v1", "apps/v1".
bool HasVersion(std::string_view api_version) {
  const size_t slash = api_version.find('/');
  if (slash == std::string_view::npos) return !api_version.empty();
  const std::string_view version = api_version.substr(slash + 1);
  return !version.empty() && version.find('/') == std::string_view::npos;
}

void CheckOwner(const OwnerReference& owner, std::vector<StatusCause>& out) {
  constexpr std::string_view kField = "metadata.ownerReferences";
  const auto required = [&](std::string_view name, std::string_view value) {
    if (!value.empty()) return;
    out.push_back(
        InvalidField(std::string(kField) + "." + std::string(name), "\"\"", "must not be empty"));
  };
  if (!HasVersion(owner.api_version())) {
    out.push_back(InvalidField(std::string(kField) + ".apiVersion", JsonText(owner.api_version()),
                               "version must not be empty"));
  }
  required("kind", owner.kind());
  required("name", owner.name());
  required("uid", owner.uid());
  if (owner.kind() == "Event" && owner.api_version() == "v1") {
    out.push_back(InvalidField(std::string(kField), EncodeJson(*owner.AsValue()),
                               "/v1, Kind=Event is disallowed from being an owner"));
  }
}

void CheckOwners(const ObjectMeta& meta, std::vector<StatusCause>& out) {
  std::string first;
  for (const OwnerReference owner : meta.owner_references()) {
    CheckOwner(owner, out);
    if (!owner.controller().value_or(false)) continue;
    const std::string name = std::string(owner.kind()) + "/" + std::string(owner.name());
    if (first.empty()) {
      first = name;
      continue;
    }
    out.push_back(InvalidField("metadata.ownerReferences",
                               EncodeJson(*meta.AsValue()->Find("ownerReferences")),
                               "Only one reference can have Controller set to true. Found \"true\" "
                               "in references for " +
                                   first + " and " + name));
  }
}

void CheckManagedFields(const ObjectMeta& meta, std::vector<StatusCause>& out) {
  size_t index = 0;
  for (const views::meta_v1::ManagedFieldsEntry entry : meta.managed_fields()) {
    const std::string field = "metadata.managedFields[" + std::to_string(index++) + "]";
    for (StatusCause& cause : FieldManagerFaults(entry.manager())) {
      cause.field = field + ".manager";
      out.push_back(std::move(cause));
    }
    if (entry.subresource().size() <= kMaxSubresourceBytes) continue;
    out.push_back(
        {"FieldValueTooLong",
         "Too long: may not be more than " + std::to_string(kMaxSubresourceBytes) + " bytes",
         field + ".subresource"});
  }
}

}  // namespace

std::vector<StatusCause> CheckMeta(const ResourceDesc& resource, Document& object) {
  std::vector<StatusCause> out;
  const ObjectMeta meta(&MetaOf(object).value());
  if (!meta.generate_name().empty()) {
    AddProblems(NameProblemsOf(resource, meta.generate_name(), true), "metadata.generateName",
                meta.generate_name(), out);
  }
  if (meta.name().empty()) {
    out.push_back(RequiredField("metadata.name", "name or generateName is required"));
  } else {
    AddProblems(NameProblemsOf(resource, meta.name(), false), "metadata.name", meta.name(), out);
  }
  if (meta.generation() < 0) {
    out.push_back(InvalidField("metadata.generation", std::to_string(meta.generation()),
                               "must be greater than or equal to 0"));
  }
  CheckLabels(meta, out);
  CheckAnnotations(meta, out);
  CheckOwners(meta, out);
  CheckFinalizers(meta, out);
  CheckManagedFields(meta, out);
  return out;
}

namespace {

// While an object is being deleted nobody else may begin to hold it.
void CheckNewFinalizers(const MetaOf& before, Document& object, std::vector<StatusCause>& out) {
  if (!before.deleting()) return;
  std::set<std::string_view> added;
  for (const std::string_view finalizer : ObjectMeta(&MetaOf(object).value()).finalizers()) {
    if (!before.HasFinalizer(finalizer)) added.insert(finalizer);
  }
  if (added.empty()) return;
  std::string list;
  for (const std::string_view each : added) list += (list.empty() ? "" : ", ") + JsonText(each);
  out.push_back(ForbiddenField(
      "metadata.finalizers",
      "no new finalizers can be added if the object is being deleted, found new finalizers "
      "[]string{" +
          list + "}"));
}

}  // namespace

std::vector<StatusCause> CheckMetaUpdate(Document& old, Document& object) {
  static constexpr Value kAbsent{};
  std::vector<StatusCause> out;
  const MetaOf before(old);
  const MetaOf after(object);
  CheckNewFinalizers(before, object, out);
  for (const std::string_view name : {"name", "namespace", "uid", "creationTimestamp",
                                      "deletionTimestamp", "deletionGracePeriodSeconds"}) {
    const Value* was = before.Find(name);
    const Value* is = after.Find(name);
    if (DeepEqual(was != nullptr ? *was : kAbsent, is != nullptr ? *is : kAbsent)) continue;
    out.push_back(InvalidField("metadata." + std::string(name),
                               is != nullptr ? EncodeJson(*is) : "null", "field is immutable"));
  }
  return out;
}

}  // namespace skiff
