// Creates, updates, patches, deletes and reads objects of a few names as fast as it can; some names
// are shared with others.
#pragma once

#include <map>
#include <string>

#include "tests/sim/actor.h"

namespace skiff::sim {

class StormActor final : public Actor {
 public:
  StormActor(Cluster& cluster, Guarantees& guarantees, int number);

 protected:
  Task<void> Step() override;
  Duration LongestPause() const override { return std::chrono::milliseconds(150); }

 private:
  client::ObjectName DrawName();
  Task<void> ChangeKnown(const client::ApiResource& resource, client::ObjectName name);
  Task<void> DeleteOne(const client::ApiResource& resource, client::ObjectName name);

  const std::string name_space_;
  bool prepared_ = false;
  // The last that was seen of each.
  std::map<std::string, client::ObjectPtr> known_;
};

}  // namespace skiff::sim
