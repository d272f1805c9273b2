// For tests of leader election: a server that knows one Lease, ways to it that lose and delay what
// is sent, and processes whose clocks differ and that stop for a while.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "base/random.h"
#include "client/client.h"
#include "client/manual_executor.h"
#include "views/coordination.k8s.io/v1.h"

namespace skiff::client {

class LeaseServer {
 public:
  Result<ClientReply> Answer(const ClientCall& call) {
    ++calls;
    switch (call.verb) {
      case ClientVerb::kGet:
        if (lease == nullptr) return Fail(StatusReason::kNotFound, "there is none");
        return ClientReply{.object = lease};
      case ClientVerb::kCreate:
        if (lease != nullptr) return Fail(StatusReason::kAlreadyExists, "there is one");
        return Store(*call.body);
      case ClientVerb::kUpdate:
        if (lease == nullptr) return Fail(StatusReason::kNotFound, "there is none");
        if (ResourceVersionOf(*call.body) != ResourceVersionOf(*lease)) {
          return Fail(StatusReason::kConflict, "it has changed");
        }
        return Store(*call.body);
      default:
        return Fail(StatusReason::kMethodNotAllowed, "nobody does that");
    }
  }

  views::coordination_k8s_io_v1::LeaseSpec spec() const {
    return object::ViewAs<views::coordination_k8s_io_v1::Lease>(*lease)->spec();
  }
  std::string holder() const {
    return lease == nullptr ? "" : std::string(spec().holder_identity().value_or(""));
  }

  ObjectPtr lease;
  int calls = 0;
  int writes = 0;

 private:
  Result<ClientReply> Store(const object::Document& object) {
    auto copy = MutableCopy(object);
    views::coordination_k8s_io_v1::MutableLease(*copy).mutable_metadata().set_resource_version(
        std::to_string(++writes));
    lease = std::move(copy);
    return ClientReply{.object = lease};
  }
};

// One process: time passes as for all, but its clocks show something else, and it may stop.
class ProcessExecutor final : public Executor, private Clock {
 public:
  explicit ProcessExecutor(ManualExecutor& world) : world_(world) {}

  void Post(Work work) override {
    world_.Post([this, work = std::move(work)]() mutable { Run(std::move(work)); });
  }
  TimerId After(Duration delay, Work work) override {
    return world_.After(delay, [this, work = std::move(work)]() mutable { Run(std::move(work)); });
  }
  void Cancel(TimerId timer) override { world_.Cancel(timer); }
  Clock& clock() override { return *this; }

  void Pause() { paused_ = true; }
  void Resume() {
    paused_ = false;
    while (!held_.empty() && !paused_) {
      Work work = std::move(held_.front());
      held_.pop_front();
      work();
    }
  }

  Duration monotonic_offset{};
  Duration wall_offset{};

 private:
  void Run(Work work) {
    if (paused_) {
      held_.push_back(std::move(work));
    } else {
      work();
    }
  }
  Duration Monotonic() override { return world_.clock().Monotonic() + monotonic_offset; }
  Duration Wall() override { return world_.clock().Wall() + wall_offset; }
  void WaitUntil(std::condition_variable&, std::unique_lock<std::mutex>&, Duration) override {}

  ManualExecutor& world_;
  bool paused_ = false;
  std::deque<Work> held_;
};

// The way of one process to the server.
class LeaseLink final : public ClientTransport {
 public:
  using Done = std::move_only_function<void(Result<ClientReply>)>;

  LeaseLink(ManualExecutor& world, ProcessExecutor& process, LeaseServer& server, Random& random)
      : world_(world), process_(process), server_(server), random_(random) {}
  ~LeaseLink() override { Close(); }

  Executor& executor() override { return process_; }

  void Send(ClientCall call, Done done) override {
    const uint64_t id = ++last_;
    open_.emplace(id, std::move(done));
    if (closed_) {
      process_.Post([this, id] { Answer(id, Gone()); });
      return;
    }
    auto shared = std::make_shared<ClientCall>(std::move(call));
    const Duration there = Delay();
    const Duration back = Delay();
    const bool lost = random_.UniformDouble() < lose_requests;
    const bool lost_back = random_.UniformDouble() < lose_answers;
    world_.After(there, [this, alive = alive_, id, shared, back, lost, lost_back] {
      if (!*alive || lost || cut) return;
      Result<ClientReply> answer = server_.Answer(*shared);
      if (lost_back) return;
      process_.After(back, [this, alive, id, answer = std::move(answer)]() mutable {
        if (*alive && !cut) Answer(id, std::move(answer));
      });
    });
  }
  std::unique_ptr<ClientWatch> Watch(WatchCall, ClientWatchSink*) override { return nullptr; }
  void Discover(std::move_only_function<void(Result<ServedApi>)>) override {}
  void Close() override {
    closed_ = true;
    while (!open_.empty()) Answer(open_.begin()->first, Gone());
    *alive_ = false;
  }

  bool cut = false;  // nothing comes through, in either direction
  double lose_requests = 0;
  double lose_answers = 0;
  Duration least_delay{};
  Duration most_delay{};

 private:
  static Result<ClientReply> Gone() {
    return Fail(StatusReason::kServiceUnavailable, "the way is closed");
  }
  Duration Delay() {
    const auto range = static_cast<uint64_t>((most_delay - least_delay).count());
    return least_delay + Duration(range == 0 ? 0 : random_.Uniform(range));
  }
  void Answer(uint64_t id, Result<ClientReply> answer) {
    const auto found = open_.find(id);
    if (found == open_.end()) return;
    Done done = std::move(found->second);
    open_.erase(found);
    done(std::move(answer));
  }

  ManualExecutor& world_;
  ProcessExecutor& process_;
  LeaseServer& server_;
  Random& random_;
  bool closed_ = false;
  uint64_t last_ = 0;
  std::map<uint64_t, Done> open_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace skiff::client
