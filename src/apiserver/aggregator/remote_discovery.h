// Asks extension API servers what they serve, and keeps it up to date.
//
// A server is asked when one of its APIServices comes, changes, or becomes available or not; and
// once a minute. One that does not answer is asked sooner, each time later: its versions are then
// stale, and nothing is told of them. Servers that have a tag for their answer say that nothing has
// changed; those that know no aggregated discovery are asked version by version.
//
// Owner: the aggregator. All of it happens on the loop of the calls, which begins with the first
// APIService that names a service.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "apiserver/aggregator/backend.h"
#include "apiserver/aggregator/discovery_reply.h"
#include "apiserver/aggregator/registered_api.h"
#include "base/clock.h"
#include "base/executor.h"
#include "base/log.h"

namespace skiff::apiserver {

class RemoteDiscovery {
 public:
  struct Context {
    Backends& backends;
    // Runs work on the loop; false: that has ended. `executor` is only asked on the loop.
    std::function<bool(Executor::Work)> post;
    std::function<Executor&()> executor;
    RegisteredApi& registered;
    Log& log;
  };
  explicit RemoteDiscovery(Context context) : context_(std::move(context)) {}

  // Any thread: there are other backends, or something about them has changed.
  void OnChange();

 private:
  using Name = std::pair<std::string, std::string>;  // group and version

  struct Server {
    std::vector<std::shared_ptr<const Backend>> backends;  // by name
    std::string etag = {};
    DiscoveredResources documents = {};
    size_t bytes = 0;    // of the documents
    uint64_t round = 0;  // of the question that is under way, or of the timer
    bool asking = false;
    bool again = false;      // something has changed meanwhile
    size_t open = 0;         // versions that are being asked for
    int failures = 0;        // in a row
    bool failed = false;     // of this round
    std::string fault = {};  // that was told
  };

  void Follow();
  void Ask(const std::string& key);
  void OnDocument(const std::string& key, uint64_t round, const Result<BackendReply>& reply);
  void AskVersions(const std::string& key, Server& server);
  void OnVersion(const std::string& key, uint64_t round, const std::string& name, Name version,
                 const Result<BackendReply>& reply);
  bool Keep(Server& server, DiscoveredResources documents);
  void Publish(const Server& server);
  void Fault(Server& server, const std::string& fault);
  void EndRound(const std::string& key, Server& server);
  // Null: it is of a server or a round that has gone.
  Server* Find(const std::string& key, uint64_t round);

  const Context context_;
  std::atomic<bool> began_{false};

  // Of the loop.
  std::map<std::string, Server> servers_;
  size_t bytes_ = 0;  // of all documents
  uint64_t last_round_ = 0;
};

}  // namespace skiff::apiserver
