// How much of something a device has, and in which portions it may be asked for.
#pragma once

#include "apiserver/validation/field_errors.h"
#include "views/resource.k8s.io/v1.h"

namespace skiff::apiserver {

// `is_shared`: the device may be allocated several times, so that portions make sense.
void ValidateDeviceCapacity(const views::resource_k8s_io_v1::DeviceCapacity& capacity,
                            bool is_shared, FieldErrors& errors);

}  // namespace skiff::apiserver
