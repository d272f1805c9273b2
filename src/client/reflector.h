// Follows one resource: reads its whole state, then watches, and begins again where that fails.
//
// The state comes as the first events of a watch (a streamed list), or, from a server that does not
// do that, as a list: the first as the server has it at hand (resourceVersion 0), which servers
// give as a whole, and in pages from one that does otherwise, has lost its place, or would answer
// too much at once. A watch that ends goes on from the last resourceVersion that an event or
// bookmark had. Only a server that no longer knows that version, or will not have the watch, makes
// it read the state again, and then none that is older than what was seen. Failures are followed by
// an exponential back-off from kFirstPause to kLongestPause, with jitter; a watch that ends at once
// without an event is a failure.
//
// Belongs to the client's executor. Destroying it ends all, but not from within a call of its
// target.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/log.h"
#include "base/random.h"
#include "client/client.h"
#include "client/informer.h"

namespace skiff::client {

class Reflector final : private ClientWatchSink {
 public:
  static constexpr Duration kFirstPause = std::chrono::milliseconds(800);
  static constexpr Duration kLongestPause = std::chrono::seconds(30);
  // After so long without a failure the next pause is the first again.
  static constexpr Duration kCalm = std::chrono::minutes(2);
  static constexpr Duration kShortWatch = std::chrono::seconds(1);

  using State = std::map<ObjectName, ObjectPtr>;
  class Target {
   public:
    virtual ~Target() = default;
    // This is all there is.
    virtual void Replace(State state) = 0;
    virtual void Set(ObjectPtr object) = 0;
    virtual void Remove(ObjectPtr last) = 0;
  };

  // All must outlive it; `log` may be null.
  Reflector(ClientTransport& transport, std::shared_ptr<const ApiResource> resource,
            InformerOptions options, Random& random, Log* log, Target& target);
  ~Reflector() override;

  void Start() { Read(); }
  // The last that was seen; empty: none.
  const std::string& resource_version() const { return version_; }

 private:
  enum class Step : uint8_t { kRead, kWatch };

  void Read();
  void ReadStreamed();
  void ReadPage(std::string continue_token);
  void OnPage(Result<ClientReply> reply, bool continued);
  void OnState(std::string version);
  void Watch();
  void OnEvents(std::span<const ClientEvent> events) override;
  void OnEvent(const ClientEvent& event);
  void OnInitialEvent(const ClientEvent& event);
  void OnEnd(std::optional<Status> why) override;
  void OnReadEnd(std::optional<Status> why);
  void OnReadFailure(const Status& why);
  void OnWatchEnd(const std::optional<Status>& why);
  void Fail(Step next, const Status* why);
  Duration Pause(const Status* why);
  void Schedule(Step next, Duration delay);
  WatchCall CallOf() const;

  ClientTransport& transport_;
  const std::shared_ptr<const ApiResource> resource_;
  const InformerOptions options_;
  Random& random_;
  Log* const log_;
  Target& target_;
  const std::shared_ptr<Reflector*> self_;  // null once this is gone

  std::string version_;
  // The server has said that it does not have version_, so that any will do.
  bool version_lost_ = false;
  bool streams_ = true;
  bool pages_ = true;       // false: pages were begun and have expired
  bool paginated_ = false;  // what the server has at hand does not come as a whole
  bool reading_ = false;
  State state_;  // what has been read so far
  std::string state_version_;
  std::unique_ptr<ClientWatch> watch_;
  Duration watch_began_{};
  bool watch_told_ = false;
  Executor::TimerId timer_;
  uint32_t failures_ = 0;
  Duration last_failure_{};
};

}  // namespace skiff::client
