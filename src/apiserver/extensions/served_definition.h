// A definition as it is served: its storage, and an endpoint for each of its versions.
//
// The storage, with its watch cache, is made when somebody first asks for an object: thousands of
// definitions cost little more than their names. When the definition goes or changes, Retire() ends
// the watches; requests that are under way finish with what they hold, and the cache is freed with
// the last of them.
//
// Owner: CustomResources, and every request and watch of the kind.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <string_view>
#include <vector>

#include "apiserver/extensions/custom_behaviour.h"
#include "apiserver/extensions/definition.h"
#include "apiserver/extensions/webhook_converter.h"
#include "apiserver/rest/endpoint.h"
#include "apiserver/rest/resource_storage.h"
#include "apiserver/rest/routed_resource.h"
#include "apiserver/rest/storage_set.h"

namespace skiff::apiserver {

// What all definitions are served with. Outlives them.
struct CustomServing {
  StorageSet& storages;
  StorageEnvironment& environment;
  RestContext& rest;
  // What conversion webhooks are called with; null: objects of such definitions can only be had as
  // they are at rest.
  const ConversionServices* conversion = nullptr;
};

class ServedDefinition : public std::enable_shared_from_this<ServedDefinition> {
 public:
  ServedDefinition(std::shared_ptr<const CustomDefinition> definition,
                   const CustomServing& serving);
  ServedDefinition(const ServedDefinition&) = delete;
  ServedDefinition& operator=(const ServedDefinition&) = delete;
  ~ServedDefinition();

  const CustomDefinition& definition() const { return *definition_; }
  const std::shared_ptr<const CustomDefinition>& shared_definition() const { return definition_; }

  // Null: there is no such version, or it is not served. Its endpoints have their storage from the
  // first call of WhenReady().
  const RoutedResource* Route(std::string_view version) const;
  // Of the stored version, served or not: the way to objects that clients may have none to.
  const RoutedResource& stored_route() const;

  // Sees to it that there is a storage and that its cache is filled, and goes on: at once, or on a
  // thread of the store. When it goes on without a storage, there can be none.
  void WhenReady(std::move_only_function<void()> go_on);
  // Null until somebody has asked for objects.
  ResourceStorage* storage() const { return ready_storage_.load(std::memory_order_acquire); }

  // Held by requests that may create an object, while they are under way. Null after
  // EndCreations().
  std::shared_ptr<const void> BeginCreation() const;
  // Lets nobody begin to create objects here. Those that have begun hold what this returns.
  std::weak_ptr<const void> EndCreations();
  // The definition is being deleted: nobody creates objects at all any more.
  void SetTerminating() { terminating_.store(true, std::memory_order_release); }
  bool terminating() const { return terminating_.load(std::memory_order_acquire); }

  // Ends the watches, and lets nobody wait. To be called by the owner, who calls Tick() too.
  void Retire();
  bool retired() const {
    const std::lock_guard lock(mutex_);
    return retired_;
  }
  void Tick();

 private:
  struct VersionRoute {
    const CustomVersion* version;
    std::unique_ptr<CustomBehaviour> behaviour;
    RoutedResource route;
  };

  void AddRoute(const CustomVersion& version);
  // Under mutex_.
  void MakeStorage();
  void AfterLoading();

  const std::shared_ptr<const CustomDefinition> definition_;
  const CustomServing serving_;
  const std::shared_ptr<WebhookConverter> converter_;  // null: none is needed
  std::vector<std::unique_ptr<VersionRoute>> routes_;

  std::atomic<ResourceStorage*> ready_storage_{nullptr};  // storage_, once its cache is filled
  mutable std::mutex mutex_;
  std::shared_ptr<const void> creations_ = std::make_shared<int>(0);
  std::atomic<bool> terminating_{false};
  std::unique_ptr<ResourceStorage> storage_;
  std::vector<std::move_only_function<void()>> waiting_;
  bool retired_ = false;
};

}  // namespace skiff::apiserver
