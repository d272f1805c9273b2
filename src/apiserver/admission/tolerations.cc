#include "apiserver/admission/tolerations.h"

#include <algorithm>
#include <utility>

namespace skiff {

namespace core = views::core_v1;

std::vector<PodToleration> ReadTolerations(ListView<core::Toleration> list) {
  std::vector<PodToleration> out;
  for (const core::Toleration each : list) {
    out.push_back({std::string(each.key()), std::string(each.operator_()),
                   std::string(each.value()), std::string(each.effect()),
                   each.toleration_seconds()});
  }
  return out;
}

void SetTolerations(Document& pod, const std::vector<PodToleration>& tolerations) {
  auto spec = core::MutablePod(pod).mutable_spec();
  spec.clear_tolerations();
  for (const PodToleration& each : tolerations) {
    auto added = spec.add_tolerations();
    if (!each.key.empty()) added.set_key(each.key);
    if (!each.op.empty()) added.set_operator(each.op);
    if (!each.value.empty()) added.set_value(each.value);
    if (!each.effect.empty()) added.set_effect(each.effect);
    if (each.seconds) added.set_toleration_seconds(*each.seconds);
  }
}

bool Covers(const PodToleration& wide, const PodToleration& narrow) {
  if (wide == narrow) return true;
  const bool any_key = wide.key.empty() && wide.op == "Exists";
  if (wide.key != narrow.key && !any_key) return false;
  if (wide.effect != narrow.effect && !wide.effect.empty()) return false;
  if (wide.effect == "NoExecute" && wide.seconds &&
      (!narrow.seconds || *narrow.seconds > *wide.seconds)) {
    return false;
  }
  if (wide.op.empty() || wide.op == "Equal") {
    return narrow.op == "Equal" && narrow.value == wide.value;
  }
  return wide.op == "Exists";
}

std::vector<PodToleration> MergeTolerations(std::vector<PodToleration> first,
                                            const std::vector<PodToleration>& second) {
  std::vector<PodToleration> all = std::move(first);
  all.insert(all.end(), second.begin(), second.end());
  std::vector<PodToleration> out;
  for (size_t i = 0; i < all.size(); ++i) {
    const PodToleration& each = all[i];
    const auto covers = [&each](const PodToleration& other) { return Covers(other, each); };
    if (std::ranges::any_of(out, covers)) continue;
    const bool later = std::any_of(all.begin() + i + 1, all.end(), [&](const auto& other) {
      return other != each && covers(other);
    });
    if (!later) out.push_back(each);
  }
  return out;
}

bool AreAllowed(const std::vector<PodToleration>& tolerations,
                const std::vector<PodToleration>& allowed) {
  if (allowed.empty()) return true;
  return std::ranges::all_of(tolerations, [&allowed](const PodToleration& each) {
    return std::ranges::any_of(allowed,
                               [&each](const PodToleration& wide) { return Covers(wide, each); });
  });
}

}  // namespace skiff
