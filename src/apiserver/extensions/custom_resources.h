// All definitions of custom resources that are served at the moment, for whoever has to find one:
// the router, discovery, and what looks for resources by group, version and kind.
//
// Definitions are published and withdrawn one by one, each in constant time, by one thread (the
// definition controller's). Looking one up is a shared lock and a hash; who found one keeps it.
// What is made of all of them together, such as ServedResources, is made when somebody asks after
// something has changed.
//
// Owner: the API server. Any thread may look things up.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "apiserver/discovery/served_resources.h"
#include "apiserver/extensions/served_definition.h"

namespace skiff::apiserver {

class CustomResources {
 public:
  CustomResources(std::shared_ptr<const ServedResources> builtin, CustomServing serving);
  CustomResources(const CustomResources&) = delete;
  CustomResources& operator=(const CustomResources&) = delete;
  ~CustomResources();

  // Null: nothing of that name is served. It may have no version that is.
  std::shared_ptr<ServedDefinition> Find(std::string_view group, std::string_view plural) const;
  // By what an object says of itself; null likewise.
  std::shared_ptr<ServedDefinition> FindKind(std::string_view group, std::string_view kind) const;
  // By plural name.
  std::vector<std::shared_ptr<ServedDefinition>> InGroup(std::string_view group) const;
  // By group and plural name. Nothing may be published meanwhile, so `call` must be quick.
  void ForEach(const std::function<void(const ServedDefinition&)>& call) const;
  // Whether a version of a resource of the group is served.
  bool ServesGroup(std::string_view group) const;

  // Built-in and custom resources, as they are now. The tables live as long as what is returned.
  std::shared_ptr<const ServedResources> Served() const;
  // Rises with every change.
  uint64_t revision() const { return revision_.load(std::memory_order_acquire); }

  // --- for the definition controller

  // In place of the one of the same name, if there is one, whose watches end. `terminating`: no
  // objects are created.
  std::shared_ptr<ServedDefinition> Publish(std::shared_ptr<const CustomDefinition> definition,
                                            bool terminating = false);
  // Known to nobody, and nothing can be created: for who has to reach what objects there are, and
  // calls its Tick().
  std::shared_ptr<ServedDefinition> MakeUnpublished(
      std::shared_ptr<const CustomDefinition> definition) const;
  void Withdraw(std::string_view group, std::string_view plural);
  // No objects are created any more.
  void Terminate(ServedDefinition& served);
  // How many definitions are not served any more and are still held, by requests and watches, with
  // their caches. Any thread.
  size_t retired() const;
  // To be called every limits::kProgressInterval.
  void Tick();
  // Withdraws all.
  void Stop();

  PatternCache& patterns() { return *patterns_; }
  const std::shared_ptr<PatternCache>& shared_patterns() const { return patterns_; }

 private:
  // By plural name.
  using Group = std::map<std::string, std::shared_ptr<ServedDefinition>, std::less<>>;

  std::shared_ptr<const ServedResources> MakeServed() const;

  const std::shared_ptr<const ServedResources> builtin_;
  const CustomServing serving_;
  const std::shared_ptr<PatternCache> patterns_ = std::make_shared<PatternCache>();
  std::atomic<uint64_t> revision_{0};

  mutable std::shared_mutex mutex_;
  std::map<std::string, Group, std::less<>> groups_;
  std::vector<std::weak_ptr<const ServedDefinition>> retired_;

  mutable std::mutex served_mutex_;
  mutable std::shared_ptr<const ServedResources> served_;
  mutable uint64_t served_revision_ = 0;
};

}  // namespace skiff::apiserver
