#include "tests/sim/storm.h"

#include <utility>

namespace skiff::sim {
namespace {

constexpr uint64_t kOwnNames = 5;
constexpr uint64_t kSharedNames = 2;

}  // namespace

StormActor::StormActor(Cluster& cluster, Guarantees& guarantees, int number)
    : Actor(cluster, guarantees, "storm-" + std::to_string(number)), name_space_("storm") {}

client::ObjectName StormActor::DrawName() {
  const uint64_t drawn = Draw(kOwnNames + kSharedNames);
  if (drawn < kSharedNames) return {name_space_, "shared-" + std::to_string(drawn)};
  return {name_space_, name() + "-" + std::to_string(drawn)};
}

// With what was last seen, which may be old by now: then it must be refused.
Task<void> StormActor::ChangeKnown(const client::ApiResource& resource, client::ObjectName name) {
  client::ObjectPtr& known = known_[StoredKey(resource, name)];
  if (known == nullptr) co_return;
  const Result<client::ObjectPtr> answer = co_await Update(resource, known);
  if (answer) known_[StoredKey(resource, name)] = *answer;
}

Task<void> StormActor::DeleteOne(const client::ApiResource& resource, client::ObjectName name) {
  client::DeleteChoice how;
  const client::ObjectPtr known = known_[StoredKey(resource, name)];
  if (known != nullptr && OneIn(2)) how.uid = std::string(client::UidOf(*known));
  if (known != nullptr && OneIn(4))
    how.resource_version = std::string(client::ResourceVersionOf(*known));
  co_await Delete(resource, name, std::move(how));
}

Task<void> StormActor::Step() {
  if (!prepared_) {
    co_await EnsureNamespace(name_space_);
    prepared_ = true;
  }
  const auto kinds = WorkKinds();
  const client::ApiResource& resource = *kinds[Draw(kinds.size())];
  const client::ObjectName name = DrawName();
  switch (Draw(10)) {
    case 0:
    case 1:
    case 2: {
      const Result<client::ObjectPtr> made = co_await Create(resource, name, RestOf(resource));
      if (made) known_[StoredKey(resource, name)] = *made;
      break;
    }
    case 3:
    case 4:
      co_await ChangeKnown(resource, name);
      break;
    case 5:
      co_await Patch(resource, name, "");
      break;
    case 6:
      co_await DeleteOne(resource, name);
      break;
    case 7:
      co_await List(resource, name_space_);
      break;
    default: {
      const Result<client::ObjectPtr> seen = co_await Get(resource, name);
      if (seen) known_[StoredKey(resource, name)] = *seen;
    }
  }
}

}  // namespace skiff::sim
