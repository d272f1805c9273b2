// A simulated client that does one thing after the other, with pauses, until it is told to stop.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/task.h"
#include "client/client.h"
#include "tests/sim/cluster.h"
#include "tests/sim/guarantees.h"

namespace skiff::sim {

// Passes time within a coroutine.
Task<void> Pause(Executor& executor, Duration time);

class Actor {
 public:
  Actor(Cluster& cluster, Guarantees& guarantees, const std::string& name);
  virtual ~Actor() = default;

  void Start();
  // What is under way ends.
  void Stop() { stopping_ = true; }
  bool done() const { return done_; }
  const std::string& name() const { return process_.name; }
  SimClock& clock() { return process_.clock; }
  // What it waits for once it is quiet, and has not come about. Empty: nothing.
  virtual std::string Unsettled() const { return ""; }

 protected:
  virtual Task<void> Step() = 0;
  // After Stop().
  virtual Task<void> CleanUp() { co_return; }
  virtual Duration LongestPause() const { return std::chrono::milliseconds(400); }

  bool OneIn(uint64_t count) { return process_.random.Uniform(count) == 0; }
  uint64_t Draw(uint64_t bound) { return process_.random.Uniform(bound); }
  std::string NewMarker();

  // Each tells the guarantees what it was answered.
  Task<Result<client::ObjectPtr>> Create(const client::ApiResource& resource,
                                         client::ObjectName name, std::string rest);
  // With a name that the server chooses.
  Task<Result<client::ObjectPtr>> CreateNameless(const client::ApiResource& resource,
                                                 std::string name_space, std::string rest);
  // `change` is merged into the object besides the marker: members of the metadata, and after a
  // '|' others.
  Task<Result<client::ObjectPtr>> Patch(const client::ApiResource& resource,
                                        client::ObjectName name, std::string change);
  Task<Result<client::ObjectPtr>> Update(const client::ApiResource& resource,
                                         client::ObjectPtr known);
  Task<Result<void>> Delete(const client::ApiResource& resource, client::ObjectName name,
                            client::DeleteChoice how);
  Task<Result<client::ObjectPtr>> Get(const client::ApiResource& resource, client::ObjectName name);
  Task<void> List(const client::ApiResource& resource, std::string name_space);
  // Until it is there or the actor is to stop.
  Task<void> EnsureNamespace(std::string name);

  Cluster& cluster_;
  Guarantees& guarantees_;
  SimProcess process_;
  std::unique_ptr<SimTransport> transport_;
  client::Client client_;
  bool stopping_ = false;

 private:
  Task<void> Run();

  bool done_ = false;
  uint64_t markers_ = 0;
};

// The kinds that workloads use, of which any may own any.
std::vector<const client::ApiResource*> WorkKinds();
// The least that makes an object of the kind valid, as members of JSON after its metadata: each
// begins with a comma.
std::string RestOf(const client::ApiResource& resource);

}  // namespace skiff::sim
