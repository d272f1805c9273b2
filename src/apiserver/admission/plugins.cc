#include "apiserver/admission/limit_ranger.h"
#include "apiserver/admission/plugin.h"
#include "apiserver/admission/pod_security.h"
#include "apiserver/admission/resource_quota.h"

namespace skiff {
namespace {

constexpr PluginDesc kPlugins[] = {
    {"LimitRanger", true, MakeLimitRanger},
    {"PodSecurity", true, MakePodSecurity},
    {"ResourceQuota", true, MakeResourceQuota},
};

}  // namespace

std::span<const PluginDesc> AllAdmissionPlugins() { return kPlugins; }

}  // namespace skiff
