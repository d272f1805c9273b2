#include "apiserver/extensions/api_service_registrar.h"

#include <mutex>
#include <set>
#include <utility>

#include "apiserver/convert/convert.h"
#include "apiserver/registry/cache_reads.h"
#include "apiserver/rest/field_tracking.h"
#include "apiserver/rest/object_change.h"
#include "apiserver/rest/object_meta.h"
#include "apiserver/rest/write_rules.h"
#include "views/apiregistration.k8s.io/v1.h"

namespace skiff::apiserver {
namespace {

namespace registration = views::apiregistration_k8s_io_v1;

constexpr std::string_view kManagedLabel = "kube-aggregator.kubernetes.io/automanaged";
// Of those that come and go; bootstrap's own have another value.
constexpr std::string_view kManagedValue = "true";
constexpr int32_t kGroupPriority = 1000;
constexpr int32_t kVersionPriority = 100;

constexpr Duration kRetryInterval = std::chrono::seconds(1);
// For how long one is not wanted before it goes.
constexpr Duration kUnwantedTime = std::chrono::seconds(5);

bool IsManaged(const object::Document& service) {
  const object::Value* labels = service.root().FindPath({"metadata", "labels"});
  const object::Value* label = labels != nullptr ? labels->Find(kManagedLabel) : nullptr;
  return label != nullptr && label->is_string() && label->AsText() == kManagedValue;
}

void FillSpec(std::string_view name, registration::MutableAPIServiceSpec spec) {
  const size_t dot = name.find('.');
  spec.set_group(name.substr(dot + 1));
  spec.set_version(name.substr(0, dot));
  spec.set_group_priority_minimum(kGroupPriority);
  spec.set_version_priority(kVersionPriority);
}

object::Document ServiceOf(std::string_view name, object::Timestamp now) {
  object::Document out = registration::APIService::New();
  registration::MutableAPIService service(out);
  service.mutable_metadata().set_name(name);
  service.mutable_metadata().put_labels(kManagedLabel, kManagedValue);
  FillSpec(name, service.mutable_spec());
  auto condition = service.mutable_status().add_conditions();
  condition.set_type("Available");
  condition.set_status("True");
  condition.set_last_transition_time(now);
  condition.set_reason("Local");
  condition.set_message("Local APIServices are always available");
  return out;
}

bool HasWantedSpec(std::string_view name, const object::Document& service) {
  object::Document wanted = registration::APIService::New();
  FillSpec(name, registration::MutableAPIService(wanted).mutable_spec());
  const object::Value* const spec = service.root().Find("spec");
  return spec != nullptr && object::DeepEqual(*wanted.root().Find("spec"), *spec);
}

}  // namespace

struct ApiServiceRegistrar::State : std::enable_shared_from_this<State> {
  State(ResourceStorage* service_storage, RestContext& context, Log& server_log)
      : storage(service_storage), rest(context), log(server_log) {}

  ResourceStorage* const storage;
  RestContext& rest;
  Log& log;
  std::mutex mutex;
  std::map<std::string, size_t, std::less<>> serving;  // definitions by name of their APIService
  std::set<std::string, std::less<>> busy;
  std::set<std::string, std::less<>> again;  // of the busy ones, those that have changed meanwhile
  std::set<std::string, std::less<>> failed;
  Duration next_retry{0};

  void Bring(const std::string& name) {
    if (storage == nullptr) return;
    {
      const std::lock_guard lock(mutex);
      if (!busy.insert(name).second) {
        again.insert(name);
        return;
      }
    }
    ObjectChange change;
    change.storage = storage;
    change.name = name;
    change.decide = [self = shared_from_this(), name](const CurrentObject* current) {
      return self->Decide(name, current);
    };
    ChangeObject(std::move(change), [self = shared_from_this(), name](const Result<Changed>& done) {
      self->Done(name, done);
    });
  }

  void Done(const std::string& name, const Result<Changed>& done) {
    if (!done) {
      log.Warning("The APIService of a group of custom resources could not be written",
                  {{"name", name}, {"err", done.error().ToString()}});
    }
    {
      const std::lock_guard lock(mutex);
      busy.erase(name);
      if (!done && !again.contains(name)) failed.insert(name);
      if (again.erase(name) == 0) return;
    }
    Bring(name);
  }

