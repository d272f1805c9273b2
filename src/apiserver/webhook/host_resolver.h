// Addresses of hosts, found by the system's resolver on a thread of its own, since that waits.
//
// What was found is remembered for a while; what was not is looked for again by the next who asks.
// A resolver that hangs holds up those who ask for other new names, too, but no thread of theirs.
// Owner: who calls servers; Find() on its loop, callbacks likewise.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/ip_address.h"
#include "base/status.h"
#include "base/thread.h"
#include "net/event_loop.h"

namespace skiff::apiserver {

class HostResolver {
 public:
  using Addresses = std::vector<IpAddress>;
  using Done = std::function<void(const Result<Addresses>&)>;

  // `look` is what waits: net::ResolveEndpoint(), or a test's.
  using Look = std::function<Result<Addresses>(const std::string& host)>;
  HostResolver(std::shared_ptr<net::EventLoop> loop, Look look = LookUp);
  ~HostResolver();

  // `done` is called at once if the addresses are known, else on the loop.
  void Find(const std::string& host, Done done);

  static Result<Addresses> LookUp(const std::string& host);

 private:
  struct Known {
    Addresses addresses;
    Duration until;
  };
  // What both threads have in hand.
  struct Shared {
    std::mutex mutex;
    std::condition_variable changed;
    std::deque<std::string> wanted;
    bool stopping = false;
  };
  void Run();
  void OnFound(const std::string& host, const Result<Addresses>& found);

  const std::shared_ptr<net::EventLoop> loop_;
  const Look look_;
  std::map<std::string, Known> known_;
  std::map<std::string, std::vector<Done>> waiting_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
  Shared shared_;
  std::unique_ptr<Thread> thread_;  // started by the first who needs it
};

}  // namespace skiff::apiserver
