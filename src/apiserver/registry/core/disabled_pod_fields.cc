#include "apiserver/registry/core/disabled_pod_fields.h"

#include <string_view>

#include "apiserver/registry/core/pod_options.h"
#include "apiserver/registry/core/visit_containers.h"
#include "views/core/v1.h"

namespace skiff::apiserver {
namespace {

namespace core = views::core_v1;

// The sources of all projected volumes of a spec.
template <typename Visit>
void VisitSources(object::Value& spec, const Visit& visit) {
  object::Value* volumes = spec.Find("volumes");
  if (volumes == nullptr || !volumes->is_list()) return;
  for (object::Value& volume : volumes->items()) {
    object::Value* projected = volume.is_object() ? volume.Find("projected") : nullptr;
    object::Value* sources = projected != nullptr ? projected->Find("sources") : nullptr;
    if (sources == nullptr || !sources->is_list()) continue;
    for (object::Value& source : sources->items()) {
      if (source.is_object()) visit(source);
    }
  }
}

bool UsesSource(const core::PodSpec& spec, uint16_t field) {
  for (const core::Volume volume : spec.volumes()) {
    for (const core::VolumeProjection source : volume.projected().sources()) {
      if (source.AsValue() != nullptr && source.AsValue()->Member(field) != nullptr) return true;
    }
  }
  return false;
}

bool UsesStopSignals(const core::PodSpec& spec) {
  bool found = false;
  VisitContainers(spec, [&](const core::Container& container, std::string_view, size_t) {
    found |= container.lifecycle().stop_signal().has_value();
  });
  return found;
}

void DropStopSignals(object::Value& spec) {
  for (const std::string_view list : {"containers", "initContainers", "ephemeralContainers"}) {
    object::Value* containers = spec.Find(list);
    if (containers == nullptr || !containers->is_list()) continue;
    for (object::Value& container : containers->items()) {
      object::Value* lifecycle = container.is_object() ? container.Find("lifecycle") : nullptr;
      if (lifecycle == nullptr || !lifecycle->Erase("stopSignal")) continue;
      if (lifecycle->size() == 0) container.Erase("lifecycle");
    }
  }
}

}  // namespace

void DropDisabledPodFields(const FeatureGates& gates, object::Value& spec,
                           const object::Value* old_spec) {
  if (!spec.is_object()) return;
  const core::PodSpec old(old_spec);
  const core::PodSpec now(&spec);
  using Source = core::VolumeProjection;
  if (!gates.IsOn("ClusterTrustBundleProjection") && UsesSource(now, Source::kClusterTrustBundle) &&
      !UsesSource(old, Source::kClusterTrustBundle)) {
    VisitSources(spec, [](object::Value& source) { source.Erase("clusterTrustBundle"); });
  }
  if (!gates.IsOn("PodCertificateRequest") && UsesSource(now, Source::kPodCertificate) &&
      !UsesSource(old, Source::kPodCertificate)) {
    VisitSources(spec, [](object::Value& source) { source.Erase("podCertificate"); });
  }
  if (!gates.IsOn("GenericWorkload") && !old.has_scheduling_group()) {
    spec.Erase("schedulingGroup");
  }
  if (!gates.IsOn("ContainerStopSignals") && !UsesStopSignals(old)) DropStopSignals(spec);
}

}  // namespace skiff::apiserver
