#include "quota/evaluators.h"
#include "views/meta/v1.h"

namespace skiff::quota {
namespace {

namespace core = views::core_v1;

constexpr std::string_view kCount = "count/persistentvolumeclaims";
constexpr std::string_view kClaims = "persistentvolumeclaims";
constexpr std::string_view kStorage = "requests.storage";
// Between the name of a storage class and that of a resource.
constexpr std::string_view kOfClass = ".storageclass.storage.k8s.io/";
constexpr std::string_view kClassAnnotation = "volume.beta.kubernetes.io/storage-class";

std::string OfClass(std::string_view storage_class, std::string_view resource) {
  return std::string(storage_class) + std::string(kOfClass) + std::string(resource);
}

std::string_view StorageClassOf(const core::PersistentVolumeClaim& claim) {
  if (const auto annotated = claim.metadata().annotations().Find(kClassAnnotation)) {
    return *annotated;
  }
  return claim.spec().storage_class_name().value_or("");
}

// A claim that shrank after a failed expansion is charged for what was allocated.
std::optional<object::Quantity> StorageOf(const core::PersistentVolumeClaim& claim) {
  const auto requested = claim.spec().resources().requests().Find("storage");
  if (!requested) return std::nullopt;
  Result<object::Quantity> out = object::Quantity::Parse(*requested);
  if (!out) return std::nullopt;
  out->RoundUp(0);
  if (const auto allocated = claim.status().allocated_resources().Find("storage")) {
    Result<object::Quantity> amount = object::Quantity::Parse(*allocated);
    if (amount && *amount > *out) {
      amount->RoundUp(0);
      return std::move(*amount);
    }
  }
  return std::move(*out);
}

// The claim is in the scope of each class that it has, wants, or is on its way to.
ResourceNames AttributesClassesOf(const core::PersistentVolumeClaim& claim) {
  ResourceNames out;
  for (const std::string_view name :
       {claim.spec().volume_attributes_class_name().value_or(""),
        claim.status().current_volume_attributes_class_name().value_or(""),
        claim.status().modify_volume_status().target_volume_attributes_class_name()}) {
    if (!name.empty()) out.emplace(name);
  }
  return out;
}

class VolumeClaimEvaluator final : public QuotaEvaluator {
 public:
  bool Handles(QuotaEvent, std::string_view subresource, const object::Document*,
               const object::Document&) const override {
    return subresource.empty() || subresource == "status";
  }
  ResourceNames Matching(const ResourceNames& names) const override {
    ResourceNames out;
    for (const std::string& name : names) {
      if (name == kCount || name == kClaims || name == kStorage ||
          name.ends_with(OfClass({}, kClaims)) || name.ends_with(OfClass({}, kStorage))) {
        out.insert(name);
      }
    }
    return out;
  }
  bool knows_scopes() const override { return true; }
  Result<bool> IsInScope(const ScopeRule& rule, const object::Document& object) const override {
    const auto claim = object::ViewAs<core::PersistentVolumeClaim>(object);
    if (!claim || rule.scope != "VolumeAttributesClass") return false;
    const ResourceNames classes = AttributesClassesOf(*claim);
    if (rule.op == "Exists") return !classes.empty();
    if (classes.empty()) return ScopeSelects(rule, std::nullopt);
    for (const std::string& name : classes) {
      SKIFF_ASSIGN_OR_RETURN(const bool selected, ScopeSelects(rule, name));
      if (selected) return true;
    }
    return false;
  }
  ResourceList Usage(const object::Document& object, object::Timestamp) const override {
    ResourceList out;
    const auto claim = object::ViewAs<core::PersistentVolumeClaim>(object);
    if (!claim) return out;
    const std::string_view storage_class = StorageClassOf(*claim);
    out.emplace(kClaims, object::Quantity(1));
    out.emplace(kCount, object::Quantity(1));
    if (!storage_class.empty()) out.emplace(OfClass(storage_class, kClaims), object::Quantity(1));
    if (const std::optional<object::Quantity> storage = StorageOf(*claim)) {
      out.emplace(kStorage, *storage);
      if (!storage_class.empty()) out.emplace(OfClass(storage_class, kStorage), *storage);
    }
    return out;
  }
};

}  // namespace

std::unique_ptr<QuotaEvaluator> MakeVolumeClaimEvaluator() {
  return std::make_unique<VolumeClaimEvaluator>();
}

}  // namespace skiff::quota
