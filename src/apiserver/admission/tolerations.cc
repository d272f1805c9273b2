#include "apiserver/admission/tolerations.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>

namespace skiff::apiserver {

namespace core = views::core_v1;

std::vector<PodToleration> ReadTolerations(object::ListView<core::Toleration> list) {
  std::vector<PodToleration> out;
  for (const core::Toleration each : list) {
    out.push_back({std::string(each.key()), std::string(each.operator_()),
                   std::string(each.value()), std::string(each.effect()),
                   each.toleration_seconds()});
  }
  return out;
}

void SetTolerations(object::Document& pod, const std::vector<PodToleration>& tolerations) {
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

namespace {

// Finds one that covers another among many, for a pod may have as many as fit into it. The
// tolerations must outlive it.
class CoverIndex {
 public:
  void Add(const PodToleration& each) {
    ++all_[IdentityOf(each)];
    if (const auto place = PlaceOf(each)) ++places_[*place][{CoveredTime(each), IdentityOf(each)}];
  }
  // One that was added.
  void Remove(const PodToleration& each) {
    Drop(all_, IdentityOf(each));
    const auto place = PlaceOf(each);
    if (place) Drop(places_[*place], Ranked(CoveredTime(each), IdentityOf(each)));
  }

  // As Covers() has it, of the one itself and of others.
  bool Has(const PodToleration& each) const { return all_.contains(IdentityOf(each)); }
  bool HasOtherThatCovers(const PodToleration& each) const {
    for (const std::string_view effect : {std::string_view(each.effect), std::string_view()}) {
      if (IsCoveredAt({false, each.key, effect, {}}, each)) return true;
      if (IsCoveredAt({false, {}, effect, {}}, each)) return true;
      const bool has_value = each.op == "Equal";
      if (has_value && IsCoveredAt({true, each.key, effect, each.value}, each)) return true;
    }
    return false;
  }

 private:
  using Identity = std::tuple<std::string_view, std::string_view, std::string_view,
                              std::string_view, std::optional<int64_t>>;
  // Whether it is for ever, or how many seconds.
  using Time = std::pair<bool, int64_t>;
  // The time that one covers, and which it is.
  using Ranked = std::pair<Time, Identity>;
  // Whether it is for one value; key, effect, value.
  using Place = std::tuple<bool, std::string_view, std::string_view, std::string_view>;

  static Identity IdentityOf(const PodToleration& each) {
    return {each.key, each.op, each.value, each.effect, each.seconds};
  }
  // Nothing of an operator that covers none but itself.
  static std::optional<Place> PlaceOf(const PodToleration& each) {
    if (each.op == "Exists") return Place(false, each.key, each.effect, {});
    if (!each.op.empty() && each.op != "Equal") return std::nullopt;
    return Place(true, each.key, each.effect, each.value);
  }
  static Time TimeOf(const PodToleration& each) {
    return each.seconds ? Time(false, *each.seconds) : Time(true, 0);
  }
  static Time CoveredTime(const PodToleration& each) {
    return each.effect == "NoExecute" ? TimeOf(each) : Time(true, 0);
  }
  template <typename Map, typename Key>
  static void Drop(Map& map, const Key& key) {
    const auto found = map.find(key);
    if (--found->second == 0) map.erase(found);
  }

  bool IsCoveredAt(const Place& place, const PodToleration& each) const {
    const auto found = places_.find(place);
    if (found == places_.end()) return false;
    auto strongest = found->second.rbegin();
    if (strongest != found->second.rend() && strongest->first.second == IdentityOf(each)) {
      ++strongest;
    }
    return strongest != found->second.rend() && strongest->first.first >= TimeOf(each);
  }

  std::map<Identity, size_t> all_;
  std::map<Place, std::map<Ranked, size_t>> places_;
};

}  // namespace

std::vector<PodToleration> MergeTolerations(std::vector<PodToleration> first,
                                            const std::vector<PodToleration>& second) {
  std::vector<PodToleration> all = std::move(first);
  all.insert(all.end(), second.begin(), second.end());
  CoverIndex later;
  for (const PodToleration& each : all) later.Add(each);
  CoverIndex kept;
  std::vector<PodToleration> out;
  for (const PodToleration& each : all) {
    later.Remove(each);
    if (kept.Has(each) || kept.HasOtherThatCovers(each) || later.HasOtherThatCovers(each)) continue;
    kept.Add(each);
    out.push_back(each);
  }
  return out;
}

bool AreAllowed(const std::vector<PodToleration>& tolerations,
                const std::vector<PodToleration>& allowed) {
  if (allowed.empty()) return true;
  CoverIndex index;
  for (const PodToleration& each : allowed) index.Add(each);
  return std::ranges::all_of(tolerations, [&index](const PodToleration& each) {
    return index.Has(each) || index.HasOtherThatCovers(each);
  });
}

}  // namespace skiff::apiserver
