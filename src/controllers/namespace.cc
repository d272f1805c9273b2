#include "controllers/namespace.h"

#include <algorithm>
#include <utility>

#include "base/limits.h"
#include "client/work_queue.h"
#include "controllers/namespace_conditions.h"
#include "controllers/namespace_contents.h"
#include "controllers/objects.h"
#include "views/core/v1.h"

namespace skiff::controllers {
namespace {

namespace core_v1 = views::core_v1;

constexpr std::string_view kFinalizer = "kubernetes";
constexpr Duration kSettleTime = std::chrono::seconds(5);
constexpr Duration kLongestRetry = std::chrono::seconds(60);
// No namespace has this name: it stands for all of them.
constexpr std::string_view kAll = "";

const client::ApiResource& Namespaces() {
  static const client::ApiResource& namespaces = client::BuiltIn("", "v1", "namespaces");
  return namespaces;
}

bool SetTerminating(object::Document& name_space) {
  if (!client::IsDeleting(name_space)) return false;
  core_v1::MutableNamespace view(name_space);
  if (view.Read().status().phase() == "Terminating") return false;
  view.mutable_status().set_phase("Terminating");
  return true;
}

// Gives up the finalizer; the others of spec.finalizers stay, in order.
bool Finalize(object::Document& name_space) {
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

class NamespaceController final : public Controller, private client::InformerHandler {
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
  using Edit = std::function<bool(object::Document& name_space)>;  // false: nothing to change

  static client::WorkQueueOptions QueueOptions(const ControllerContext& context) {
    client::WorkQueueOptions queue;
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

  void OnAdd(const client::ObjectPtr& object) override { Enqueue(*object); }
  void OnUpdate(const client::ObjectPtr& /*old*/, const client::ObjectPtr& object) override {
    Enqueue(*object);
  }
  void OnDelete(const client::ObjectPtr& /*last*/) override {}

  void Enqueue(const object::Document& name_space) {
    if (client::IsDeleting(name_space))
      queue_.AddAfter(client::NameOf(name_space).name, kSettleTime);
  }

  Task<Result<void>> Reconcile(std::string key) {
    if (key == kAll) {
      for (const client::ObjectPtr& each : informer_.List()) Enqueue(*each);
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
    const client::ObjectName name{.name_space = {}, .name = key};
    Result<client::ObjectPtr> name_space = co_await context_.client.Get(Namespaces(), name);
    if (!name_space) co_return std::unexpected(std::move(name_space).error());
    if (!client::IsDeleting(**name_space)) co_return Result<void>();

    Edit edit = SetTerminating;
    name_space = co_await Change(*name_space, "status", edit);
    if (!name_space) co_return std::unexpected(std::move(name_space).error());
    const core_v1::Namespace view(**name_space);
    if (view.spec().finalizers().empty()) co_return Result<void>();

    const object::Timestamp deleted_at =
        view.metadata().deletion_timestamp().value_or(object::kZeroTimestamp);
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
  Task<Result<client::ObjectPtr>> Tell(client::ObjectPtr name_space, NamespaceFindings findings) {
    Edit edit = [this, &findings](object::Document& copy) {
      const object::Timestamp now = object::MakeTimestamp(WallTime(context_.clock).seconds, 0);
      return client::IsDeleting(copy) && SetNamespaceConditions(findings, now, copy);
    };
    Result<client::ObjectPtr> told = co_await Change(name_space, "status", std::move(edit));
    if (told || told.error().reason() == StatusReason::kNotFound) co_return told;
    context_.log.Error(
        "cannot write the conditions of a namespace",
        {{"namespace", client::NameOf(*name_space).name}, {"error", told.error().message()}});
    co_return name_space;
  }

  // Makes an edit to the latest state, again and again while others get ahead of it.
  Task<Result<client::ObjectPtr>> Change(client::ObjectPtr name_space, std::string subresource,
                                         Edit edit) {
    for (int tries = 1;; ++tries) {
      const std::shared_ptr<object::Document> copy = client::MutableCopy(*name_space);
      if (!edit(*copy)) co_return name_space;
      const client::ObjectPtr wanted = copy;
      Result<client::ObjectPtr> written =
          co_await context_.client.Update(Namespaces(), wanted, subresource);
      if (written || written.error().reason() != StatusReason::kConflict ||
          tries == limits::kMaxConflictTries) {
        co_return written;
      }
      const client::ObjectName name = client::NameOf(*name_space);
      Result<client::ObjectPtr> latest = co_await context_.client.Get(Namespaces(), name);
      if (!latest) co_return latest;
      if (client::UidOf(**latest) != client::UidOf(*name_space)) {
        co_return Fail(StatusReason::kConflict, "namespace uid has changed across retries");
      }
      name_space = std::move(*latest);
    }
  }

  ControllerContext context_;
  client::Informer& informer_;
  client::WorkQueue queue_;
  bool started_ = false;
  bool stopped_ = false;
};

}  // namespace

std::unique_ptr<Controller> MakeNamespaceController(ControllerContext context) {
  return std::make_unique<NamespaceController>(std::move(context));
}

}  // namespace skiff::controllers
