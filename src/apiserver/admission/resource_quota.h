// ResourceQuota: what a namespace may use is limited, and each write that uses more is charged to
// the quotas of its namespace, in the transaction that writes the object: both happen or neither.
//
// Only quotas whose status says what is used are enforced; a controller counts what there is when a
// quota is made, and lowers what is used when objects go. The plugin only ever adds.
#pragma once

#include <memory>
#include <string_view>

#include "apiserver/admission/plugin.h"

namespace skiff::apiserver {

Result<std::unique_ptr<AdmissionPlugin>> MakeResourceQuota(const PluginContext& context,
                                                           std::string_view config_json);

}  // namespace skiff::apiserver
