#include "apiserver/aggregator/availability.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "apiserver/aggregator/api_service_condition.h"
#include "apiserver/rest/field_tracking.h"
#include "apiserver/rest/object_change.h"
#include "apiserver/rest/object_meta.h"
#include "base/strings.h"

namespace skiff::apiserver {
namespace {

constexpr std::string_view kGaugeLabels[] = {"name"};
constexpr MetricSpec kUnavailable = {
    .name = "aggregator_unavailable_apiservice",
    .help =
        "[ALPHA] Gauge of APIServices which are marked as unavailable broken down by "
        "APIService name.",
    .labels = kGaugeLabels};
constexpr std::string_view kCounterLabels[] = {"name", "reason"};
constexpr MetricSpec kUnavailableTotal = {
    .name = "aggregator_unavailable_apiservice_total",
    .help =
        "[ALPHA] Counter of APIServices which are marked as unavailable broken down by "
        "APIService name and reason.",
    .labels = kCounterLabels};

constexpr Duration kTick = std::chrono::seconds(1);
constexpr Duration kLookAgain = std::chrono::seconds(30);
constexpr Duration kFirstRetry = std::chrono::milliseconds(5);
constexpr Duration kProbeTimeout = std::chrono::seconds(5);
constexpr int kFurtherAttempts = 4;

Duration RetryAfter(int failures) {
  const int doublings = std::min(failures - 1, 20);
  return std::min(kFirstRetry * (int64_t{1} << doublings), kLookAgain);
}

}  // namespace

// An APIService of another server.
struct Availability::Watched {
  RemoteBackendPtr backend;
  std::string services;  // of which version they were when it was looked at
  Duration next{0};      // when it is looked at again
  int failures = 0;      // in a row
  uint64_t round = 0;    // of the probe that is under way; others do not count any more
  bool probing = false;
};

// One look at a server: an attempt, and if that fails, more of them at once.
class Availability::Probe : public std::enable_shared_from_this<Probe> {
 public:
  using Done = std::function<void(const std::string& fault)>;
  Probe(BackendCaller& caller, RemoteBackendPtr backend, Done done)
      : caller_(caller), backend_(std::move(backend)), done_(std::move(done)) {}

  void Start() { Attempt(); }

 private:
  void Attempt() {
    ++open_;
    const BackendSpec& spec = backend_->spec();
    const std::string path = "/apis/" + spec.group + "/" + spec.version;
    const Result<CalledAddress> at = caller_.Resolve(spec.service);
    const bool is_v6 = at && at->host.find(':') != std::string::npos;
    const std::string url = at ? "https://" + (is_v6 ? "[" + at->host + "]" : at->host) + ":" +
                                     std::to_string(at->port) + path
                               : "";
    backend_->Get({.path = path,
                   .accept = "application/json, */*",
                   .user = "system:kube-aggregator",
                   .groups = {"system:masters"},
                   .timeout = kProbeTimeout},
                  [self = shared_from_this(), url](const Result<BackendReply>& reply) {
                    self->OnReply(url, reply);
                  });
  }

  void OnReply(const std::string& url, const Result<BackendReply>& reply) {
    --open_;
    if (!done_) return;
    std::string fault;
    if (!reply) {
      const bool is_late = reply.error().reason() == StatusReason::kTimeout;
      fault = url.empty()
                  ? reply.error().message()
                  : "failing or missing response from " + url + ": Get " + InQuotes(url) + ": " +
                        reply.error().message() +
                        (is_late ? " (Client.Timeout exceeded while awaiting headers)" : "");
    } else if (reply->code < 200 || reply->code >= 300) {
      fault = "failing or missing response from " + url + ": bad status from " + url + ": " +
              std::to_string(reply->code);
    }
    if (fault.empty()) return End("");
    if (!std::exchange(tried_, true)) {
      for (int i = 0; i < kFurtherAttempts; ++i) Attempt();
      return;
    }
    if (open_ == 0) End(fault);
  }

  void End(const std::string& fault) {
    const Done done = std::exchange(done_, nullptr);
    done(fault);
  }

