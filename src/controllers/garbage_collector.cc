#include "controllers/garbage_collector.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "base/strings.h"
#include "client/work_queue.h"
#include "controllers/absent_owner_cache.h"
#include "controllers/garbage_decision.h"
#include "controllers/owner_graph.h"
#include "controllers/resource_monitors.h"

namespace skiff::controllers {
namespace {

constexpr Duration kDiscoveryPeriod = std::chrono::seconds(30);
// Between a change of what is served and the look at it: several changes come together.
constexpr Duration kDiscoveryDelay = std::chrono::seconds(1);
// How long informers are waited for at the start, and how often they are looked at meanwhile.
constexpr Duration kStartPatience = std::chrono::seconds(30);
constexpr Duration kStartLook = std::chrono::milliseconds(50);
constexpr Duration kUnsettledDelay = std::chrono::milliseconds(100);

// Keys of what keeps the informers in step with discovery.
constexpr std::string_view kPeriodical = "periodical";
constexpr std::string_view kChanged = "changed";
constexpr std::string_view kBegin = "begin";
// A uid with this in front is looked at only as long as no informer has shown its object.
constexpr char kExistence = '?';

class GarbageCollector final : public Controller, private OwnerGraph::Listener {
 public:
  explicit GarbageCollector(ControllerContext context)
      : context_(std::move(context)),
        graph_(*this),
        monitors_(context_.informers, graph_, context_.clock, [this] { ApisChanged(); }),
        decision_(context_.client, graph_, monitors_, absent_, *this),
        discovery_(context_.client.executor(), DiscoveryOptions(context_),
                   [this](std::string key) { return Discover(std::move(key)); }),
        to_delete_(context_.client.executor(),
                   QueueOptions("garbage_collector_attempt_to_delete", context_),
                   [this](std::string key) { return DeleteKey(std::move(key)); }),
        to_orphan_(context_.client.executor(),
                   QueueOptions("garbage_collector_attempt_to_orphan", context_),
                   [this](std::string key) { return OrphanKey(std::move(key)); }) {}

  void Start() override {
    started_at_ = context_.clock.Monotonic();
    discovery_.Add(std::string(kPeriodical));
  }
  void Stop() override {
    stopped_ = true;
    discovery_.Stop();
    to_delete_.Stop();
    to_orphan_.Stop();
  }
  bool idle() const override {
    return (stopped_ || begun_) && discovery_.idle() && to_delete_.idle() && to_orphan_.idle();
  }
  Duration busy_for() const override {
    return std::max({discovery_.busy_for(), to_delete_.busy_for(), to_orphan_.busy_for()});
  }

 private:
  static client::WorkQueueOptions QueueOptions(std::string name, const ControllerContext& context) {
    client::WorkQueueOptions queue;
    queue.name = std::move(name);
    queue.workers = context.options.concurrent_gc_syncs;
    queue.metrics = context.queue_metrics;
    return queue;
  }
  static client::WorkQueueOptions DiscoveryOptions(const ControllerContext& context) {
    client::WorkQueueOptions queue = QueueOptions("garbage_collector_discovery", context);
    queue.workers = 1;
    queue.retry.longest = kDiscoveryPeriod;
    return queue;
  }

  // OwnerGraph::Listener. Until everything has been seen once, what deserves a look is kept.
  void AttemptToDelete(const std::string& uid) override { Enqueue(uid); }
  void CheckExistence(const std::string& uid) override { Enqueue(kExistence + uid); }
  void AttemptToOrphan(const std::string& uid) override {
    if (begun_) {
      to_orphan_.Add(uid);
    } else {
      kept_to_orphan_.insert(uid);
    }
  }
  void Absent(const ObjectIdentity& owner) override { absent_.Add(owner); }
  void InvalidNamespace(const ObjectIdentity& dependent, const OwnerReference& reference) override;

  void Enqueue(std::string key) {
    if (begun_) {
      to_delete_.Add(std::move(key));
    } else {
      kept_to_delete_.insert(std::move(key));
    }
  }

  void ApisChanged() { discovery_.AddAfter(std::string(kChanged), kDiscoveryDelay); }

  Task<Result<void>> Discover(std::string key) {
    if (key == kBegin) {
      Begin();
      co_return Result<void>();
    }
    const Result<client::ServedApi> served = co_await context_.client.Discover();
    if ((!served || served->resources.empty()) && !stopped_ && context_.metrics != nullptr) {
      context_.metrics->CountGarbageSyncError();
    }
    if (!served) {
      if (!stopped_) {
        context_.log.Error("discovery failed", {{"error", served.error().message()}});
      }
      co_return std::unexpected(served.error());
    }
    if (!stopped_ && !served->resources.empty()) Follow(*served);
    if (key == kPeriodical) discovery_.AddAfter(std::move(key), kDiscoveryPeriod);
    co_return Result<void>();
  }

