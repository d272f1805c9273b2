// LimitPodHardAntiAffinityTopology: a pod may keep others off its node, and off nothing larger.
#include "apiserver/admission/plugins.h"
#include "apiserver/admission/request.h"
#include "views/core/v1.h"

namespace skiff::apiserver {
namespace {

namespace core = views::core_v1;

constexpr std::string_view kHostname = "kubernetes.io/hostname";

class LimitPodHardAntiAffinityTopology final : public AdmissionPlugin {
 public:
  Result<void> Validate(AdmissionRequest& request) override {
    if (!WritesPod(request)) return {};
    const core::Pod pod(*request.object);
    for (const core::PodAffinityTerm term :
         pod.spec()
             .affinity()
             .pod_anti_affinity()
             .required_during_scheduling_ignored_during_execution()) {
      if (term.topology_key() == kHostname) continue;
      return Deny(request, "affinity.PodAntiAffinity.RequiredDuringScheduling has TopologyKey " +
                               std::string(term.topology_key()) + " but only key " +
                               std::string(kHostname) + " is allowed");
    }
    return {};
  }
};

}  // namespace

MadePlugin MakeLimitPodHardAntiAffinityTopology(const PluginContext&, std::string_view) {
  return std::make_unique<LimitPodHardAntiAffinityTopology>();
}

}  // namespace skiff::apiserver