  BackendCaller& caller_;
  const RemoteBackendPtr backend_;
  Done done_;
  int open_ = 0;
  bool tried_ = false;
};

Availability::Availability(Context context)
    : context_(context), unavailable_total_(context_.metrics.AddCounter(kUnavailableTotal)) {
  context_.metrics.AddCollected(kUnavailable, MetricKind::kGauge,
                                [this](const MetricsRegistry::Emit& emit) {
                                  const std::lock_guard lock(mutex_);
                                  for (const auto& [name, available] : available_)
                                    emit({name}, available ? 0 : 1);
                                });
}

Availability::~Availability() = default;

void Availability::Tell(const std::string& name, bool available) {
  const std::lock_guard lock(mutex_);
  available_.insert_or_assign(name, available);
}

void Availability::OnRemote(const RemoteBackendPtr& backend) {
  context_.caller.Post([this, backend] { Follow(backend); });
}

void Availability::OnLocal(std::string_view name, const object::Document& api_service) {
  const std::string key(name);
  Tell(key, true);
  if (!LacksCondition(api_service, LocalCondition())) return;
  Write(key, nullptr, LocalCondition());
  // It may have been of another server before; the loop need not begin to hear that it was not.
  if (context_.caller.is_running()) context_.caller.Post([this, key] { watched_.erase(key); });
}

void Availability::OnGone(std::string_view name) {
  const std::string key(name);
  {
    const std::lock_guard lock(mutex_);
    available_.erase(key);
  }
  if (context_.caller.is_running()) context_.caller.Post([this, key] { watched_.erase(key); });
}

void Availability::Follow(const RemoteBackendPtr& backend) {
  std::unique_ptr<Watched>& watched = watched_[backend->name()];
  if (watched == nullptr) watched = std::make_unique<Watched>();
  const bool is_other = watched->backend == nullptr || watched->backend->spec() != backend->spec();
  watched->backend = backend;
  Tell(backend->name(), backend->available());
  // What says nothing but that a condition was written is no reason to look.
  if (is_other) {
    watched->failures = 0;
    watched->probing = false;
    Look(*watched);
  }
  if (std::exchange(ticking_, true)) return;
  context_.caller.executor().After(kTick, [this] { Tick(); });
}

void Availability::Tick() {
  const Duration now = context_.caller.loop()->now();
  for (const auto& [name, watched] : watched_) {
    if (watched->probing) continue;
    const bool is_due = watched->next <= now;
    if (is_due || context_.routes.VersionOf(watched->backend->spec().service) != watched->services)
      Look(*watched);
  }
  ticking_ = !watched_.empty();
  if (ticking_) context_.caller.executor().After(kTick, [this] { Tick(); });
}

void Availability::Look(Watched& watched) {
  const RemoteBackendPtr backend = watched.backend;
  const BackendService& service = backend->spec().service;
  watched.services = context_.routes.VersionOf(service);
  if (std::optional<BackendCondition> fault = context_.routes.FaultOf(service); fault) {
    watched.failures = 0;
    return Found(watched, std::move(*fault));
  }
  watched.probing = true;
  const uint64_t round = ++watched.round;
  const auto probe = std::make_shared<Probe>(
      context_.caller, backend,
      [this, name = backend->name(), backend, round](const std::string& fault) {
        const auto found = watched_.find(name);
        // It has changed since, and is looked at anew.
        if (found == watched_.end() || found->second->round != round ||
            found->second->backend->spec() != backend->spec())
          return;
        OnProbed(*found->second, fault);
      });
  probe->Start();
}

void Availability::OnProbed(Watched& watched, const std::string& fault) {
  watched.probing = false;
  if (fault.empty()) {
    watched.failures = 0;
    return Found(watched, {.available = true, .reason = "Passed", .message = "all checks passed"});
  }
  ++watched.failures;
  Found(watched, {.available = false, .reason = "FailedDiscoveryCheck", .message = fault});
  const Duration wait = RetryAfter(watched.failures);
  watched.next = context_.caller.loop()->clock().Monotonic() + wait;
  if (wait >= kTick) return;
  context_.caller.executor().After(
      wait, [this, name = watched.backend->name(), round = watched.round] {
        const auto found = watched_.find(name);
        if (found == watched_.end() || found->second->round != round || found->second->probing)
          return;
        Look(*found->second);
      });
}

void Availability::Found(Watched& watched, BackendCondition condition) {
  watched.next = context_.caller.loop()->clock().Monotonic() + kLookAgain;
  Tell(watched.backend->name(), condition.available);
  Write(watched.backend->name(), watched.backend, std::move(condition));
}

void Availability::Write(const std::string& name, const RemoteBackendPtr& backend,
                         BackendCondition condition) {
  if (context_.api_services == nullptr) return;
  // What the cache says suffices to see that there is nothing to write.
  if (backend != nullptr && backend->condition() == condition) return;
  ObjectChange change;
  change.storage = context_.api_services;
  change.name = name;
  auto becomes = std::make_shared<bool>(false);  // unavailable, by this write
  change.decide = [backend, condition, becomes, storage = context_.api_services,
                   &rest = context_.rest](const CurrentObject* current) -> Result<Change> {
    Change out;
    *becomes = false;
    if (current == nullptr) return out;
    SKIFF_ASSIGN_OR_RETURN(object::Document object, current->Decode());
    const std::unique_ptr<BackendState> state = ReadBackendState(object);
    // Another one than was looked at.
    if ((state == nullptr) != (backend == nullptr)) return out;
    if (backend != nullptr && state->spec != backend->spec()) return out;
    if (!LacksCondition(object, condition)) return out;
    *becomes = !condition.available && (state == nullptr || state->condition.available);
    const object::Document live = object.Copy();
    const object::Timestamp now = NowOf(rest.clock);
    SetCondition(condition, now, object);
    TrackOwnStatus(*storage, live, object, now);
    out.kind = Change::Kind::kWrite;
    out.object = std::move(object);
    return out;
  };
  ChangeObject(std::move(change), [this, name, condition, becomes](const Result<Changed>& done) {
    if (!done) {
      if (done.error().reason() == StatusReason::kConflict) return;
      context_.log.Warning("The condition of an APIService could not be written",
                           {{"name", name}, {"err", done.error().ToString()}});
    } else if (*becomes) {
      unavailable_total_.With({name, condition.reason}).Add();
      context_.log.Warning(
          "An extension API server is unavailable",
          {{"name", name}, {"reason", condition.reason}, {"message", condition.message}});
    }
  });
}

}  // namespace skiff::apiserver
