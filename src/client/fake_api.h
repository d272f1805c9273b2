// A transport to objects in memory, with the faults that a test asks for. See testing.h.
//
// A call reaches the server, and its answer the client, in turns of the executor of their own,
// after half of the delay each; events come after the watch delay. Without delays everything
// happens at the current moment, in order. Destroying it closes it.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "client/client.h"
#include "client/fake_objects.h"

namespace skiff::client {

// Calls that fail. Members that are not given stand for any.
struct FakeFault {
  std::optional<ClientVerb> verb = {};
  std::string resource = {};  // "pods"
  std::string subresource = {};
  std::string name = {};
  int times = 1;  // negative: for ever
  Status status = Status(StatusReason::kInternalError, "injected");
  // The call is carried out all the same, and only its answer is lost.
  bool carried_out = false;
};

class FakeApi final : public ClientTransport {
 public:
  explicit FakeApi(Executor& executor, uint64_t seed = 1);
  // To the objects of another.
  FakeApi(Executor& executor, std::shared_ptr<FakeObjects> objects);
  ~FakeApi() override;

  Executor& executor() override { return executor_; }
  void Send(ClientCall call, std::move_only_function<void(Result<ClientReply>)> done) override;
  std::unique_ptr<ClientWatch> Watch(WatchCall call, ClientWatchSink* sink) override;
  void Discover(std::move_only_function<void(Result<ServedApi>)> done) override;
  void Close() override;

  FakeObjects& objects() { return *objects_; }
  const std::shared_ptr<FakeObjects>& shared_objects() { return objects_; }

  // --- faults

  void Fail(FakeFault fault) { faults_.push_back(std::move(fault)); }
  void FailNext(ClientVerb verb, int times, Status status);
  void StopFailing() { faults_.clear(); }
  // Watches that begin fail.
  void FailWatches(int times, Status status) { watch_faults_.push_back({times, status}); }
  void FailDiscovery(int times, Status status) { discovery_faults_.push_back({times, status}); }
  // Ends those that are open; without a status as a server does in its own time.
  void BreakWatches(std::optional<Status> why = {});
  // No events come until they are let through again.
  void HoldWatches(bool held);
  // Tells every watch how far it has come, where there is nothing else to tell.
  void SendBookmarks();
  // Whether a watch may ask for the initial events; a server may be too old for it.
  void SetStreamedLists(bool allowed) { streamed_lists_ = allowed; }
  void SetDelay(Duration delay) { delay_ = delay; }
  void SetWatchDelay(Duration delay) { watch_delay_ = delay; }

  // --- what was asked

  const std::vector<ClientCall>& calls() const { return calls_; }
  // Of a verb, and of a resource if it is given.
  size_t CountOf(ClientVerb verb, std::string_view resource = {}) const;
  void ForgetCalls() { calls_.clear(); }
  const std::vector<WatchCall>& watch_calls() const { return watch_calls_; }
  size_t open_watches() const { return watches_.size(); }

 private:
  class Watcher;
  class Handle;
  using Done = std::move_only_function<void(Result<ClientReply>)>;
  struct Times {
    int times;
    Status status;
  };

  void Later(Duration delay, Executor::Work work);
  void Carry(uint64_t id, const ClientCall& call);
  void Answer(uint64_t id, Result<ClientReply> reply);
  FakeFault* FindFault(const ClientCall& call);
  static std::optional<Status> Take(std::list<Times>& faults);
  void WakeWatches();

  Executor& executor_;
  const std::shared_ptr<FakeObjects> objects_;
  const std::shared_ptr<FakeApi*> self_;  // null once this is gone
  const uint64_t listener_;
  std::map<uint64_t, Done> open_;
  std::map<uint64_t, std::move_only_function<void(Result<ServedApi>)>> discoveries_;
  uint64_t last_id_ = 0;
  std::map<uint64_t, std::shared_ptr<Watcher>> watches_;
  std::list<FakeFault> faults_;
  std::list<Times> watch_faults_;
  std::list<Times> discovery_faults_;
  // Those of the calls that are remembered, whose own may be gone once they are answered.
  const ApiResource* Kept(const ApiResource& resource);

  std::deque<ApiResource> resources_;
  std::vector<ClientCall> calls_;
  std::vector<WatchCall> watch_calls_;
  Duration delay_{};
  Duration watch_delay_{};
  bool streamed_lists_ = true;
  bool held_ = false;
  bool closed_ = false;
};

}  // namespace skiff::client
