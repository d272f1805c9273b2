#include "controllers/quota_monitors.h"

#include <algorithm>
#include <utility>

#include "controllers/objects.h"
#include "quota/evaluators.h"

namespace skiff {
namespace {

constexpr std::string_view kCountPrefix = "count/";
constexpr std::string_view kDevices = "resource.k8s.io";

bool IsQuotable(const DiscoveredResource& found) {
  return found.resource.namespaced && found.Has("create") && found.Has("list") &&
         found.Has("watch") && found.Has("delete") &&
         !IsExemptFromQuotas(found.resource.group, found.resource.name);
}

// Of these, more than the number counts.
bool CountsByContent(const ApiResource& resource) {
  if (resource.group == kDevices) return resource.name == "resourceclaims";
  return resource.group.empty() && (resource.name == "pods" || resource.name == "services" ||
                                    resource.name == "persistentvolumeclaims");
}

// Whether names like these may stand for devices.
bool MayNameDevices(const ResourceNames& names) {
  return std::ranges::any_of(names, [](const std::string& name) {
    return IsExtendedQuotaName(name) || name.find(kDevices) != std::string::npos;
  });
}

}  // namespace

struct QuotaMonitors::Monitor final : InformerHandler {
  Monitor(QuotaMonitors& the_owner, ApiResource the_resource)
      : owner(the_owner),
        resource(std::move(the_resource)),
        evaluator(MakeQuotaEvaluator(resource.group, resource.name, owner.lookups_)) {}
  ~Monitor() override {
    if (informer != nullptr) informer->RemoveHandler(this);
  }

  void OnAdd(const ObjectPtr&) override {}
  // Admission charges for what becomes more, but nobody tells it what becomes less.
  void OnUpdate(const ObjectPtr& old, const ObjectPtr& object) override {
    if (!CountsByContent(resource)) return;
    const Timestamp now = WallTime(owner.clock_);
    if (!SameAmounts(evaluator->Usage(*old, now), evaluator->Usage(*object, now)) ||
        IsTerminating(*old) != IsTerminating(*object)) {
      owner.freed_(*evaluator, NameOf(*object).name_space);
    }
  }
  void OnDelete(const ObjectPtr& last) override {
    owner.freed_(*evaluator, NameOf(*last).name_space);
  }

  // The scope, which an update may change.
  bool IsTerminating(const Document& object) const {
    return evaluator->IsInScope(ScopeRule("Terminating"), object).value_or(false);
  }
  bool CountsFor(const ResourceNames& names) const { return !evaluator->Matching(names).empty(); }

