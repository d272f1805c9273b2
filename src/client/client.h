// One way to speak to an API server, whatever lies between: HTTPS, a call within the process, or a
// simulated network. Control loops, the scheduler and node agents know nothing else of it.
//
// A transport knows two things: to send one request, and to watch. What is convenient stands on
// these, and Discover(), which may be answered from what is known. Everything belongs to the
// client's executor: calls are made on it, and answers and events come on it, never before the call
// has returned. Every call is answered, at the latest by Close(), so that whoever awaits one ends.
// An error is the Status that the server answered, or kServiceUnavailable, kTimeout or
// kServerTimeout when there was no answer; after kServerTimeout it is not known whether the request
// was carried out.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/executor.h"
#include "base/status.h"
#include "base/task.h"
#include "client/object.h"

namespace skiff::client {

enum class ClientVerb : uint8_t {
  kGet,
  kList,
  kCreate,
  kUpdate,
  kPatch,
  kDelete,
  kDeleteCollection,
};

enum class PatchType : uint8_t { kJson, kMerge, kStrategic, kApply };

struct DeleteChoice {
  std::optional<int64_t> grace_period_seconds = {};
  std::string uid = {};               // precondition
  std::string resource_version = {};  // precondition
  std::string propagation = {};       // Orphan, Background, Foreground, or empty
};

// What is asked. Members that a verb has no use for are not looked at.
struct ClientCall {
  ClientVerb verb = ClientVerb::kGet;
  const ApiResource* resource = nullptr;  // must live until the answer
  ObjectName target = {};                 // of lists and creations, the namespace
  std::string subresource = {};
  ObjectPtr body = {};  // of creations, updates and what else takes an object
  PatchType patch_type = PatchType::kMerge;
  std::string patch = {};  // JSON
  bool force = false;      // of an apply
  std::string field_manager = {};
  DeleteChoice deletion = {};
  std::string label_selector = {};
  std::string field_selector = {};
  std::string resource_version = {};
  std::string resource_version_match = {};
  int64_t limit = 0;
  std::string continue_token = {};
  // Objects are answered with nothing but their metadata: as PartialObjectMetadata of
  // meta.k8s.io/v1, with that type.
  bool metadata_only = false;
};

// The reason of a cause of errors: the answer would have been too long, but pages of it may do.
inline constexpr std::string_view kAnswerTooLong = "AnswerTooLong";

struct ClientReply {
  int code = 200;
  ObjectPtr object = {};              // null of lists, and of what is answered with a Status
  std::vector<ObjectPtr> items = {};  // of lists, and of collections as they were deleted
  std::string resource_version = {};  // of lists
  std::string continue_token = {};    // of lists
};

struct ClientEvent {
  enum class Type : uint8_t { kAdded, kModified, kDeleted, kBookmark };
  Type type = Type::kAdded;
  ObjectPtr object;          // of a bookmark, one with nothing but a resourceVersion
  bool initial_end = false;  // of the bookmark that ends the initial events
};

class ClientWatchSink {
 public:
  virtual ~ClientWatchSink() = default;
  virtual void OnEvents(std::span<const ClientEvent> events) = 0;
  // The last call. No status: the server ended the watch in its own time, and it may go on from the
  // last resourceVersion. kExpired: it may not, the state must be read again.
  virtual void OnEnd(std::optional<Status> why) = 0;
};

// Destroying it stops the watch: no call comes any more.
class ClientWatch {
 public:
  virtual ~ClientWatch() = default;
};

struct WatchCall {
  const ApiResource* resource = nullptr;  // must outlive the watch
  std::string name_space = {};
  std::string label_selector = {};
  std::string field_selector = {};
  std::string resource_version = {};
  bool send_initial_events = false;
  bool metadata_only = false;
};

struct DiscoveredResource {
  ApiResource resource;
  std::vector<std::string> verbs;  // ascending
  bool Has(std::string_view verb) const;
};

// What the server serves, in the version that it prefers for each resource; no subresources.
struct ServedApi {
  std::vector<DiscoveredResource> resources;
  // Groups and versions that are there but do not answer ("metrics.k8s.io/v1beta1"): whoever needs
  // to have seen everything must wait for them.
  std::vector<std::string> unavailable;
};

class ClientTransport {
 public:
  virtual ~ClientTransport() = default;
  virtual Executor& executor() = 0;
  virtual void Send(ClientCall call, std::move_only_function<void(Result<ClientReply>)> done) = 0;
  // The sink must outlive the watch.
  virtual std::unique_ptr<ClientWatch> Watch(WatchCall call, ClientWatchSink* sink) = 0;
  virtual void Discover(std::move_only_function<void(Result<ServedApi>)> done) = 0;
  // On the executor: answers what is open, and from now on everything, with kServiceUnavailable,
  // and ends the watches.
  virtual void Close() = 0;
};

// What control loops hold. Copies are cheap and speak through the same transport.
class Client {
 public:
  // The transport must outlive the client. `field_manager` is the name that writes go by.
  Client(ClientTransport& transport, std::string field_manager)
      : transport_(&transport), field_manager_(std::move(field_manager)) {}

  // Tasks do not need the client that made them. The resource must live until they end. An object
  // that is answered may be null: of what is answered with a Status.
  Task<Result<ObjectPtr>> Get(const ApiResource& resource, ObjectName name);
  Task<Result<ClientReply>> List(ClientCall call);
  Task<Result<ObjectPtr>> Create(const ApiResource& resource, ObjectPtr object,
                                 std::string subresource = {}, std::string name = {});
  Task<Result<ObjectPtr>> Update(const ApiResource& resource, ObjectPtr object,
                                 std::string subresource = {});
  Task<Result<ObjectPtr>> Patch(const ApiResource& resource, ObjectName name, PatchType type,
                                std::string patch, std::string subresource = {});
  Task<Result<void>> Delete(const ApiResource& resource, ObjectName name,
                            DeleteChoice how = DeleteChoice());
  Task<Result<ClientReply>> Send(ClientCall call);
  Task<Result<ServedApi>> Discover();

  ClientTransport& transport() const { return *transport_; }
  Executor& executor() const { return transport_->executor(); }

 private:
  ClientTransport* transport_;
  std::string field_manager_;
};

}  // namespace skiff::client
