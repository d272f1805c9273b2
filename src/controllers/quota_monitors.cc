#include "controllers/quota_monitors.h"

#include <algorithm>
#include <utility>

#include "controllers/objects.h"
#include "quota/evaluators.h"

namespace skiff::controllers {
namespace {

constexpr std::string_view kCountPrefix = "count/";
constexpr std::string_view kDevices = "resource.k8s.io";

bool IsQuotable(const client::DiscoveredResource& found) {
  return found.resource.namespaced && found.Has("create") && found.Has("list") &&
         found.Has("watch") && found.Has("delete") &&
         !quota::IsExemptFromQuotas(found.resource.group, found.resource.name);
}

// Of these, more than the number counts.
bool CountsByContent(const client::ApiResource& resource) {
  if (resource.group == kDevices) return resource.name == "resourceclaims";
  return resource.group.empty() && (resource.name == "pods" || resource.name == "services" ||
                                    resource.name == "persistentvolumeclaims");
}

// Whether names like these may stand for devices.
bool MayNameDevices(const quota::ResourceNames& names) {
  return std::ranges::any_of(names, [](const std::string& name) {
    return quota::IsExtendedQuotaName(name) || name.find(kDevices) != std::string::npos;
  });
}

}  // namespace

struct QuotaMonitors::Monitor final : client::InformerHandler {
  Monitor(QuotaMonitors& the_owner, client::ApiResource the_resource)
      : owner(the_owner),
        resource(std::move(the_resource)),
        evaluator(quota::MakeQuotaEvaluator(resource.group, resource.name, owner.lookups_)) {}
  ~Monitor() override {
    if (informer != nullptr) informer->RemoveHandler(this);
  }

  void OnAdd(const client::ObjectPtr&) override {}
  // Admission charges for what becomes more, but nobody tells it what becomes less.
  void OnUpdate(const client::ObjectPtr& old, const client::ObjectPtr& object) override {
    if (!CountsByContent(resource)) return;
    const object::Timestamp now = WallTime(owner.clock_);
    if (!quota::SameAmounts(evaluator->Usage(*old, now), evaluator->Usage(*object, now)) ||
        IsTerminating(*old) != IsTerminating(*object)) {
      owner.freed_(*evaluator, client::NameOf(*object).name_space);
    }
  }
  void OnDelete(const client::ObjectPtr& last) override {
    owner.freed_(*evaluator, client::NameOf(*last).name_space);
  }

  // The scope, which an update may change.
  bool IsTerminating(const object::Document& object) const {
    return evaluator->IsInScope(quota::ScopeRule("Terminating"), object).value_or(false);
  }
  bool CountsFor(const quota::ResourceNames& names) const {
    return !evaluator->Matching(names).empty();
  }

  QuotaMonitors& owner;
  const client::ApiResource resource;
  const std::unique_ptr<quota::QuotaEvaluator> evaluator;
  client::Informer* informer = nullptr;  // null: not watched yet
};

QuotaMonitors::QuotaMonitors(client::InformerSet& informers, Clock& clock, Freed freed)
    : informers_(informers), clock_(clock), freed_(std::move(freed)) {}

QuotaMonitors::~QuotaMonitors() = default;

void QuotaMonitors::Learn(const client::ServedApi& api) {
  std::erase_if(monitors_, [&](const std::unique_ptr<Monitor>& each) {
    const auto is_it = [&](const client::DiscoveredResource& found) {
      return found.resource == each->resource && IsQuotable(found);
    };
    const bool stays = std::ranges::any_of(api.resources, is_it) ||
                       std::ranges::count(api.unavailable, each->resource.api_version()) != 0;
    if (!stays) Stop(*each);
    return !stays;
  });
  for (const client::DiscoveredResource& found : api.resources) {
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

bool QuotaMonitors::KnowsCountsOf(const quota::ResourceNames& names) const {
  return std::ranges::all_of(names, [&](const std::string& name) {
    if (!name.starts_with(kCountPrefix)) return true;
    const quota::ResourceNames one = {name};
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
  lookups_.pods = &informers_.For(client::BuiltIn("", "v1", "pods"));
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

void QuotaMonitors::WatchDevices(const quota::ResourceNames& names) {
  if (lookups_.classes != nullptr || !has_device_classes_ || !MayNameDevices(names)) return;
  lookups_.classes = &informers_.For(client::BuiltIn(kDevices, "v1", "deviceclasses"));
  informers_.Start();
}

void QuotaMonitors::Watch(const quota::ResourceNames& names) {
  WatchDevices(names);
  for (const std::unique_ptr<Monitor>& each : monitors_) {
    if (each->CountsFor(names)) Start(*each);
  }
}

bool QuotaMonitors::synced(const quota::ResourceNames& names) const {
  if (MayNameDevices(names)) {
    const client::Informer* const needed[] = {lookups_.classes, lookups_.claims, lookups_.pods};
    for (const client::Informer* each : needed) {
      if (each != nullptr && !each->synced()) return false;
    }
  }
  return std::ranges::all_of(monitors_, [&](const auto& each) {
    return !each->CountsFor(names) || (each->informer != nullptr && each->informer->synced());
  });
}

void QuotaMonitors::AddUsage(const Monitor& monitor, const std::string& name_space,
                             const std::vector<quota::ScopeRule>& scopes,
                             quota::ResourceList& used) const {
  const object::Timestamp now = WallTime(clock_);
  for (const client::ObjectPtr& object : monitor.informer->List(name_space)) {
    bool in_all = true;
    for (const quota::ScopeRule& rule : scopes) {
      const Result<bool> in = monitor.evaluator->IsInScope(rule, *object);
      // A rule that cannot be read holds for nothing.
      if (!in) return;
      in_all &= *in;
    }
    if (in_all) quota::AddTo(used, monitor.evaluator->Usage(*object, now));
  }
}

quota::ResourceList QuotaMonitors::Usage(const std::string& name_space,
                                         const std::vector<quota::ScopeRule>& scopes,
                                         const quota::ResourceNames& names) const {
  quota::ResourceList used;
  quota::ResourceNames counted;
  for (const std::unique_ptr<Monitor>& each : monitors_) {
    const quota::ResourceNames matching = each->evaluator->Matching(names);
    if (matching.empty() || each->informer == nullptr) continue;
    for (const std::string& name : matching) used.try_emplace(name, object::Quantity(0));
    counted.insert(matching.begin(), matching.end());
    AddUsage(*each, name_space, scopes, used);
  }
  return quota::Masked(used, counted);
}

}  // namespace skiff::controllers
