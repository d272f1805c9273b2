// ExtendedResourceToleration: nodes with special resources are tainted with their name, and pods
// that ask for such a resource tolerate the taint.
#include <set>

#include "apiserver/admission/plugins.h"
#include "apiserver/admission/request.h"
#include "apiserver/admission/tolerations.h"
#include "views/core/v1.h"

namespace skiff::apiserver {
namespace {

namespace core = views::core_v1;

// Whether it is a resource of somebody else's domain.
bool IsExtended(std::string_view name) {
  return name.find('/') != std::string_view::npos && !name.starts_with("requests.") &&
         name.find("kubernetes.io/") == std::string_view::npos;
}

class ExtendedResourceToleration final : public AdmissionPlugin {
 public:
  Result<void> Mutate(AdmissionRequest& request) override {
    if (!WritesPod(request)) return {};
    const core::PodSpec spec = core::Pod(*request.object).spec();
    std::set<std::string> resources;
    const auto add = [&](const core::Container& container) {
      for (const auto& [name, amount] : container.resources().requests()) {
        if (IsExtended(name)) resources.emplace(name);
      }
    };
    for (const core::Container each : spec.containers()) add(each);
    for (const core::Container each : spec.init_containers()) add(each);
    if (resources.empty()) return {};
    std::vector<PodToleration> tolerations = ReadTolerations(spec.tolerations());
    for (const std::string& resource : resources) AddOrReplace(tolerations, resource);
    SetTolerations(*request.object, tolerations);
    return {};
  }

 private:
  static void AddOrReplace(std::vector<PodToleration>& tolerations, const std::string& resource) {
    const PodToleration wanted{resource, "Exists", "", "NoSchedule", {}};
    for (PodToleration& each : tolerations) {
      // The same taint, as far as it has a name.
      if (each.key == wanted.key && each.effect == wanted.effect && each.op == wanted.op &&
          each.value == wanted.value) {
        each = wanted;
        return;
      }
    }
    tolerations.push_back(wanted);
  }
};

}  // namespace

MadePlugin MakeExtendedResourceToleration(const PluginContext&, std::string_view) {
  return std::make_unique<ExtendedResourceToleration>();
}

}  // namespace skiff::apiserver
