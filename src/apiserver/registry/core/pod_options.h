// What the rules of pods depend on besides the pod.
//
// A pod is valid or not by the rules of today. An object that was stored under older rules must
// stay writable, so a change is judged more mildly: what was wrong already may stay as it is.
#pragma once

#include "views/core/v1.h"
#include "views/meta/v1.h"

namespace skiff::apiserver {

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

}  // namespace skiff::apiserver
