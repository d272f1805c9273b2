// What the rules of pods depend on besides the pod.
//
// A pod is valid or not by the rules of today. An object that was stored under older rules must
// stay writable, so a change is judged more mildly: what was wrong already may stay as it is.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "views/core/v1.h"
#include "views/meta/v1.h"

namespace skiff {

struct PodOptions {
  // It is a pod, not a template of pods.
  bool is_pod = false;
  bool allow_invalid_deletion_cost = false;
  bool allow_invalid_values_in_affinity = false;
  bool allow_invalid_values_in_required_node_affinity = false;
  bool allow_indivisible_huge_pages = false;
  bool allow_invalid_spread_selector = false;
  // Keys of matchLabelKeys are held against the selector as it was done before they were merged.
  bool has_unmerged_match_label_keys = false;
  bool allow_any_token_path = false;
  bool allow_sysctls_of_the_host = false;
  bool allow_any_se_linux_change_policy = false;
  bool allow_restart_on_resize_of_init_containers = false;
  bool allow_volume_devices_without_host_users = false;
  bool allow_host_network_without_host_users = false;
  bool allow_comparing_tolerations = false;
};

// For an object that is to replace one that was stored with this spec and metadata. Views of
// nothing: for a new object.
PodOptions PodOptionsFor(const views::core_v1::PodSpec& old_spec,
                         const views::meta_v1::ObjectMeta& old_meta);

// What the server allows in pods because it was told so: --allow-privileged, and feature gates that
// are off unless somebody turns them on.
enum class PodFeature : uint32_t {
  kPrivileged = 1 << 0,
  kClusterTrustBundleProjection = 1 << 1,
  kPodCertificates = 1 << 2,
  kGenericWorkload = 1 << 3,
  kStopSignals = 1 << 4,
  kComparingTolerations = 1 << 5,
  kHostNetworkWithoutHostUsers = 1 << 6,
  kSeLinuxMount = 1 << 7,
};
bool IsOn(PodFeature feature);
// Once, before anything is served. All are off until then.
void SetPodFeatures(bool allow_privileged,
                    const std::function<bool(std::string_view gate)>& is_gate_on);

}  // namespace skiff
