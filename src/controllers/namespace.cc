#include "controllers/namespace.h"

#include <algorithm>
#include <utility>

#include "base/limits.h"
#include "client/work_queue.h"
#include "controllers/namespace_conditions.h"
#include "controllers/namespace_contents.h"
#include "controllers/objects.h"
#include "views/core/v1.h"

namespace skiff {
namespace {

namespace core_v1 = views::core_v1;

constexpr std::string_view kFinalizer = "kubernetes";
constexpr Duration kSettleTime = std::chrono::seconds(5);
constexpr Duration kLongestRetry = std::chrono::seconds(60);
// No namespace has this name: it stands for all of them.
constexpr std::string_view kAll = "";

const ApiResource& Namespaces() {
  static const ApiResource& namespaces = BuiltIn("", "v1", "namespaces");
  return namespaces;
}

bool SetTerminating(Document& name_space) {
  if (!IsDeleting(name_space)) return false;
  core_v1::MutableNamespace view(name_space);
  if (view.Read().status().phase() == "Terminating") return false;
  view.mutable_status().set_phase("Terminating");
  return true;
}

// Gives up the finalizer; the others of spec.finalizers stay, in order.
bool Finalize(Document& name_space) {
  core_v1::MutableNamespace view(name_space);
  std::vector<std::string> others;
  for (const std::string_view finalizer : view.Read().spec().finalizers()) {
    if (finalizer != kFinalizer) others.emplace_back(finalizer);
  }
  std::ranges::sort(others);
  view.mutable_spec().clear_finalizers();
  for (const std::string& finalizer : others) view.mutable_spec().add_finalizers(finalizer);
  return true;
}

class NamespaceController final : public Controller, private InformerHandler {
 public:
  explicit NamespaceController(ControllerContext context)
      : context_(std::move(context)),
        informer_(context_.informers.For(Namespaces())),
        queue_(context_.client.executor(), QueueOptions(context_),
               [this](std::string key) { return Reconcile(std::move(key)); }) {}
  ~NamespaceController() override {
    if (started_) informer_.RemoveHandler(this);
  }

  void Start() override {
    started_ = true;
    informer_.AddHandler(this);
    ComeBackForAll();
  }
  void Stop() override {
    stopped_ = true;
    queue_.Stop();
  }
  bool idle() const override { return queue_.idle(); }
  Duration busy_for() const override { return queue_.busy_for(); }

 private:
  using Edit = std::function<bool(Document& name_space)>;  // false: nothing to change

  static WorkQueueOptions QueueOptions(const ControllerContext& context) {
    WorkQueueOptions queue;
    queue.name = "namespace";
    queue.workers = context.options.concurrent_namespace_syncs;
    queue.metrics = context.queue_metrics;
    queue.retry.longest = kLongestRetry;
    return queue;
  }

  void ComeBackForAll() {
    const Duration period = context_.options.namespace_sync_period;
    if (period > Duration::zero()) queue_.AddAfter(std::string(kAll), period);
  }

  void OnAdd(const ObjectPtr& object) override { Enqueue(*object); }
  void OnUpdate(const ObjectPtr& /*old*/, const ObjectPtr& object) override { Enqueue(*object); }
  void OnDelete(const ObjectPtr& /*last*/) override {}

  void Enqueue(const Document& name_space) {
    if (IsDeleting(name_space)) queue_.AddAfter(NameOf(name_space).name, kSettleTime);
  }

  Task<Result<void>> Reconcile(std::string key) {
    if (key == kAll) {
      for (const ObjectPtr& each : informer_.List()) Enqueue(*each);
      ComeBackForAll();
      co_return Result<void>();
    }
    if (informer_.Find({.name_space = {}, .name = key}) == nullptr) co_return Result<void>();
    Result<void> result = co_await SeeTo(key);
    if (!result && result.error().reason() == StatusReason::kNotFound) co_return Result<void>();
    if (!result && !stopped_) {
      context_.log.Error("deletion of namespace failed",
                         {{"namespace", key}, {"error", result.error().message()}});
    }
    co_return result;
  }

