#include "apiserver/aggregator/registered_api.h"

#include <utility>

#include "object/resource.h"
#include "views/apiregistration.k8s.io/v1.h"

namespace skiff::apiserver {
namespace {

namespace registration = views::apiregistration_k8s_io_v1;

constexpr std::string_view kManagedLabel = "kube-aggregator.kubernetes.io/automanaged";
constexpr int32_t kCustomGroupPriority = 1000;
constexpr int32_t kCustomVersionPriority = 100;

// What is known without it.
bool IsExpected(const RegisteredVersion& version) {
  for (const object::GroupVersionInfo& info : object::ServedGroupVersions()) {
    if (info.desc->group != version.group || info.desc->version != version.version) continue;
    return info.group_priority == version.group_priority &&
           info.version_priority == version.version_priority;
  }
  return version.group_priority == kCustomGroupPriority &&
         version.version_priority == kCustomVersionPriority;
}

}  // namespace

void RegisteredApi::OnObject(std::string_view name, const object::Document* api_service) {
  RegisteredVersion now;
  bool counts = false;
  if (api_service != nullptr) {
    const registration::APIService service(*api_service);
    const registration::APIServiceSpec spec = service.spec();
    now = {.group = std::string(spec.group()),
           .version = std::string(spec.version()),
           .group_priority = spec.group_priority_minimum(),
           .version_priority = spec.version_priority(),
           .is_remote = spec.has_service()};
    const object::Value* const labels = api_service->root().FindPath({"metadata", "labels"});
    const bool is_managed = labels != nullptr && labels->Find(kManagedLabel) != nullptr;
    counts = !now.group.empty() && (now.is_remote || !is_managed || !IsExpected(now));
  }
  const std::lock_guard lock(mutex_);
  const auto found = by_name_.find(name);
  if (!counts) {
    if (found == by_name_.end()) return;
    by_name_.erase(found);
    return Changed();
  }
  if (found == by_name_.end()) {
    by_name_.emplace(std::string(name), std::move(now));
    return Changed();
  }
  RegisteredVersion& known = found->second;
  if (now.is_remote && known.is_remote) {
    now.is_known = known.is_known;
    now.is_stale = known.is_stale;
    now.resources = known.resources;
  }
  if (now == known) return;
  known = std::move(now);
  Changed();
}

void RegisteredApi::SetAnswer(std::string_view name, Answer answer) {
  const std::lock_guard lock(mutex_);
  const auto found = by_name_.find(name);
  if (found == by_name_.end() || !found->second.is_remote) return;
  RegisteredVersion& known = found->second;
  if (known.is_known && known.is_stale == answer.is_stale && known.resources == answer.resources) {
    return;
  }
  known.is_known = true;
  known.is_stale = answer.is_stale;
  known.resources = std::move(answer.resources);
  Changed();
}

bool RegisteredApi::is_complete() const {
  const std::lock_guard lock(mutex_);
  for (const auto& [name, version] : by_name_) {
    if (version.is_remote && !version.is_known) return false;
  }
  return true;
}

std::shared_ptr<const RegisteredVersions> RegisteredApi::versions() const {
  const std::lock_guard lock(mutex_);
  const uint64_t now = revision();
  if (now != versions_revision_) {
    auto made = std::make_shared<RegisteredVersions>();
    for (const auto& [name, version] : by_name_) made->push_back(version);
    versions_ = std::move(made);
    versions_revision_ = now;
  }
  return versions_;
}

}  // namespace skiff::apiserver
