// TaintNodesByCondition: a new node gets no pods before it has said that it is ready.
#include "apiserver/admission/plugins.h"
#include "apiserver/admission/request.h"
#include "views/core/v1.h"

namespace skiff::apiserver {
namespace {

namespace core = views::core_v1;

constexpr std::string_view kNotReady = "node.kubernetes.io/not-ready";
constexpr std::string_view kNoSchedule = "NoSchedule";

class TaintNodesByCondition final : public AdmissionPlugin {
 public:
  Result<void> Mutate(AdmissionRequest& request) override {
    if (!Creates(request) || !IsWholly(request, "", "nodes")) return {};
    for (const core::Taint each : core::Node(*request.object).spec().taints()) {
      if (each.key() == kNotReady && each.effect() == kNoSchedule) return {};
    }
    auto taint = core::MutableNode(*request.object).mutable_spec().add_taints();
    taint.set_key(kNotReady);
    taint.set_effect(kNoSchedule);
    return {};
  }
};

}  // namespace

MadePlugin MakeTaintNodesByCondition(const PluginContext&, std::string_view) {
  return std::make_unique<TaintNodesByCondition>();
}

}  // namespace skiff::apiserver
