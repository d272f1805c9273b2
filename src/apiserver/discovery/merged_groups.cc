#include "apiserver/discovery/merged_groups.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "apiserver/discovery/version_order.h"

namespace skiff::apiserver {
namespace {

// Which of the two orders is wanted.
enum class Order : uint8_t { kListed, kServed };

class Merger {
 public:
  explicit Merger(Order order) : order_(order) {}

  void Add(const ServedGroup& served) {
    MergedGroup& group = GroupNamed(served.name);
    for (const ServedVersion& version : served.versions) {
      const object::GroupVersionInfo& info = *version.info;
      Put(group, info.group_priority,
          {.version = info.desc->version, .priority = info.version_priority, .local = &version});
    }
  }

  void Add(const RegisteredVersion& registered) {
    const bool is_shown = registered.is_remote && registered.is_known;
    if (order_ == Order::kServed && !is_shown) return;
    MergedGroup& group = GroupNamed(registered.group);
    const auto found = Find(group, registered.version);
    // Elsewhere is what an APIService says to be; and who changes priorities, changes the list.
    MergedVersion version{.version = registered.version, .priority = registered.version_priority};
    if (registered.is_remote || found == group.versions.end()) {
      version.remote = &registered;
    } else {
      version.local = found->local;
    }
    Put(group, registered.group_priority, version);
  }

  std::vector<MergedGroup> Take() {
    for (MergedGroup& group : groups_) Sort(group);
    std::erase_if(groups_, [](const MergedGroup& each) { return each.versions.empty(); });
    std::vector<std::pair<Key, MergedGroup>> keyed;
    keyed.reserve(groups_.size());
    for (MergedGroup& group : groups_) keyed.emplace_back(KeyOf(group), std::move(group));
    std::ranges::sort(keyed, {}, [](const auto& each) -> const Key& { return each.first; });
    std::vector<MergedGroup> out;
    out.reserve(keyed.size());
    for (auto& [key, group] : keyed) out.push_back(std::move(group));
    return out;
  }

 private:
  // Core and the aggregator's own group, which has no priority; priority; name.
  using Key = std::tuple<int, int32_t, std::string>;

  MergedGroup& GroupNamed(std::string_view name) {
    const auto [at, is_new] = places_.try_emplace(name, groups_.size());
    if (is_new) groups_.push_back({.name = name});
    return groups_[at->second];
  }

  static std::vector<MergedVersion>::iterator Find(MergedGroup& group, std::string_view version) {
    return std::ranges::find(group.versions, version, &MergedVersion::version);
  }

  void Put(MergedGroup& group, int32_t group_priority, MergedVersion version) {
    priorities_[{group.name, version.version}] = group_priority;
    const auto found = Find(group, version.version);
    if (found == group.versions.end()) {
      group.versions.push_back(version);
    } else {
      *found = version;
    }
  }

  void Sort(MergedGroup& group) {
    std::ranges::stable_sort(group.versions, [](const MergedVersion& a, const MergedVersion& b) {
      if (a.priority != b.priority) return a.priority > b.priority;
      return VersionComesFirst(a.version, b.version);
    });
    for (const MergedVersion& version : group.versions) {
      group.priority = std::max(group.priority, priorities_.at({group.name, version.version}));
    }
  }

  Key KeyOf(const MergedGroup& group) const {
    const int place = group.name.empty() ? 0 : group.priority == 0 ? 1 : 2;
    if (order_ == Order::kServed) return {place, -group.priority, std::string(group.name)};
    // That of the APIService which comes first.
    std::string_view first;
    for (const MergedVersion& version : group.versions) {
      if (priorities_.at({group.name, version.version}) != group.priority) continue;
      if (first.empty() || version.version < first) first = version.version;
    }
    return {place, -group.priority, std::string(first).append(".").append(group.name)};
  }

  const Order order_;
  std::vector<MergedGroup> groups_;
  std::map<std::string_view, size_t> places_;
  std::map<std::pair<std::string_view, std::string_view>, int32_t> priorities_;  // of groups
};

}  // namespace

std::vector<MergedGroup> MergeGroups(const ServedResources& served,
                                     std::span<const RegisteredVersion> registered) {
  Merger merger(Order::kServed);
  for (const ServedGroup& group : served.groups()) merger.Add(group);
  for (const RegisteredVersion& version : registered) merger.Add(version);
  return merger.Take();
}

std::vector<MergedGroup> ListGroups(const ServedResources& served,
                                    std::span<const RegisteredVersion> registered) {
  Merger merger(Order::kListed);
  for (const ServedGroup& group : served.groups()) merger.Add(group);
  for (const RegisteredVersion& version : registered) merger.Add(version);
  return merger.Take();
}

MergedGroup ListGroup(const ServedResources& served, std::span<const RegisteredVersion> registered,
                      std::string_view name) {
  Merger merger(Order::kListed);
  if (const ServedGroup* const group = served.FindGroup(name)) merger.Add(*group);
  for (const RegisteredVersion& version : registered) {
    if (version.group == name) merger.Add(version);
  }
  std::vector<MergedGroup> made = merger.Take();
  return made.empty() ? MergedGroup{} : std::move(made.front());
}

}  // namespace skiff::apiserver
