#include "apiserver/extensions/custom_resources.h"

#include <algorithm>
#include <utility>

#include "apiserver/discovery/version_order.h"

namespace skiff::apiserver {
namespace {

// What a made set of resources refers to.
struct Owners {
  std::vector<std::shared_ptr<const CustomDefinition>> definitions;
};

// What is left while the objects of a definition are being deleted.
constexpr object::VerbSet kTerminatingVerbs(uint8_t{0xff} &
                                            ~(uint8_t{1} << int(object::Verb::kCreate)) &
                                            ~(uint8_t{1} << int(object::Verb::kPatch)) &
                                            ~(uint8_t{1} << int(object::Verb::kUpdate)));

// Kubernetes shows the status before the scale.
ServedResource Serve(const CustomVersion& version, bool terminating) {
  ServedResource out{.desc = &version.resource(), .subresources = {}};
  for (const object::SubresourceDesc& each : version.resource().subresources) {
    out.subresources.insert(out.subresources.begin(), &each);
  }
  if (terminating) out.verbs = kTerminatingVerbs;
  return out;
}

}  // namespace

CustomResources::CustomResources(std::shared_ptr<const ServedResources> builtin,
                                 CustomServing serving)
    : builtin_(std::move(builtin)), serving_(serving), served_(builtin_) {}

CustomResources::~CustomResources() { Stop(); }

std::shared_ptr<ServedDefinition> CustomResources::Find(std::string_view group,
                                                        std::string_view plural) const {
  const std::shared_lock lock(mutex_);
  const auto found = groups_.find(group);
  if (found == groups_.end()) return nullptr;
  const auto definition = found->second.find(plural);
  return definition == found->second.end() ? nullptr : definition->second;
}

std::shared_ptr<ServedDefinition> CustomResources::FindKind(std::string_view group,
                                                            std::string_view kind) const {
  const std::shared_lock lock(mutex_);
  const auto found = groups_.find(group);
  if (found == groups_.end()) return nullptr;
  for (const auto& [plural, served] : found->second) {
    if (served->definition().kind_name() == kind) return served;
  }
  return nullptr;
}

std::vector<std::shared_ptr<ServedDefinition>> CustomResources::InGroup(
    std::string_view group) const {
  std::vector<std::shared_ptr<ServedDefinition>> out;
  const std::shared_lock lock(mutex_);
  if (const auto found = groups_.find(group); found != groups_.end()) {
    for (const auto& [plural, served] : found->second) out.push_back(served);
  }
  return out;
}

void CustomResources::ForEach(const std::function<void(const ServedDefinition&)>& call) const {
  const std::shared_lock lock(mutex_);
  for (const auto& [name, group] : groups_) {
    for (const auto& [plural, served] : group) call(*served);
  }
}

bool CustomResources::ServesGroup(std::string_view group) const {
  const std::shared_lock lock(mutex_);
  return groups_.contains(group);
}

std::shared_ptr<ServedDefinition> CustomResources::Publish(
    std::shared_ptr<const CustomDefinition> definition, bool terminating) {
  auto served = std::make_shared<ServedDefinition>(definition, serving_);
  if (terminating) served->SetTerminating();
  std::shared_ptr<ServedDefinition> old;
  {
    const std::unique_lock lock(mutex_);
    Group& group = groups_[std::string(definition->group())];
    old = std::exchange(group[std::string(definition->plural())], served);
    if (old != nullptr) retired_.emplace_back(old);
    revision_.fetch_add(1, std::memory_order_acq_rel);
  }
  if (old != nullptr) old->Retire();
  return served;
}

std::shared_ptr<ServedDefinition> CustomResources::MakeUnpublished(
    std::shared_ptr<const CustomDefinition> definition) const {
  auto made = std::make_shared<ServedDefinition>(std::move(definition), serving_);
  made->SetTerminating();
  return made;
}

void CustomResources::Terminate(ServedDefinition& served) {
  served.SetTerminating();
  revision_.fetch_add(1, std::memory_order_acq_rel);
}

void CustomResources::Withdraw(std::string_view group, std::string_view plural) {
  std::shared_ptr<ServedDefinition> old;
  {
    const std::unique_lock lock(mutex_);
    const auto found = groups_.find(group);
    if (found == groups_.end()) return;
    const auto definition = found->second.find(plural);
    if (definition == found->second.end()) return;
    old = std::move(definition->second);
    retired_.emplace_back(old);
    found->second.erase(definition);
    if (found->second.empty()) groups_.erase(found);
    revision_.fetch_add(1, std::memory_order_acq_rel);
  }
  old->Retire();
}

size_t CustomResources::retired() const {
  const std::shared_lock lock(mutex_);
  return static_cast<size_t>(
      std::ranges::count_if(retired_, [](const auto& each) { return !each.expired(); }));
}

void CustomResources::Tick() {
  std::vector<std::shared_ptr<ServedDefinition>> all;
  {
    const std::unique_lock lock(mutex_);
    std::erase_if(retired_, [](const auto& each) { return each.expired(); });
    for (const auto& [name, group] : groups_) {
      for (const auto& [plural, served] : group) all.push_back(served);
    }
  }
  for (const auto& each : all) each->Tick();
}

void CustomResources::Stop() {
  std::map<std::string, Group, std::less<>> groups;
  {
    const std::unique_lock lock(mutex_);
    groups.swap(groups_);
    revision_.fetch_add(1, std::memory_order_acq_rel);
  }
  for (const auto& [name, group] : groups) {
    for (const auto& [plural, served] : group) served->Retire();
  }
}

std::shared_ptr<const ServedResources> CustomResources::Served() const {
  const std::lock_guard lock(served_mutex_);
  const uint64_t now = revision();
  if (served_revision_ == now) return served_;
  served_ = MakeServed();
  served_revision_ = now;
  return served_;
}

std::shared_ptr<const ServedResources> CustomResources::MakeServed() const {
  auto owners = std::make_shared<Owners>();
  std::vector<ServedGroup> out;
  const std::shared_lock lock(mutex_);
  for (const auto& [name, group] : groups_) {
    ServedGroup made{{}, {}};
    for (const auto& [plural, served] : group) {
      owners->definitions.push_back(served->shared_definition());
      for (const auto& version : served->definition().versions()) {
        if (!version->served()) continue;
        made.name = served->definition().group();
        auto place = std::ranges::find_if(made.versions, [&](const ServedVersion& each) {
          return each.info->desc->version == version->name();
        });
        if (place == made.versions.end()) {
          made.versions.push_back({version->resource().version, {}});
          place = made.versions.end() - 1;
        }
        place->resources.push_back(Serve(*version, served->terminating()));
      }
    }
    if (made.versions.empty()) continue;
    std::ranges::sort(made.versions, [](const ServedVersion& a, const ServedVersion& b) {
      return VersionComesFirst(a.info->desc->version, b.info->desc->version);
    });
    out.push_back(std::move(made));
  }
  auto all = std::make_shared<ServedResources>(builtin_->With(std::move(out)));
  const ServedResources* const resources = all.get();
  // Kept alive together.
  struct Both {
    std::shared_ptr<Owners> owners;
    std::shared_ptr<ServedResources> resources;
  };
  auto both = std::make_shared<Both>(Both{std::move(owners), std::move(all)});
  return std::shared_ptr<const ServedResources>(std::move(both), resources);
}

}  // namespace skiff::apiserver
