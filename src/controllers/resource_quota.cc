#include "controllers/resource_quota.h"

#include <memory>
#include <string>

#include "controllers/objects.h"
#include "controllers/queue_controller.h"
#include "controllers/quota_monitors.h"
#include "quota/evaluator.h"
#include "views/core/v1.h"

namespace skiff::controllers {
namespace {

namespace core = views::core_v1;

// How often it is asked for a resource that a quota counts but nobody serves.
constexpr Duration kDiscoveryPeriod = std::chrono::seconds(30);
// How long a quota waits for the informers that it needs before it is looked at again.
constexpr Duration kSyncCheckPeriod = std::chrono::milliseconds(100);
// Stands for all quotas.
constexpr char kAll[] = "";

quota::ResourceList HardOf(const core::ResourceQuota& quota) {
  return quota::ToResourceList(quota.spec().hard());
}

bool StatusHasHard(const core::ResourceQuota& quota) {
  return quota::SameAmounts(HardOf(quota), quota::ToResourceList(quota.status().hard()));
}

// Whether admission does not enforce the quota yet, as its status lacks something.
bool IsUrgent(const core::ResourceQuota& quota) {
  if (!StatusHasHard(quota)) return true;
  for (const auto entry : quota.status().hard()) {
    if (!quota.status().used().Contains(entry.key)) return true;
  }
  return false;
}

class ResourceQuota final : public Controller {
 public:
  explicit ResourceQuota(ControllerContext context)
      : context_(std::move(context)),
        quotas_(context_.informers.For(client::BuiltIn("", "v1", "resourcequotas"))),
        monitors_(context_.informers, context_.clock,
                  [this](const quota::QuotaEvaluator& evaluator, const std::string& name_space) {
                    Replenish(evaluator, name_space);
                  }),
        queue_(context_,
               {.name = "resourcequota_primary",
                .workers = context_.options.concurrent_resource_quota_syncs},
               [this](std::string key) { return Reconcile(std::move(key), queue_); }),
        urgent_(context_,
                {.name = "resourcequota_priority",
                 .workers = context_.options.concurrent_resource_quota_syncs},
                [this](std::string key) { return Reconcile(std::move(key), urgent_); }) {
    queue_.Follow(quotas_,
                  {.added = [this](const client::ObjectPtr& quota) { AddQuota(*quota); },
                   .updated =
                       [this](const client::ObjectPtr& old, const client::ObjectPtr& quota) {
                         // Status is written here and by admission.
                         if (!quota::SameAmounts(HardOf(core::ResourceQuota(*old)),
                                                 HardOf(core::ResourceQuota(*quota)))) {
                           AddQuota(*quota);
                         }
                       },
                   .deleted = [this](const client::ObjectPtr& last) { queue_.Add(KeyOf(*last)); }});
    urgent_.Follow(quotas_, {});
  }

  void Start() override {
    queue_.Start();
    urgent_.Start();
    ComeBackForAll();
  }
  void Stop() override {
    queue_.Stop();
    urgent_.Stop();
  }
  bool idle() const override { return queue_.idle() && urgent_.idle(); }
  Duration busy_for() const override { return std::max(queue_.busy_for(), urgent_.busy_for()); }

 private:
  void AddQuota(const object::Document& quota) {
    InformedQueue& queue = IsUrgent(core::ResourceQuota(quota)) ? urgent_ : queue_;
    queue.Add(KeyOf(quota));
  }

  void ComeBackForAll() {
    const Duration period = context_.options.resource_quota_sync_period;
    if (period > Duration::zero()) queue_.AddAfter(kAll, period);
  }

  void Replenish(const quota::QuotaEvaluator& evaluator, const std::string& name_space) {
    for (const client::ObjectPtr& quota : quotas_.List(name_space)) {
      const core::ResourceQuota view(*quota);
      if (!evaluator.Matching(quota::NamesOf(quota::ToResourceList(view.status().hard())))
               .empty()) {
        queue_.Add(KeyOf(*quota));
      }
    }
  }

  Task<Result<void>> Reconcile(std::string key, InformedQueue& queue) {
    if (key == kAll) co_return co_await ReconcileAll();
    const client::ObjectName name = NameOfKey(key);
    const client::ObjectPtr before = quotas_.Find(name);
    if (!before) {
      if (quotas_.List().empty()) monitors_.Rest();
      co_return Result<void>();
    }
    const quota::ResourceNames names = quota::NamesOf(HardOf(core::ResourceQuota(*before)));
    if (!monitors_.KnowsCountsOf(names) || !monitors_.knows_any()) {
      const Result<void> learnt = co_await Learn();
      if (!learnt) co_return learnt;
      if (!monitors_.KnowsCountsOf(names)) queue.AddAfter(key, kDiscoveryPeriod);
    }
    monitors_.Watch(names);
    if (!monitors_.synced(names)) {
      queue.AddAfter(std::move(key), kSyncCheckPeriod);
      co_return Result<void>();
    }
    const client::ObjectPtr quota = quotas_.Find(name);
    if (!quota) co_return Result<void>();
    co_return co_await Recount(quota);
  }

  Task<Result<void>> ReconcileAll() {
    ComeBackForAll();
    const std::vector<client::ObjectPtr> quotas = quotas_.List();
    if (quotas.empty()) co_return Result<void>();
    for (const client::ObjectPtr& quota : quotas) queue_.Add(KeyOf(*quota));
    // What is no longer served need not be watched.
    co_return co_await Learn();
  }

  // Asks the server, but not again and again for what it does not have.
  Task<Result<void>> Learn() {
    const Duration now = context_.clock.Monotonic();
    if (monitors_.knows_any() && now < learnt_at_ + kDiscoveryPeriod) co_return Result<void>();
    learnt_at_ = now;
    const Result<client::ServedApi> api = co_await context_.client.Discover();
    if (!api) co_return std::unexpected(api.error());
    monitors_.Learn(*api);
    co_return Result<void>();
  }

  Task<Result<void>> Recount(client::ObjectPtr document) {
    const core::ResourceQuota quota(*document);
    const quota::ResourceList hard = HardOf(quota);
    const quota::ResourceList used_before = quota::ToResourceList(quota.status().used());
    quota::ResourceList used = used_before;
    for (auto& [name, amount] : monitors_.Usage(std::string(quota.metadata().namespace_()),
                                                quota::ScopesOf(quota), quota::NamesOf(hard))) {
      used.insert_or_assign(name, amount);
    }
    used = quota::Masked(used, quota::NamesOf(hard));
    if (StatusHasHard(quota) && quota::SameAmounts(used, used_before)) co_return Result<void>();

    const std::shared_ptr<object::Document> changed = client::MutableCopy(*document);
    auto status = core::MutableResourceQuota(*changed).mutable_status();
    status.clear_hard();
    for (const auto entry : quota.spec().hard()) status.put_hard(entry.key, entry.value);
    status.clear_used();
    for (const auto& [name, amount] : used) status.put_used(name, amount.ToString());
    const Result<client::ObjectPtr> written =
        co_await context_.client.Update(quotas_.resource(), changed, "status");
    if (written || FailedWith(written, StatusReason::kNotFound)) co_return Result<void>();
    co_return std::unexpected(written.error());
  }

  ControllerContext context_;
  client::Informer& quotas_;
  QuotaMonitors monitors_;
  Duration learnt_at_{};
  InformedQueue queue_;
  InformedQueue urgent_;
};

}  // namespace

std::unique_ptr<Controller> MakeResourceQuotaController(ControllerContext context) {
  return std::make_unique<ResourceQuota>(std::move(context));
}

}  // namespace skiff::controllers
