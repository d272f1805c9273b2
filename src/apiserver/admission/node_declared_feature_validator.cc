// NodeDeclaredFeatureValidator: a pod on a node is not changed in a way that the node does not say
// it supports.
#include <algorithm>
#include <vector>

#include "apiserver/admission/lookups.h"
#include "apiserver/admission/plugins.h"
#include "apiserver/admission/request.h"
#include "apiserver/rest/object_meta.h"
#include "base/strings.h"
#include "views/core/v1.h"

namespace skiff::apiserver {
namespace {

namespace core = views::core_v1;

bool Same(const object::Value* a, const object::Value* b) {
  if (a == nullptr || b == nullptr) return a == b;
  return object::DeepEqual(*a, *b);
}

bool ResizesPod(const core::PodSpec& before, const core::PodSpec& after) {
  return !Same(before.resources().AsValue(), after.resources().AsValue());
}

// An init container that is over before the others start.
bool ResizesInitContainer(const core::PodSpec& before, const core::PodSpec& after) {
  const size_t count = std::min(before.init_containers().size(), after.init_containers().size());
  for (size_t i = 0; i < count; ++i) {
    const core::Container old = before.init_containers()[i];
    if (old.restart_policy().value_or("") == "Always") continue;
    const core::Container now = after.init_containers()[i];
    if (!Same(old.resources().AsValue(), now.resources().AsValue())) return true;
  }
  return false;
}

// Features that nodes declare, and which changes of a pod need them.
struct Feature {
  std::string_view name;
  bool (*needed)(const core::PodSpec& before, const core::PodSpec& after);
};
constexpr Feature kFeatures[] = {
    {Gate("InPlacePodLevelResourcesVerticalScaling").name(), ResizesPod},
    {Gate("InPlacePodVerticalScalingInitContainers").name(), ResizesInitContainer},
};

class NodeDeclaredFeatureValidator final : public AdmissionPlugin {
 public:
  explicit NodeDeclaredFeatureValidator(ResourceStorage* nodes) : nodes_(nodes) {}

  Result<void> Validate(AdmissionRequest& request) override {
    if (!Updates(request) || !IsOf(request, "", "pods")) return {};
    if (!request.subresource.empty() && request.subresource != "resize") return {};
    const core::PodSpec before = core::Pod(*request.old).spec();
    const core::PodSpec after = core::Pod(*request.object).spec();
    if (after.node_name().empty()) return {};
    if (MetaOf(*request.old).generation() == MetaOf(*request.object).generation()) return {};
    std::vector<std::string_view> needed;
    for (const Feature& each : kFeatures) {
      if (each.needed(before, after)) needed.push_back(each.name);
    }
    if (needed.empty()) return {};
    return CheckNode(request, after.node_name(), std::move(needed));
  }

 private:
  Result<void> CheckNode(const AdmissionRequest& request, std::string_view name,
                         std::vector<std::string_view> needed) {
    const std::optional<object::Document> node = DecodeNow(nodes_, "", name);
    if (!node) return Deny(request, "node " + InQuotes(name) + " not found");
    for (const std::string_view declared : core::Node(*node).status().declared_features()) {
      std::erase(needed, declared);
    }
    if (needed.empty()) return {};
    return Deny(request, "pod update requires features " + JoinTexts(needed) +
                             " which are not available on node " + InQuotes(name));
  }

  ResourceStorage* nodes_;
};

}  // namespace

MadePlugin MakeNodeDeclaredFeatureValidator(const PluginContext& context, std::string_view) {
  if (!context.FeatureEnabled("NodeDeclaredFeatures")) return std::make_unique<AdmissionPlugin>();
  return std::make_unique<NodeDeclaredFeatureValidator>(StorageOf(context, "", "nodes"));
}

}  // namespace skiff::apiserver
