// Asks a server what it serves, and remembers the answer for a while.
//
// First for all groups at once; a server that does not know of that is asked group by group. Of
// groups that are stale or fail, the answer says that they are unavailable. Who asks while the
// server is being asked gets the same answer; a server that says that nothing has changed (304) is
// believed. Belongs to the executor of its channel.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/limits.h"
#include "base/status.h"
#include "client/client.h"
#include "client/https/api_channel.h"
#include "client/https/discovery.h"

namespace skiff::client {

class Discoverer {
 public:
  using Done = std::move_only_function<void(Result<ServedApi>)>;

  // The channel must outlive it.
  explicit Discoverer(ApiChannel& channel, Duration kept = limits::kDiscoveryKept)
      : channel_(channel), kept_(kept) {}
  ~Discoverer() { *self_ = nullptr; }
  Discoverer(const Discoverer&) = delete;
  Discoverer& operator=(const Discoverer&) = delete;

  void Get(Done done);

 private:
  struct Root {
    std::string path;
    std::string etag = {};
    std::vector<DiscoveredVersion> versions = {};
  };

  void Ask(std::string path, std::string accept, std::string etag, ApiChannel::Done done);
  void OnRoot(Root& root, Result<ApiResponse> answer);
  Result<void> ReadRoot(Root& root, const ApiResponse& answer);
  void AskVersions(Root& root);
  void OnVersion(DiscoveredVersion& version, Result<ApiResponse> answer);
  void EndPart();
  void AnswerLater(Done done, Result<ServedApi> answer);

  ApiChannel& channel_;
  const Duration kept_;
  std::array<Root, 2> roots_ = {Root{.path = "/api"}, Root{.path = "/apis"}};
  size_t open_parts_ = 0;
  Result<void> outcome_;
  std::vector<Done> waiting_;
  ServedApi served_;
  std::optional<Duration> served_at_;
  const std::shared_ptr<Discoverer*> self_ = std::make_shared<Discoverer*>(this);
};

}  // namespace skiff::client
