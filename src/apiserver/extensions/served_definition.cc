#include "apiserver/extensions/served_definition.h"

#include <string>
#include <utility>

#include "apiserver/extensions/custom_columns.h"
#include "apiserver/rest/scale.h"

namespace skiff::apiserver {
namespace {

std::shared_ptr<WebhookConverter> MakeConverter(
    const std::shared_ptr<const CustomDefinition>& definition, const CustomServing& serving) {
  if (serving.conversion == nullptr || !definition->converts_by_webhook()) return nullptr;
  return std::make_shared<WebhookConverter>(definition, *serving.conversion);
}

}  // namespace

ServedDefinition::ServedDefinition(std::shared_ptr<const CustomDefinition> definition,
                                   const CustomServing& serving)
    : definition_(std::move(definition)),
      serving_(serving),
      converter_(MakeConverter(definition_, serving)) {
  for (const auto& version : definition_->versions()) AddRoute(*version);
}

ServedDefinition::~ServedDefinition() { Retire(); }

void ServedDefinition::AddRoute(const CustomVersion& version) {
  auto made = std::make_unique<VersionRoute>();
  made->version = &version;
  made->behaviour = std::make_unique<CustomBehaviour>(version, terminating_);
  RoutedResource& route = made->route;
  route.view = std::make_unique<ObjectView>(version.resource(), converter_ != nullptr
                                                                    ? ObjectView::Given::kConverted
                                                                    : ObjectView::Given::kStored);
  route.columns = std::make_unique<LazyColumns>(
      [&version, view = route.view.get()] { return MakeCustomColumns(version, *view); });
  route.deprecation = version.deprecation();
  route.endpoint.resource = &version.resource();
  route.endpoint.behaviour = made->behaviour.get();
  route.endpoint.view = route.view.get();
  route.endpoint.columns = route.columns.get();
  route.endpoint.context = &serving_.rest;
  for (const object::SubresourceDesc& subresource : version.resource().subresources) {
    SubresourceRoute& made_route = route.subresources.emplace_back();
    made_route.endpoint = route.endpoint;
    made_route.endpoint.subresource = &subresource;
    if (subresource.name == "scale") made_route.handler = HandleScale;
  }
  routes_.push_back(std::move(made));
}

const RoutedResource& ServedDefinition::stored_route() const {
  for (const auto& each : routes_) {
    if (each->version == &definition_->storage_version()) return each->route;
  }
  return routes_.front()->route;
}

const RoutedResource* ServedDefinition::Route(std::string_view version) const {
  for (const auto& each : routes_) {
    if (each->version->name() == version && each->version->served()) return &each->route;
  }
  return nullptr;
}

std::shared_ptr<const void> ServedDefinition::BeginCreation() const {
  const std::lock_guard lock(mutex_);
  return creations_;
}

std::weak_ptr<const void> ServedDefinition::EndCreations() {
  const std::lock_guard lock(mutex_);
  const std::weak_ptr<const void> begun = creations_;
  creations_.reset();
  return begun;
}

void ServedDefinition::MakeStorage() {
  Result<std::unique_ptr<ResourceStorage>> made =
      ResourceStorage::Make(definition_->hub(), serving_.environment, serving_.storages.symbols(),
                            definition_, converter_.get());
  if (!made) {
    if (serving_.environment.log != nullptr) {
      serving_.environment.log->Error(
          "Objects of a definition cannot be served",
          {{"resource", std::string(definition_->plural())}, {"err", made.error().ToString()}});
    }
    return;
  }
  storage_ = std::move(*made);
  for (const auto& each : routes_) {
    each->route.endpoint.storage = storage_.get();
    for (SubresourceRoute& subresource : each->route.subresources) {
      subresource.endpoint.storage = storage_.get();
    }
  }
}

void ServedDefinition::WhenReady(std::move_only_function<void()> go_on) {
  if (storage() != nullptr) return go_on();
  ResourceStorage* made = nullptr;
  {
    const std::lock_guard lock(mutex_);
    // One that is retired makes none any more: nobody would end its watches.
    if (storage_ == nullptr && !retired_) {
      MakeStorage();
      made = storage_.get();
    }
    if (!retired_ && storage_ != nullptr && ready_storage_.load() == nullptr) {
      waiting_.push_back(std::move(go_on));
      go_on = nullptr;
    }
  }
  // If it is retired meanwhile, the cache is stopped before it starts, or while it does.
  if (made != nullptr) {
    made->cache().Start([weak = weak_from_this()](const Result<store::Revision>&) {
      if (const auto self = weak.lock()) self->AfterLoading();
    });
  }
  if (go_on) go_on();
}

void ServedDefinition::AfterLoading() {
  std::vector<std::move_only_function<void()>> waiting;
  {
    const std::lock_guard lock(mutex_);
    ready_storage_.store(storage_.get(), std::memory_order_release);
    waiting.swap(waiting_);
  }
  for (auto& each : waiting) each();
}

void ServedDefinition::Retire() {
  std::vector<std::move_only_function<void()>> waiting;
  ResourceStorage* storage = nullptr;
  {
    const std::lock_guard lock(mutex_);
    if (std::exchange(retired_, true)) return;
    storage = storage_.get();
    waiting.swap(waiting_);
  }
  if (storage != nullptr) storage->Retire();
  for (auto& each : waiting) each();
}

void ServedDefinition::Tick() {
  ResourceStorage* storage = nullptr;
  {
    const std::lock_guard lock(mutex_);
    if (!retired_) storage = storage_.get();
  }
  if (storage != nullptr) storage->cache().Tick();
}

}  // namespace skiff::apiserver
