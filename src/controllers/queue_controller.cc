#include "controllers/queue_controller.h"

#include <algorithm>

#include "controllers/objects.h"

namespace skiff::controllers {
namespace {

// How often it is asked whether informers have synced.
constexpr Duration kSyncCheckPeriod = std::chrono::milliseconds(50);

client::WorkQueueOptions WithMetrics(client::WorkQueueOptions options,
                                     const ControllerContext& context) {
  options.metrics = context.queue_metrics;
  return options;
}

}  // namespace

struct InformedQueue::Followed final : client::InformerHandler {
  Followed(client::Informer& followed, Reactions what)
      : informer(followed), reactions(std::move(what)) {}
  ~Followed() override {
    if (added) informer.RemoveHandler(this);
  }

  void OnAdd(const client::ObjectPtr& object) override {
    if (reactions.added) reactions.added(object);
  }
  void OnUpdate(const client::ObjectPtr& old, const client::ObjectPtr& object) override {
    if (reactions.updated) reactions.updated(old, object);
  }
  void OnDelete(const client::ObjectPtr& last) override {
    if (reactions.deleted) reactions.deleted(last);
  }

  client::Informer& informer;
  const Reactions reactions;
  bool added = false;
};

InformedQueue::InformedQueue(const ControllerContext& context, client::WorkQueueOptions options,
                             client::WorkQueue::Reconcile reconcile)
    : executor_(context.client.executor()),
      log_(context.log),
      name_(options.name),
      reconcile_(std::move(reconcile)),
      queue_(executor_, WithMetrics(std::move(options), context),
             [this](std::string key) { return ReconcileAndTell(std::move(key)); }) {}

InformedQueue::~InformedQueue() { executor_.Cancel(timer_); }

void InformedQueue::Follow(client::Informer& informer, Reactions reactions) {
  followed_.push_back(std::make_unique<Followed>(informer, std::move(reactions)));
}

void InformedQueue::FollowKeys(client::Informer& informer) {
  Follow(informer, {.added = [this](const client::ObjectPtr& object) { Add(KeyOf(*object)); },
                    .updated = [this](const client::ObjectPtr&,
                                      const client::ObjectPtr& object) { Add(KeyOf(*object)); }});
}

void InformedQueue::Start() {
  for (const std::unique_ptr<Followed>& each : followed_) {
    each->added = true;
    each->informer.AddHandler(each.get());
  }
  OpenWhenSynced();
}

void InformedQueue::Stop() {
  stopped_ = true;
  executor_.Cancel(timer_);
  collected_.clear();
  queue_.Stop();
}

void InformedQueue::Add(std::string key) {
  if (stopped_) return;
  if (open_) {
    queue_.Add(std::move(key));
  } else {
    collected_.insert(std::move(key));
  }
}

void InformedQueue::OpenWhenSynced() {
  if (!std::ranges::all_of(followed_, [](const auto& each) { return each->informer.synced(); })) {
    timer_ = executor_.After(kSyncCheckPeriod, [this] { OpenWhenSynced(); });
    return;
  }
  timer_ = {};
  open_ = true;
  for (const std::string& key : std::exchange(collected_, {})) queue_.Add(key);
}

Task<Result<void>> InformedQueue::ReconcileAndTell(std::string key) {
  Result<void> result = co_await reconcile_(key);
  if (!result && !stopped_) {
    log_.Error("A control loop failed and will try again",
               {{"queue", name_}, {"key", key}, {"err", result.error().ToString()}});
  }
  co_return result;
}

QueueController::QueueController(ControllerContext context, client::WorkQueueOptions options)
    : context_(std::move(context)), queue_(context_, std::move(options), [this](std::string key) {
        return Reconcile(std::move(key));
      }) {}

PeriodicController::PeriodicController(ControllerContext context, std::string name, Duration period)
    : QueueController(std::move(context), {.name = std::move(name)}), period_(period) {}

void PeriodicController::Start() {
  queue_.Add("all");
  QueueController::Start();
}

Task<Result<void>> PeriodicController::Reconcile(std::string key) {
  co_await Round();
  queue_.AddAfter(std::move(key), period_);
  co_return Result<void>();
}

}  // namespace skiff::controllers