  void RetryFailed() {
    std::set<std::string, std::less<>> names;
    {
      const std::lock_guard lock(mutex);
      if (failed.empty() || rest.clock.Monotonic() < next_retry) return;
      next_retry = rest.clock.Monotonic() + kRetryInterval;
      names.swap(failed);
    }
    for (const std::string& name : names) Bring(name);
  }

  bool IsServed(std::string_view name) {
    const std::lock_guard lock(mutex);
    return serving.contains(name);
  }

  Result<Change> Decide(const std::string& name, const CurrentObject* current) {
    Change out;
    const bool wanted = IsServed(name);
    if (current == nullptr) {
      if (!wanted) return out;
      SKIFF_ASSIGN_OR_RETURN(out.object, Make(name));
      out.kind = Change::Kind::kWrite;
      return out;
    }
    SKIFF_ASSIGN_OR_RETURN(object::Document object, current->Decode());
    if (!IsManaged(object) || (wanted && HasWantedSpec(name, object))) return out;
    out.kind = wanted ? Change::Kind::kWrite : Change::Kind::kRemove;
    if (wanted) {
      const object::Document live = object.Copy();
      object.root().Erase("spec");
      FillSpec(name, registration::MutableAPIService(object).mutable_spec());
      TrackOwnUpdate(*storage, live, object, NowOf(rest.clock));
    }
    out.object = std::move(object);
    return out;
  }

  Result<object::Document> Make(const std::string& name) {
    const object::Timestamp now = NowOf(rest.clock);
    object::Document object = ServiceOf(name, now);
    const Endpoint endpoint{.resource = storage->hub().resource, .storage = storage};
    SKIFF_RETURN_IF_ERROR(FillMetaForCreate(endpoint, "", object, rest.random, now));
    SKIFF_ASSIGN_OR_RETURN(object, Convert(std::move(object), storage->desc().stored));
    TrackOwnCreation(*storage, object, now);
    return object;
  }
};

ApiServiceRegistrar::ApiServiceRegistrar(ResourceStorage* storage, RestContext& rest, Log& log)
    : state_(std::make_shared<State>(storage, rest, log)) {}

void ApiServiceRegistrar::Add(std::string_view group, std::string_view version) {
  const std::string name = std::string(version) + "." + std::string(group);
  {
    const std::lock_guard lock(state_->mutex);
    if (++state_->serving[name] > 1) return;
  }
  state_->Bring(name);
}

void ApiServiceRegistrar::Remove(std::string_view group, std::string_view version) {
  const std::string name = std::string(version) + "." + std::string(group);
  {
    const std::lock_guard lock(state_->mutex);
    const auto found = state_->serving.find(name);
    if (found == state_->serving.end() || --found->second > 0) return;
    state_->serving.erase(found);
  }
  state_->Bring(name);
}

void ApiServiceRegistrar::OnApiService(std::string_view name, const object::Document* now) {
  const bool is_wanted = state_->IsServed(name);
  if (now == nullptr || is_wanted || !IsManaged(*now)) {
    if (const auto found = unwanted_.find(name); found != unwanted_.end()) unwanted_.erase(found);
  } else {
    unwanted_.try_emplace(std::string(name), state_->rest.clock.Monotonic() + kUnwantedTime);
  }
  if (!is_wanted || (now != nullptr && (!IsManaged(*now) || HasWantedSpec(name, *now)))) return;
  state_->Bring(std::string(name));
}

void ApiServiceRegistrar::Tick() {
  state_->RetryFailed();
  const Duration now = state_->rest.clock.Monotonic();
  for (auto at = unwanted_.begin(); at != unwanted_.end();) {
    if (at->second > now) {
      ++at;
      continue;
    }
    state_->Bring(at->first);
    at = unwanted_.erase(at);
  }
}

void ApiServiceRegistrar::RemoveStale() {
  ForEachInCache(state_->storage, [&](const store::CacheEntry& entry) {
    if (!entry.readable()) return;
    const Result<object::Document> object = DecodeStored(entry.value().view(), {});
    if (object && IsManaged(*object)) state_->Bring(std::string(entry.name()));
  });
}

}  // namespace skiff::apiserver
