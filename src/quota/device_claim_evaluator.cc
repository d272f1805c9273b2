#include <algorithm>

#include "quota/evaluators.h"
#include "views/meta/v1.h"
#include "views/resource.k8s.io/v1.h"

namespace skiff::quota {
namespace {

namespace dra = views::resource_k8s_io_v1;

constexpr std::string_view kCount = "count/resourceclaims.resource.k8s.io";
// Behind the name of a device class.
constexpr std::string_view kDevices = ".deviceclass.resource.k8s.io/devices";
// Before the name of a device class: its devices under the name of an extended resource.
constexpr std::string_view kImplicit = "requests.deviceclass.resource.kubernetes.io/";
constexpr std::string_view kRequests = "requests.";
// The most that a claim can be given: what "All" is charged.
constexpr int64_t kMaxDevicesPerClaim = 32;

template <typename Request>
int64_t DevicesOf(const Request& request) {
  if (request.allocation_mode() == "ExactCount") return request.count();
  if (request.allocation_mode() == "All") return kMaxDevicesPerClaim;
  return 0;
}

std::string DevicesOfClass(std::string_view device_class) {
  return std::string(device_class) + std::string(kDevices);
}

// Of alternatives, the greatest of each class counts.
ResourceList UsageOf(const dra::DeviceRequest& request) {
  ResourceList out;
  for (const dra::DeviceSubRequest alternative : request.first_available()) {
    if (const int64_t devices = DevicesOf(alternative); devices > 0) {
      RaiseTo(out, {{DevicesOfClass(alternative.device_class_name()), object::Quantity(devices)}});
    }
  }
  if (request.first_available().empty() && request.has_exactly()) {
    out.emplace(DevicesOfClass(request.exactly().device_class_name()),
                object::Quantity(DevicesOf(request.exactly())));
  }
  return out;
}

class DeviceClaimEvaluator final : public QuotaEvaluator {
 public:
  explicit DeviceClaimEvaluator(const QuotaLookups& lookups) : lookups_(lookups) {}

  bool Handles(QuotaEvent, std::string_view subresource, const object::Document*,
               const object::Document&) const override {
    return subresource.empty();
  }
  ResourceNames Matching(const ResourceNames& names) const override {
    ResourceNames out;
    for (const std::string& name : names) {
      if (name == kCount || name.ends_with(kDevices) || IsImplicit(name) || IsExtended(name)) {
        out.insert(name);
      }
    }
    return out;
  }
  ResourceList Usage(const object::Document& object, object::Timestamp now) const override {
    ResourceList out;
    const auto claim = object::ViewAs<dra::ResourceClaim>(object);
    if (!claim) return out;
    for (const dra::DeviceRequest request : claim->spec().devices().requests()) {
      AddTo(out, UsageOf(request));
    }
    AddExtendedResources(object, now, out);
    out.emplace(kCount, object::Quantity(1));
    return out;
  }

 private:
  bool IsImplicit(std::string_view name) const {
    return name.starts_with(kImplicit) &&
           !lookups_.ExtendedResourceOf(name.substr(kImplicit.size())).empty();
  }
  bool IsExtended(std::string_view name) const {
    return IsExtendedQuotaName(name) && lookups_.HasDeviceClass(name.substr(kRequests.size()));
  }

  // Devices count under the names of extended resources too, except those that the pod has been
  // charged for already because it asked for them by such a name.
  void AddExtendedResources(const object::Document& object, object::Timestamp now,
                            ResourceList& usage) const {
    ResourceList extended;
    for (const auto& [name, quantity] : usage) {
      if (!name.ends_with(kDevices) || name.size() == kDevices.size()) continue;
      const std::string device_class = name.substr(0, name.size() - kDevices.size());
      extended.insert_or_assign(std::string(kImplicit) + device_class, quantity);
      const std::string resource = lookups_.ExtendedResourceOf(device_class);
      if (!resource.empty()) extended.insert_or_assign(std::string(kRequests) + resource, quantity);
    }
    if (extended.empty()) return;
    ResourceList of_pod;
    if (const auto pod = lookups_.PodOfClaim(object)) {
      of_pod = PodUsage(views::core_v1::Pod(*pod), now);
    }
    for (auto& [name, quantity] : extended) {
      if (const auto charged = of_pod.find(name); charged != of_pod.end()) {
        quantity.Sub(charged->second);
      }
      if (quantity.Sign() > 0) usage.insert_or_assign(name, quantity);
    }
  }

  const QuotaLookups& lookups_;
};

}  // namespace

std::unique_ptr<QuotaEvaluator> MakeDeviceClaimEvaluator(const QuotaLookups& lookups) {
  return std::make_unique<DeviceClaimEvaluator>(lookups);
}

}  // namespace skiff::quota