  QuotaMonitors& owner;
  const ApiResource resource;
  const std::unique_ptr<QuotaEvaluator> evaluator;
  Informer* informer = nullptr;  // null: not watched yet
};

QuotaMonitors::QuotaMonitors(InformerSet& informers, Clock& clock, Freed freed)
    : informers_(informers), clock_(clock), freed_(std::move(freed)) {}

QuotaMonitors::~QuotaMonitors() = default;

void QuotaMonitors::Learn(const ServedApi& api) {
  std::erase_if(monitors_, [&](const std::unique_ptr<Monitor>& each) {
    const auto is_it = [&](const DiscoveredResource& found) {
      return found.resource == each->resource && IsQuotable(found);
    };
    const bool stays = std::ranges::any_of(api.resources, is_it) ||
                       std::ranges::count(api.unavailable, each->resource.api_version()) != 0;
    if (!stays) Stop(*each);
    return !stays;
  });
  for (const DiscoveredResource& found : api.resources) {
    has_device_classes_ |=
        found.resource.group == kDevices && found.resource.name == "deviceclasses";
    const auto is_same = [&](const auto& each) {
      return each->resource.group == found.resource.group &&
             each->resource.name == found.resource.name;
    };
    if (!IsQuotable(found) || std::ranges::any_of(monitors_, is_same)) continue;
    monitors_.push_back(std::make_unique<Monitor>(*this, found.resource));
  }
}

bool QuotaMonitors::KnowsCountsOf(const ResourceNames& names) const {
  return std::ranges::all_of(names, [&](const std::string& name) {
    if (!name.starts_with(kCountPrefix)) return true;
    const ResourceNames one = {name};
    return std::ranges::any_of(monitors_, [&](const auto& each) { return each->CountsFor(one); });
  });
}

void QuotaMonitors::Start(Monitor& monitor) {
  if (monitor.informer != nullptr) return;
  const bool by_content = CountsByContent(monitor.resource);
  monitor.informer = &informers_.For(monitor.resource, {.metadata_only = !by_content});
  monitor.informer->AddHandler(&monitor);
  informers_.Start();
  if (monitor.resource.group != kDevices || monitor.resource.name != "resourceclaims") return;
  lookups_.claims = monitor.informer;
  lookups_.pods = &informers_.For(BuiltIn("", "v1", "pods"));
  informers_.Start();
}

void QuotaMonitors::Stop(Monitor& monitor) {
  if (monitor.informer == nullptr) return;
  if (lookups_.claims == monitor.informer) lookups_.claims = nullptr;
  monitor.informer->RemoveHandler(&monitor);
  // Other loops may follow it too; then it goes on.
  informers_.Drop(*std::exchange(monitor.informer, nullptr));
}

void QuotaMonitors::Rest() {
  for (const std::unique_ptr<Monitor>& each : monitors_) Stop(*each);
  if (lookups_.classes != nullptr) informers_.Drop(*lookups_.classes);
  lookups_ = {};
}

void QuotaMonitors::WatchDevices(const ResourceNames& names) {
  if (lookups_.classes != nullptr || !has_device_classes_ || !MayNameDevices(names)) return;
  lookups_.classes = &informers_.For(BuiltIn(kDevices, "v1", "deviceclasses"));
  informers_.Start();
}

void QuotaMonitors::Watch(const ResourceNames& names) {
  WatchDevices(names);
  for (const std::unique_ptr<Monitor>& each : monitors_) {
    if (each->CountsFor(names)) Start(*each);
  }
}

bool QuotaMonitors::synced(const ResourceNames& names) const {
  if (MayNameDevices(names)) {
    const Informer* const needed[] = {lookups_.classes, lookups_.claims, lookups_.pods};
    for (const Informer* each : needed) {
      if (each != nullptr && !each->synced()) return false;
    }
  }
  return std::ranges::all_of(monitors_, [&](const auto& each) {
    return !each->CountsFor(names) || (each->informer != nullptr && each->informer->synced());
  });
}

void QuotaMonitors::AddUsage(const Monitor& monitor, const std::string& name_space,
                             const std::vector<ScopeRule>& scopes, ResourceList& used) const {
  const Timestamp now = WallTime(clock_);
  for (const ObjectPtr& object : monitor.informer->List(name_space)) {
    bool in_all = true;
    for (const ScopeRule& rule : scopes) {
      const Result<bool> in = monitor.evaluator->IsInScope(rule, *object);
      // A rule that cannot be read holds for nothing.
      if (!in) return;
      in_all &= *in;
    }
    if (in_all) AddTo(used, monitor.evaluator->Usage(*object, now));
  }
}

ResourceList QuotaMonitors::Usage(const std::string& name_space,
                                  const std::vector<ScopeRule>& scopes,
                                  const ResourceNames& names) const {
  ResourceList used;
  ResourceNames counted;
  for (const std::unique_ptr<Monitor>& each : monitors_) {
    const ResourceNames matching = each->evaluator->Matching(names);
    if (matching.empty() || each->informer == nullptr) continue;
    for (const std::string& name : matching) used.try_emplace(name, Quantity(0));
    counted.insert(matching.begin(), matching.end());
    AddUsage(*each, name_space, scopes, used);
  }
  return Masked(used, counted);
}

}  // namespace skiff
