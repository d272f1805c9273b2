// Brings definitions of custom resources to life: grants their names, serves them, tells so in
// their status, and when one is deleted, its objects first.
//
// It follows the watch cache of definitions, one event at a time on the thread that calls Run(). A
// definition is served before the write that tells of it as established is committed: whoever sees
// the condition finds the resource. Writes of a status do not wait for each other; the event of
// each comes back here, and what has changed meanwhile is decided anew.
//
// Owner: the API server. Run() and Tick() are the owner's, on one thread; what is waited for comes
// on threads of the store.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/authz/cache_follower.h"
#include "apiserver/extensions/api_service_registrar.h"
#include "apiserver/extensions/custom_resources.h"
#include "apiserver/registry/apiextensions/definition_status.h"
#include "apiserver/rest/endpoint.h"
#include "base/clock.h"
#include "base/log.h"

namespace skiff::apiserver {

class DefinitionController final : private FollowedState {
 public:
  struct Context {
    ResourceStorage* definitions;   // of CustomResourceDefinition
    ResourceStorage* api_services;  // null: there are none
    CustomResources& resources;
    RestContext& rest;
    Log& log;
  };
  // schedule() is called on any thread, under locks too: Run() has something to do.
  DefinitionController(Context context, std::function<void()> schedule);
  ~DefinitionController();

  void Start() { follower_.Start(); }
  void Run();
  // To be called every limits::kProgressInterval.
  void Tick();
  // What is there has been seen once, so that all that was served before is served again.
  bool synced() const { return looked_.load(std::memory_order_acquire); }
  // An APIService as it is now, on the same thread; null: it has gone.
  void OnApiService(std::string_view name, const object::Document* now) {
    api_services_.OnApiService(name, now);
  }

 private:
  struct Known;
  class Cleanup;
  // What threads of the store leave for Run().
  struct Mailbox;

  bool Put(size_t feed, const store::CacheEntry& entry) override;
  void Remove(size_t feed, std::string_view name_space, std::string_view name) override;

  void Look(Known& known, const object::Document& definition);
  // Whether there is nothing to decide about its names; else what it was granted is taken.
  bool HasItsNames(Known& known, const object::Document& definition);
  void Serve(Known& known, const object::Document& definition, const DefinitionStatus& status);
  void Withdraw(Known& known);
  // Others may have its names.
  void Release(const Known& known);
  void Terminate(Known& known);
  // Tells of the versions that are served now, before those of before are forgotten.
  void Register(const ServedDefinition* now, const ServedDefinition* before);
  void WriteStatus(const Known& known, const DefinitionStatus& status);
  // Others in the group may have wanted a name that is free now.
  void LookAtGroup(const std::string& group, std::string_view but);
  void LookAgain(std::string_view name);
  void TryAgainLater(std::string_view name);
  void CleanUp(Known& known, const object::Document& definition);
  // The way to objects that nobody is served: the definition has no names, or lost them.
  std::shared_ptr<ServedDefinition> Unpublished(const Known& known,
                                                const object::Document& definition);

  const Context context_;
  const std::function<void()> schedule_;
  const std::shared_ptr<Mailbox> mailbox_;
  std::map<std::string, std::unique_ptr<Known>, std::less<>> known_;  // by name
  std::map<std::string, TakenNames, std::less<>> taken_;              // by group
  ApiServiceRegistrar api_services_;
  // Before all have been seen, none gets a name that another may have been granted.
  std::vector<std::string> deferred_;
  std::atomic<bool> looked_{false};
  CacheFollower follower_;
};

}  // namespace skiff::apiserver
