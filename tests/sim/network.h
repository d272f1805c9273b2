// The network between simulated processes and the API server: a transport in front of the server's
// own, which takes its time, loses requests and answers, cuts watches, and knows partitions and
// servers that are gone.
//
// As with TCP, what one watch is told comes in order, while calls overtake each other. A request or
// an answer that is lost is answered kServerTimeout when the caller's patience is over; a server
// that is not there refuses at once.
//
// Everything happens on the first thread of the simulation.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/random.h"
#include "client/client.h"
#include "serving/auth/user.h"
#include "tests/sim/counters.h"
#include "tests/sim/loop.h"

namespace skiff::sim {

class SimTransport;

// What somebody who looks at every call is told.
class CallObserver {
 public:
  virtual ~CallObserver() = default;
  // The process sends the call; nothing has happened yet.
  virtual void OnSend(const std::string& process, const client::ClientCall& call) = 0;
  // An object has come to the process by a list or a watch of nothing but metadata, without
  // selectors, as collectors use them.
  virtual void OnTold(const std::string& /*process*/, const object::Document& /*object*/) {}
};

struct NetworkTrouble {
  Duration longest_delay = std::chrono::milliseconds(2);
  // One in so many; zero: never.
  uint32_t lose_request_one_in = 0;
  uint32_t lose_answer_one_in = 0;
  uint32_t cut_watch_one_in = 0;  // of deliveries
  uint32_t slow_one_in = 0;       // takes up to `slow_delay`
  Duration slow_delay = std::chrono::seconds(3);
};

class SimNetwork {
 public:
  using Connect = std::function<std::unique_ptr<client::ClientTransport>(
      const serving::UserInfo& user, Executor& executor)>;

  SimNetwork(SimLoop& loop, uint64_t seed, Counters& counters)
      : loop_(loop), random_(seed), counters_(counters) {}

  void SetTrouble(NetworkTrouble trouble) { trouble_ = trouble; }
  void Partition(const std::string& process, bool away);
  void HealAll();
  // The server is there; calls go to what `connect` makes.
  void ServerUp(Connect connect);
  // From now on nothing of the server reaches anybody, and nothing of it is held.
  void ServerDown();
  void AddObserver(CallObserver* observer) { observers_.push_back(observer); }
  void RemoveObserver(CallObserver* observer) { std::erase(observers_, observer); }

  // A bug for tests of the tests: writes by this process are answered as if they were done, and are
  // not, one in so many.
  void PretendWrites(const std::string& process, uint32_t one_in) {
    pretend_process_ = process;
    pretend_one_in_ = one_in;
  }

  std::unique_ptr<SimTransport> MakeTransport(std::string process, serving::UserInfo user,
                                              Executor& executor);

 private:
  friend class SimTransport;
  friend class SimWatch;
  bool OneIn(uint32_t count) { return count != 0 && random_.Uniform(count) == 0; }
  Duration DrawDelay();
  void Tell(const std::string& process, const client::ObjectPtr& object);
  bool Away(const std::string& process) const { return away_.contains(process); }

  SimLoop& loop_;
  SeededRandom random_;
  Counters& counters_;
  NetworkTrouble trouble_;
  std::set<std::string> away_;
  Connect connect_;
  uint64_t epoch_ = 0;  // of the server's life
  std::vector<CallObserver*> observers_;
  std::string pretend_process_;
  uint32_t pretend_one_in_ = 0;
  std::vector<SimTransport*> transports_;
};

class SimWatch;

class SimTransport final : public client::ClientTransport {
 public:
  SimTransport(SimNetwork& network, std::string process, serving::UserInfo user,
               Executor& executor);
  ~SimTransport() override;

  Executor& executor() override { return executor_; }
  void Send(client::ClientCall call,
            std::move_only_function<void(Result<client::ClientReply>)> done) override;
  std::unique_ptr<client::ClientWatch> Watch(client::WatchCall call,
                                             client::ClientWatchSink* sink) override;
  void Discover(std::move_only_function<void(Result<client::ServedApi>)> done) override;
  void Close() override;

  // A bug for tests of the tests: what this says is the answer, without asking the server.
  using Lie = std::function<std::optional<Status>(const client::ClientCall& call)>;
  void SetLie(Lie lie) { lie_ = std::move(lie); }

  size_t open_calls() const { return calls_.size(); }

 private:
  friend class SimNetwork;
  friend class SimWatch;
  struct OpenCall {
    std::move_only_function<void(Status)> fail;
    uint64_t epoch = 0;  // of the server that has it; zero: none
    Executor::TimerId patience;
  };

  uint64_t Begin(std::move_only_function<void(Status)> fail);
  void Fail(uint64_t id, StatusReason reason, const char* why);
  // False: the call has been answered already.
  bool End(uint64_t id);
  // The request has got through: the way to the server, or null when it was refused.
  ClientTransport* Arrive(uint64_t id);
  // Runs the rest when the answer has come, unless it is lost.
  void Deliver(uint64_t id, Executor::Work answer);
  void Forward(uint64_t id, client::ClientCall call,
               std::shared_ptr<std::move_only_function<void(Result<client::ClientReply>)>> done);
  ClientTransport* Inner();
  void DropInner();
  Executor::TimerId Later(Duration delay, Executor::Work work);
  void OnServerDown();

  SimNetwork& network_;
  const std::string process_;
  const serving::UserInfo user_;
  Executor& executor_;
  std::unique_ptr<ClientTransport> inner_;
  uint64_t inner_epoch_ = 0;
  std::map<uint64_t, OpenCall> calls_;
  uint64_t next_call_ = 1;
  std::vector<SimWatch*> watches_;
  bool closed_ = false;
  Lie lie_;
  // What was to happen later does not, when this is gone.
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace skiff::sim
