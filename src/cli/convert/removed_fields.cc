#include "cli/convert/removed_fields.h"

#include <charconv>

namespace skiff::cli {
namespace {

struct RemovedField {
  std::string_view path;  // of the schema file
  std::string_view message;
  uint32_t number;
  std::string_view name;
};

constexpr RemovedField kRemoved[] = {
    {"batch/v1", "JobSpec", 9, "failedPodsLimit"},
    {"core/v1", "EphemeralVolumeSource", 2, "readOnly"},
    {"core/v1", "PersistentVolumeClaimStatus", 6, "resizeStatus"},
    {"core/v1", "PodResourceClaim", 2, "source"},
    {"core/v1", "PodSpec", 42, "workloadRef"},
    {"core/v1", "ServiceSpec", 15, "ipFamily"},
    {"core/v1", "ServiceSpec", 16, "topologyKeys"},
    {"core/v1", "VolumeResourceRequirements", 3, "claims"},
    {"extensions/v1beta1", "NetworkPolicy", 3, "status"},
    {"meta/v1", "ManagedFieldsEntry", 5, "fields"},
    {"meta/v1", "ObjectMeta", 15, "clusterName"},
    {"networking.k8s.io/v1", "NetworkPolicy", 3, "status"},
    {"resource.k8s.io/v1", "AllocationResult", 4, "controller"},
    {"resource.k8s.io/v1", "DeviceClassSpec", 3, "suitableNodes"},
    {"resource.k8s.io/v1", "ResourceClaimSpec", 2, "controller"},
    {"resource.k8s.io/v1", "ResourceClaimStatus", 3, "deallocationRequested"},
    {"resource.k8s.io/v1alpha3", "DeviceTaintSelector", 1, "deviceClassName"},
    {"resource.k8s.io/v1alpha3", "DeviceTaintSelector", 5, "selectors"},
    {"resource.k8s.io/v1beta1", "AllocationResult", 4, "controller"},
    {"resource.k8s.io/v1beta1", "DeviceClassSpec", 3, "suitableNodes"},
    {"resource.k8s.io/v1beta1", "ResourceClaimSpec", 2, "controller"},
    {"resource.k8s.io/v1beta1", "ResourceClaimStatus", 3, "deallocationRequested"},
    {"resource.k8s.io/v1beta2", "AllocationResult", 4, "controller"},
    {"resource.k8s.io/v1beta2", "DeviceClassSpec", 3, "suitableNodes"},
    {"resource.k8s.io/v1beta2", "DeviceTaintSelector", 1, "deviceClassName"},
    {"resource.k8s.io/v1beta2", "DeviceTaintSelector", 5, "selectors"},
    {"resource.k8s.io/v1beta2", "ResourceClaimSpec", 2, "controller"},
    {"resource.k8s.io/v1beta2", "ResourceClaimStatus", 3, "deallocationRequested"},
};

}  // namespace

std::string NameRemovedField(const object::MessageDesc& type, std::string_view path) {
  const size_t mark = path.rfind('#');
  uint32_t number = 0;
  if (mark == std::string_view::npos || (mark != 0 && path[mark - 1] != '.')) return {};
  std::from_chars(path.data() + mark + 1, path.data() + path.size(), number);
  const object::MessageDesc* message = &type;
  for (std::string_view rest = path.substr(0, mark); !rest.empty();) {
    const std::string_view step = rest.substr(0, rest.find('.'));
    rest.remove_prefix(step.size() + 1);
    const uint16_t field = message->FindField(step.substr(0, step.find('[')));
    if (field == object::MessageDesc::kNoField) return {};
    message = message->fields[field].message;
    if (message == nullptr) return {};
  }
  for (const RemovedField& each : kRemoved) {
    if (each.number == number && each.message == message->name &&
        message->group_version != nullptr && each.path == message->group_version->path) {
      return std::string(path.substr(0, mark)).append(each.name);
    }
  }
  return {};
}

}  // namespace skiff::cli
