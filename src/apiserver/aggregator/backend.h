// Extension API servers, as those see them who read their documents: one backend for each
// APIService that names a service.
//
// A backend knows how to ask its server: where it is, whom to believe there, and the certificate of
// the front proxy by which the server believes in turn who asks. Answers are read whole, up to a
// bound; redirects are answers like others, and never followed. All calls are made on one event
// loop (Backends::executor()), and no thread waits for a server.
//
// Immutable, any thread: what changes about an APIService makes another backend in its place.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/executor.h"
#include "base/status.h"
#include "base/task.h"
#include "net/http.h"
#include "object/value.h"

namespace skiff::apiserver {

// The service behind an APIService.
struct BackendService {
  std::string name_space;
  std::string name;
  int32_t port = 443;

  // The name that its certificate must have.
  std::string HostName() const { return name + "." + name_space + ".svc"; }
  bool operator==(const BackendService&) const = default;
};

// What an APIService says of it.
struct BackendSpec {
  std::string name;  // "v1beta1.metrics.k8s.io"
  std::string uid;
  std::string group;
  std::string version;
  BackendService service;
  std::string ca_pem;  // empty: the CAs that the system trusts
  bool insecure = false;
  int32_t group_priority = 0;
  int32_t version_priority = 0;

  bool operator==(const BackendSpec&) const = default;
};

// The same for those that are asked at one place with the same trust.
std::string PlaceOf(const BackendSpec& spec);

// What its condition Available says.
struct BackendCondition {
  bool available = false;
  std::string reason;  // "FailedDiscoveryCheck"; empty: nobody has looked yet
  std::string message;

  bool operator==(const BackendCondition&) const = default;
};

// Of a stored APIService; null of one that names no service.
struct BackendState {
  BackendSpec spec;
  BackendCondition condition;

  bool operator==(const BackendState&) const = default;
};
std::unique_ptr<BackendState> ReadBackendState(const object::Document& api_service);

struct BackendRequest {
  std::string path;  // "/apis/metrics.k8s.io/v1beta1", with the query; escaped
  std::string accept = {};
  std::string if_none_match = {};
  // As whom it is asked.
  std::string user = "system:aggregator";
  std::vector<std::string> groups = {};
  // For all of it: the name, the connection and the answer.
  Duration timeout = std::chrono::minutes(1);
  // An answer that is longer is an error.
  size_t max_bytes = size_t{16} << 20;
};

struct BackendReply {
  int code = 0;
  net::HttpHeaders headers;  // in lower case: "etag", "content-type"
  std::string body;
};

class Backend {
 public:
  using Done = std::move_only_function<void(Result<BackendReply>)>;

  explicit Backend(BackendState state) : state_(std::move(state)) {}
  virtual ~Backend() = default;
  Backend(const Backend&) = delete;
  Backend& operator=(const Backend&) = delete;

  const std::string& name() const { return state_.spec.name; }
  const BackendSpec& spec() const { return state_.spec; }
  // Whether its server is known to answer. It may be asked all the same.
  bool available() const { return state_.condition.available; }
  const BackendCondition& condition() const { return state_.condition; }
  const BackendState& state() const { return state_; }

  // Any thread. `done` is called once, on Backends::executor(): an error tells why there is no
  // answer, in the words of Go's client. Any code is an answer. The server of backends ends before
  // what `done` refers to, and calls all that is still open then.
  virtual void Get(BackendRequest request, Done done) const = 0;

 private:
  const BackendState state_;
};

// All of them.
class Backends {
 public:
  virtual ~Backends() = default;

  // Any thread: those that there are now, by name.
  virtual std::vector<std::shared_ptr<const Backend>> All() const = 0;
  // Null: the APIService is not there, or names no service.
  virtual std::shared_ptr<const Backend> Find(std::string_view name) const = 0;
  // Whether all APIServices have been looked at once.
  virtual bool synced() const = 0;
  // Before the start. `changed` is called on some thread, and must be quick, after one has come,
  // gone, or changed, its availability too.
  virtual void OnChange(std::function<void()> changed) = 0;
  // Where calls are made. Its thread begins with the first backend that there is.
  virtual Executor& executor() = 0;
};

// For coroutines that run on Backends::executor(). The backend must live until it ends.
Task<Result<BackendReply>> AskBackend(std::shared_ptr<const Backend> backend,
                                      BackendRequest request);

}  // namespace skiff::apiserver
