// Asks extension API servers for their OpenAPI documents, and keeps those parts of them that are
// part of ours: the index of version 3, and what version 2 says of the versions that a server is
// registered for. Of one that knows no version 3, documents of that are made of version 2.
//
// A server is asked when it becomes available or something about its APIServices changes, and once
// a minute, with the tag of its last answer; after faults later each time, up to an hour. One that
// does not answer keeps what it last said, until its APIService goes.
//
// Owner: the aggregator. All of it but state() happens on the loop of the calls, which begins with
// the first APIService that names a service.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/aggregator/backend.h"
#include "apiserver/openapi/remote_documents.h"
#include "base/executor.h"
#include "base/log.h"

namespace skiff::apiserver {

class RemoteOpenApi final : public RemoteDocuments {
 public:
  struct Context {
    Backends& backends;
    // Runs work on the loop; false: that has ended. `executor` is only asked on the loop.
    std::function<bool(Executor::Work)> post;
    std::function<Executor&()> executor;
    Log& log;
  };
  explicit RemoteOpenApi(Context context) : context_(std::move(context)) {}

  // Any thread, as the next: there are other backends, or something about them has changed.
  void OnChange();
  std::shared_ptr<const RemoteOpenApiState> state() const override;

 private:
  struct Converted {
    std::string fingerprint;  // of what it was made of
    RemoteDocument document;
  };
  struct Server {
    std::vector<std::shared_ptr<const Backend>> backends;  // by name
    std::string etag = {};                                 // of version 2
    std::string body_hash = {};                            // likewise
    std::map<std::string, RemoteSwagger> swagger = {};     // by APIService
    size_t bytes = 0;                                      // of these
    std::map<std::string, std::string> addresses = {};     // of version 3, by name
    bool has_v3 = true;
    std::map<std::string, Converted> converted = {};  // by name, of one that has none
    uint64_t round = 0;
    bool asking = false;
    bool again = false;
    int open = 0;  // questions of this round
    int failures = 0;
    bool failed = false;
    std::string fault = {};  // that was told
  };

  void Follow();
  void Ask(const std::string& key);
  Result<void> TakeSwagger(Server& server, const Result<BackendReply>& reply);
  Result<void> TakeIndex(Server& server, const Result<BackendReply>& reply);
  static void Convert(Server& server);
  void EndQuestion(const std::string& key, Server& server, const Result<void>& outcome);
  void Publish();
  Server* Current(const std::string& key, uint64_t round);

  const Context context_;
  std::atomic<bool> began_{false};

  // Of the loop.
  std::map<std::string, Server> servers_;
  size_t bytes_ = 0;
  uint64_t last_round_ = 0;

  mutable std::mutex mutex_;  // guards this
  std::shared_ptr<const RemoteOpenApiState> state_ = std::make_shared<const RemoteOpenApiState>();
};

}  // namespace skiff::apiserver
