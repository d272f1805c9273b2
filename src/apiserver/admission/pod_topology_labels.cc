// PodTopologyLabels: a pod is labelled with the zone and region of its node, so that it can find
// out where it runs. A binding carries the labels to the pod.
#include "apiserver/admission/lookups.h"
#include "apiserver/admission/plugins.h"
#include "apiserver/admission/request.h"
#include "views/core/v1.h"

namespace skiff::apiserver {
namespace {

namespace core = views::core_v1;

constexpr std::string_view kLabels[] = {"topology.kubernetes.io/zone",
                                        "topology.kubernetes.io/region"};

struct Topology {
  explicit Topology(object::Document& node) {
    for (const std::string_view label : kLabels) {
      const auto value = core::Node(node).metadata().labels().Find(label);
      if (value) labels.emplace_back(label, *value);
    }
  }
  std::vector<std::pair<std::string_view, std::string>> labels;
};

class PodTopologyLabels final : public AdmissionPlugin {
 public:
  explicit PodTopologyLabels(ResourceStorage* nodes) : nodes_(nodes) {}

  Result<void> Mutate(AdmissionRequest& request) override {
    if (!Creates(request) || !IsOf(request, "", "pods")) return {};
    if (request.subresource.empty()) {
      const std::string_view node = core::Pod(*request.object).spec().node_name();
      if (!node.empty()) CopyLabels(node, core::MutablePod(*request.object).mutable_metadata());
    } else if (request.subresource == "binding") {
      const core::ObjectReference target = core::Binding(*request.object).target();
      if (target.kind() == "Node") {
        CopyLabels(target.name(), core::MutableBinding(*request.object).mutable_metadata());
      }
    }
    return {};
  }

 private:
  void CopyLabels(std::string_view node, views::meta_v1::MutableObjectMeta meta) {
    const auto topology = nodes_.Find("", node);
    if (!topology) return;
    for (const auto& [label, value] : topology->labels) meta.put_labels(label, value);
  }

  Remembered<Topology> nodes_;
};

}  // namespace

MadePlugin MakePodTopologyLabels(const PluginContext& context, std::string_view) {
  if (!context.FeatureEnabled("PodTopologyLabelsAdmission")) {
    return std::make_unique<AdmissionPlugin>();
  }
  return std::make_unique<PodTopologyLabels>(StorageOf(context, "", "nodes"));
}

}  // namespace skiff::apiserver
