#include "apiserver/rest/meta_validation.h"

#include <string>
#include <utility>

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
  size_t index = 0;
  for (const std::string_view finalizer : meta.finalizers()) {
    const std::string field = "metadata.finalizers[" + std::to_string(index++) + "]";
    AddProblems(CheckQualifiedName(finalizer), field, finalizer, out);
    orphan |= finalizer == "orphan";
    foreground |= finalizer == "foregroundDeletion";
    bool known = finalizer.find('/') != std::string_view::npos;
    for (const std::string_view each : kStandardFinalizers) known |= each == finalizer;
    if (!known && IsQualifiedName(finalizer)) {
      out.push_back(
          InvalidField(field, JsonText(finalizer),
                       "name is neither a standard finalizer name nor is it fully qualified"));
    }
  }
  if (orphan && foreground) {
    out.push_back(InvalidField("metadata.finalizers",
                               EncodeJson(*meta.AsValue()->Find("finalizers")),
                               "finalizer orphan and foregroundDeletion cannot be both set"));
  }
}

void CheckOwner(const OwnerReference& owner, std::vector<StatusCause>& out) {
  constexpr std::string_view kField = "metadata.ownerReferences";
  const auto required = [&](std::string_view name, std::string_view value) {
    if (!value.empty()) return;
    out.push_back(
        InvalidField(std::string(kField) + "." + std::string(name), "\"\"", "must not be empty"));
  };
  if (owner.api_version().empty()) {
    out.push_back(
        InvalidField(std::string(kField) + ".apiVersion", "\"\"", "version must not be empty"));
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
  int controllers = 0;
  for (const OwnerReference owner : meta.owner_references()) {
    CheckOwner(owner, out);
    controllers += owner.controller().value_or(false) ? 1 : 0;
  }
  if (controllers > 1) {
    out.push_back(InvalidField("metadata.ownerReferences",
                               EncodeJson(*meta.AsValue()->Find("ownerReferences")),
                               "Only one reference can have Controller set to true"));
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
  AddProblems(NameProblemsOf(resource, meta.name(), false), "metadata.name", meta.name(), out);
  if (meta.generation() < 0) {
    out.push_back(InvalidField("metadata.generation", std::to_string(meta.generation()),
                               "must be greater than or equal to 0"));
  }
  CheckLabels(meta, out);
  CheckAnnotations(meta, out);
  CheckOwners(meta, out);
  CheckFinalizers(meta, out);
  return out;
}

std::vector<StatusCause> CheckMetaUpdate(Document& old, Document& object) {
  static constexpr Value kAbsent{};
  std::vector<StatusCause> out;
  const MetaOf before(old);
  const MetaOf after(object);
  for (const std::string_view name : {"name", "namespace", "uid", "creationTimestamp",
                                      "deletionTimestamp", "deletionGracePeriodSeconds"}) {
    const Value* was = before.Find(name);
    const Value* is = after.Find(name);
    if (DeepEqual(was != nullptr ? *was : kAbsent, is != nullptr ? *is : kAbsent)) continue;
    out.push_back(InvalidField("metadata." + std::string(name),
                               is != nullptr ? EncodeJson(*is) : "null", "field is immutable"));
  }
  // While an object is being deleted nobody else may begin to hold it.
  if (before.deleting()) {
    std::string added;
    for (const std::string_view finalizer : ObjectMeta(&MetaOf(object).value()).finalizers()) {
      if (!before.HasFinalizer(finalizer)) added = finalizer;
    }
    if (!added.empty()) {
      out.push_back(ForbiddenField(
          "metadata.finalizers",
          "no new finalizers can be added if the object is being deleted, found new finalizers "
          "[]string{" +
              JsonText(added) + "}"));
    }
  }
  return out;
}

}  // namespace skiff