  void Follow(const client::ServedApi& served) {
    const ResourceMonitors::Change change = monitors_.Update(served);
    if (!begun_) discovery_.Add(std::string(kBegin));
    if (!change.any) return;
    context_.log.Verbose(2, "resources to collect garbage of have changed",
                         {{"resources", std::to_string(monitors_.size())}});
    // What could not be judged may be judged now; what nobody sees any more must be looked for,
    // unless an informer of another version shows it soon.
    for (const std::string& uid : decision_.TakeUnresolved()) {
      AttemptToDelete(uid);
      AttemptToOrphan(uid);
    }
    for (const std::string& uid : change.lost) {
      to_delete_.AddAfter(kExistence + uid, kDiscoveryPeriod);
    }
  }

  void Begin() {
    if (begun_ || stopped_) return;
    const bool late = context_.clock.Monotonic() - started_at_ >= kStartPatience;
    if (!monitors_.synced() && !late) {
      discovery_.AddAfter(std::string(kBegin), kStartLook);
      return;
    }
    if (!monitors_.synced()) {
      context_.log.Warning("collecting garbage before all has been seen");
      if (context_.metrics != nullptr) context_.metrics->CountGarbageSyncError();
    }
    begun_ = true;
    for (const std::string& key : std::exchange(kept_to_delete_, {})) to_delete_.Add(key);
    for (const std::string& uid : std::exchange(kept_to_orphan_, {})) to_orphan_.Add(uid);
  }

  Task<Result<void>> DeleteKey(std::string key) {
    std::string uid = key;
    if (key.starts_with(kExistence)) {
      uid.erase(0, 1);
      const OwnerGraph::Node* node = graph_.Find(uid);
      if (node == nullptr || node->observed) co_return Result<void>();
    }
    Result<GarbageDecision::Outcome> outcome = co_await decision_.AttemptToDelete(uid);
    co_return Conclude(to_delete_, key, outcome);
  }

  Task<Result<void>> OrphanKey(std::string uid) {
    Result<GarbageDecision::Outcome> outcome = co_await decision_.AttemptToOrphan(uid);
    co_return Conclude(to_orphan_, uid, outcome);
  }

  Result<void> Conclude(client::WorkQueue& queue, const std::string& key,
                        const Result<GarbageDecision::Outcome>& outcome) {
    if (!outcome) {
      if (!stopped_) {
        context_.log.Error("cannot collect an object",
                           {{"uid", key}, {"error", outcome.error().message()}});
      }
      return std::unexpected(outcome.error());
    }
    if (*outcome == GarbageDecision::Outcome::kSoon) queue.AddAfter(key, kUnsettledDelay);
    if (*outcome == GarbageDecision::Outcome::kLater) {
      return Fail(StatusReason::kTimeout, "the object cannot be judged yet");
    }
    return {};
  }

  ControllerContext context_;
  AbsentOwnerCache absent_;
  OwnerGraph graph_;
  ResourceMonitors monitors_;
  GarbageDecision decision_;
  client::WorkQueue discovery_;
  client::WorkQueue to_delete_;
  client::WorkQueue to_orphan_;
  std::set<std::string> kept_to_delete_;
  std::set<std::string> kept_to_orphan_;
  Duration started_at_{};
  bool begun_ = false;
  bool stopped_ = false;
};

void GarbageCollector::InvalidNamespace(const ObjectIdentity& dependent,
                                        const OwnerReference& reference) {
  const std::shared_ptr<const client::ApiResource> resource =
      monitors_.Resolve(dependent.api_version, dependent.kind);
  if (resource == nullptr || stopped_) return;
  object::Document about;
  Arena& arena = about.arena();
  const auto text = [&arena](const std::string& each) {
    return object::Value::String(arena.Copy(each));
  };
  object::Value metadata = object::Value::EmptyMap();
  metadata.SetEntry(arena, "name", text(dependent.name));
  metadata.SetEntry(arena, "namespace", text(dependent.name_space));
  metadata.SetEntry(arena, "uid", text(dependent.uid));
  about.root() = object::Value::EmptyMap();
  about.root().SetEntry(arena, "apiVersion", text(dependent.api_version));
  about.root().SetEntry(arena, "kind", text(dependent.kind));
  about.root().SetEntry(arena, "metadata", metadata);
  context_.events.Record(*resource, about, client::EventLevel::kWarning, "OwnerRefInvalidNamespace",
                         "ownerRef " + IdentityOf(reference, dependent.name_space).ToString() +
                             " does not exist in namespace " + Quoted(dependent.name_space));
}

}  // namespace

std::unique_ptr<Controller> MakeGarbageCollector(ControllerContext context) {
  if (!context.options.enable_garbage_collector) return nullptr;
  return std::make_unique<GarbageCollector>(std::move(context));
}

}  // namespace skiff::controllers
