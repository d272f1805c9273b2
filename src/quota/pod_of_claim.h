// Claims of devices that were made for the extended resources that a pod asks for.
#pragma once

#include <string>
#include <string_view>

#include "object/value.h"
#include "views/core/v1.h"
#include "views/meta/v1.h"
#include "views/resource.k8s.io/v1.h"

namespace skiff::quota {

// In a quota, "deviceclass.resource.kubernetes.io/NAME" stands for devices of a class.
inline constexpr std::string_view kDeviceClassPrefix = "deviceclass.resource.kubernetes.io/";

// The extended resource that stands for devices of this class; empty: none.
std::string ExtendedResourceName(const object::Document& device_class);

// The pod that the claim was made for, by reference; null view: it was made for none.
views::meta_v1::OwnerReference PodOwnerOf(const views::resource_k8s_io_v1::ResourceClaim& claim);

// Which of several claims of one pod is the pod's own, until the pod says so: the oldest one.
bool IsOlderClaim(const views::resource_k8s_io_v1::ResourceClaim& a,
                  const views::resource_k8s_io_v1::ResourceClaim& b);

}  // namespace skiff::quota