  // kNotFound when the namespace is gone.
  Task<Result<void>> SeeTo(std::string key) {
    const ObjectName name{.name_space = {}, .name = key};
    Result<ObjectPtr> name_space = co_await context_.client.Get(Namespaces(), name);
    if (!name_space) co_return std::unexpected(std::move(name_space).error());
    if (!IsDeleting(**name_space)) co_return Result<void>();

    Edit edit = SetTerminating;
    name_space = co_await Change(*name_space, "status", edit);
    if (!name_space) co_return std::unexpected(std::move(name_space).error());
    const core_v1::Namespace view(**name_space);
    if (view.spec().finalizers().empty()) co_return Result<void>();

    const Timestamp deleted_at = view.metadata().deletion_timestamp().value_or(kZeroTimestamp);
    const NamespacePass pass =
        co_await DeleteNamespaceContents(context_.client, context_.clock, key, deleted_at);
    name_space = co_await Tell(*name_space, pass.findings);
    if (!name_space) co_return std::unexpected(std::move(name_space).error());
    if (pass.findings.failed()) {
      co_return Fail(StatusReason::kInternalError, pass.findings.Failures());
    }
    if (pass.estimate_seconds > 0) {
      queue_.AddAfter(key, std::chrono::seconds(pass.estimate_seconds / 2 + 1));
      co_return Result<void>();
    }
    edit = Finalize;
    name_space = co_await Change(*name_space, "finalize", edit);
    if (!name_space) co_return std::unexpected(std::move(name_space).error());
    co_return Result<void>();
  }

  // Conditions are for people: that they cannot be written keeps nothing from going on.
  Task<Result<ObjectPtr>> Tell(ObjectPtr name_space, NamespaceFindings findings) {
    Edit edit = [this, &findings](Document& copy) {
      const Timestamp now = MakeTimestamp(WallTime(context_.clock).seconds, 0);
      return IsDeleting(copy) && SetNamespaceConditions(findings, now, copy);
    };
    Result<ObjectPtr> told = co_await Change(name_space, "status", std::move(edit));
    if (told || told.error().reason() == StatusReason::kNotFound) co_return told;
    context_.log.Error(
        "cannot write the conditions of a namespace",
        {{"namespace", NameOf(*name_space).name}, {"error", told.error().message()}});
    co_return name_space;
  }

  // Makes an edit to the latest state, again and again while others get ahead of it.
  Task<Result<ObjectPtr>> Change(ObjectPtr name_space, std::string subresource, Edit edit) {
    for (int tries = 1;; ++tries) {
      const std::shared_ptr<Document> copy = MutableCopy(*name_space);
      if (!edit(*copy)) co_return name_space;
      const ObjectPtr wanted = copy;
      Result<ObjectPtr> written =
          co_await context_.client.Update(Namespaces(), wanted, subresource);
      if (written || written.error().reason() != StatusReason::kConflict ||
          tries == limits::kMaxConflictTries) {
        co_return written;
      }
      const ObjectName name = NameOf(*name_space);
      Result<ObjectPtr> latest = co_await context_.client.Get(Namespaces(), name);
      if (!latest) co_return latest;
      if (UidOf(**latest) != UidOf(*name_space)) {
        co_return Fail(StatusReason::kConflict, "namespace uid has changed across retries");
      }
      name_space = std::move(*latest);
    }
  }

  ControllerContext context_;
  Informer& informer_;
  WorkQueue queue_;
  bool started_ = false;
  bool stopped_ = false;
};

}  // namespace

std::unique_ptr<Controller> MakeNamespaceController(ControllerContext context) {
  return std::make_unique<NamespaceController>(std::move(context));
}

}  // namespace skiff
