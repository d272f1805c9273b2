// The rules about the cluster IPs of Services and the families they are of, and about changing
// them. Places are relative to the spec.
#pragma once

#include "apiserver/validation/field_errors.h"
#include "views/core/v1.h"

namespace skiff::apiserver {

// clusterIPs is "None" and nothing else.
bool IsHeadless(const views::core_v1::ServiceSpec& spec);

// clusterIP, clusterIPs, ipFamilies and ipFamilyPolicy say the same. What `old` has was valid once;
// it may be a view of nothing.
void ValidateClusterAddresses(const views::core_v1::ServiceSpec& spec,
                              const views::core_v1::ServiceSpec& old, FieldErrors& errors);
// The first address and its family stay; a second one may come and go.
void ValidateClusterAddressChange(const views::core_v1::ServiceSpec& spec,
                                  const views::core_v1::ServiceSpec& old, FieldErrors& errors);

}  // namespace skiff::apiserver
