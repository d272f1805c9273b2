// Dynamic resource allocation: where v1beta1 of resource.k8s.io differs from its successors.
//
// A request has its members one level down, in `exactly`; a device has them one level up, out of
// `basic`.
#pragma once

#include <span>

#include "apiserver/convert/conversion_rule.h"

namespace skiff::apiserver {

std::span<const ConversionRule> DeviceConversions();

}  // namespace skiff::apiserver
