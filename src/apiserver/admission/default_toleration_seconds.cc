// DefaultTolerationSeconds: a pod stays for a while on a node that is not ready or cannot be
// reached, unless it says itself what it tolerates.
#include "apiserver/admission/plugins.h"
#include "apiserver/admission/request.h"
#include "views/core/v1.h"

namespace skiff::apiserver {
namespace {

namespace core = views::core_v1;

constexpr std::string_view kNotReady = "node.kubernetes.io/not-ready";
constexpr std::string_view kUnreachable = "node.kubernetes.io/unreachable";
constexpr std::string_view kNoExecute = "NoExecute";

bool Tolerates(const core::PodSpec& spec, std::string_view key) {
  for (const core::Toleration each : spec.tolerations()) {
    const bool same_key = each.key().empty() || each.key() == key;
    if (same_key && (each.effect().empty() || each.effect() == kNoExecute)) return true;
  }
  return false;
}

class DefaultTolerationSeconds final : public AdmissionPlugin {
 public:
  DefaultTolerationSeconds(int64_t not_ready, int64_t unreachable)
      : not_ready_(not_ready), unreachable_(unreachable) {}

  Result<void> Mutate(AdmissionRequest& request) override {
    if (!WritesPod(request)) return {};
    // Both are decided by what the pod came with.
    const core::PodSpec spec = core::Pod(*request.object).spec();
    const bool adds_not_ready = !Tolerates(spec, kNotReady);
    const bool adds_unreachable = !Tolerates(spec, kUnreachable);
    if (adds_not_ready) Add(*request.object, kNotReady, not_ready_);
    if (adds_unreachable) Add(*request.object, kUnreachable, unreachable_);
    return {};
  }

 private:
  static void Add(object::Document& pod, std::string_view key, int64_t seconds) {
    auto added = core::MutablePod(pod).mutable_spec().add_tolerations();
    added.set_key(key);
    added.set_operator("Exists");
    added.set_effect(kNoExecute);
    added.set_toleration_seconds(seconds);
  }

  int64_t not_ready_;
  int64_t unreachable_;
};

}  // namespace

MadePlugin MakeDefaultTolerationSeconds(const PluginContext& context, std::string_view) {
  return std::make_unique<DefaultTolerationSeconds>(context.not_ready_toleration_seconds,
                                                    context.unreachable_toleration_seconds);
}

}  // namespace skiff::apiserver
