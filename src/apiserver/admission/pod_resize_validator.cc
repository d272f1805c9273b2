// PodResizeValidator: a pod that runs does not grow beyond what its node has to give, and grows on
// Linux only.
#include <vector>

#include "apiserver/admission/lookups.h"
#include "apiserver/admission/plugins.h"
#include "apiserver/admission/request.h"
#include "apiserver/rest/object_meta.h"
#include "base/strings.h"
#include "quota/pod_resources.h"
#include "views/core/v1.h"

namespace skiff::apiserver {
namespace {

namespace core = views::core_v1;

object::Quantity Allocatable(const core::Node& node, std::string_view resource) {
  const auto text = node.status().allocatable().Find(resource);
  const Result<object::Quantity> parsed = object::Quantity::Parse(text.value_or("0"));
  return parsed ? *parsed : object::Quantity();
}

class PodResizeValidator final : public AdmissionPlugin {
 public:
  explicit PodResizeValidator(ResourceStorage* nodes) : nodes_(nodes) {}

  Result<void> Validate(AdmissionRequest& request) override {
    if (!Updates(request) || request.subresource != "resize" || !IsOf(request, "", "pods")) {
      return {};
    }
    const core::PodSpec spec = core::Pod(*request.object).spec();
    const std::string name(spec.node_name());
    if (name.empty()) return {};
    if (MetaOf(*request.old).generation() == MetaOf(*request.object).generation()) return {};
    const std::optional<object::Document> found = DecodeNow(nodes_, "", name);
    if (!found) return Deny(request, "node " + InQuotes(name) + " not found");
    const core::Node node(*found);
    const std::string_view os = node.metadata().labels().Find("kubernetes.io/os").value_or("linux");
    if (os != "linux") {
      return Refuse(request,
                    "pod resize is only supported on linux nodes, node " + InQuotes(name) + " is " +
                        InQuotes(os),
                    "UnsupportedPlatform");
    }
    return CheckRoom(request, core::Pod(*request.object), node);
  }

 private:
  static Result<void> CheckRoom(const AdmissionRequest& request, const core::Pod& pod,
                                const core::Node& node) {
    std::vector<std::string> lacking;
    const quota::ResourceList requests = quota::PodRequests(pod, {.with_overhead = true});
    const auto check = [&](std::string_view resource, auto value_of) {
      const auto found = requests.find(resource);
      const object::Quantity asked = found != requests.end() ? found->second : object::Quantity();
      const object::Quantity there = Allocatable(node, resource);
      if (asked <= there) return;
      lacking.push_back(std::string(resource) + ", requested: " + std::to_string(value_of(asked)) +
                        ", allocatable: " + std::to_string(value_of(there)));
    };
    check("cpu", [](const object::Quantity& amount) { return amount.MilliValue(); });
    check("memory", [](const object::Quantity& amount) { return amount.Value(); });
    if (lacking.empty()) return {};
    return Refuse(request,
                  "node didn't have enough allocatable resources: " + JoinTexts(lacking, "; "),
                  "NodeCapacity");
  }

  static std::unexpected<Status> Refuse(const AdmissionRequest& request, const std::string& why,
                                        std::string reason) {
    std::unexpected<Status> refused = Deny(request, why);
    refused.error().AddCause({std::move(reason), "", ""});
    return refused;
  }

  ResourceStorage* nodes_;
};

}  // namespace

MadePlugin MakePodResizeValidator(const PluginContext& context, std::string_view) {
  if (!context.FeatureEnabled("InPlacePodVerticalScaling")) {
    return std::make_unique<AdmissionPlugin>();
  }
  return std::make_unique<PodResizeValidator>(StorageOf(context, "", "nodes"));
}

}  // namespace skiff::apiserver
