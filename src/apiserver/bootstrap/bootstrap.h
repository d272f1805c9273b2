// Makes what a cluster needs before anybody asks for it, and keeps it: system namespaces and
// priority classes, the service of the API itself with its endpoints, the default service range,
// flow control objects, APIServices, the server's identity lease, configmaps about authentication;
// and mends the allocations of services.
//
// Owner: the API server, once its caches are filled. Start() returns at once; the objects are
// written together, so a first start takes about as long as a few writes. A start that finds them
// all as they should be writes only what says that this server lives.
#pragma once

#include <array>
#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/bootstrap/config_maps.h"
#include "apiserver/bootstrap/endpoint_reconciler.h"
#include "apiserver/bootstrap/identity_lease.h"
#include "apiserver/bootstrap/system_writer.h"
#include "apiserver/discovery/served_resources.h"
#include "base/clock.h"
#include "base/ip_address.h"
#include "base/log.h"
#include "base/thread.h"

namespace skiff::apiserver {

// All outlive the bootstrap.
struct BootstrapContext {
  StorageSet& storages;
  store::Store& store;
  const Registry& registry;
  RestContext& rest;
  const ServedResources& served;
  Log& log;
};

struct BootstrapOptions {
  std::string prefix = "/registry";     // --etcd-prefix
  std::vector<IpRange> service_ranges;  // the first is the primary one; never empty
  int32_t kubernetes_service_node_port = 0;
  bool reconcile_endpoints = true;
  IpAddress advertise_address;
  uint16_t port = 6443;
  std::string host_name;
  AuthenticationInfo authentication;
  // The same as it is now, for as long as the server runs; null: it stays as it is.
  std::function<AuthenticationInfo()> authentication_now = {};
};

class Bootstrap {
 public:
  Bootstrap(BootstrapContext context, BootstrapOptions options);
  Bootstrap(const Bootstrap&) = delete;
  Bootstrap& operator=(const Bootstrap&) = delete;
  ~Bootstrap() { Stop(); }

  void Start();
  // Ends the upkeep.
  void Stop();
  // The same, in order: this server is taken out of the endpoints of the kubernetes service.
  void Drain();

  // What it sees to, each as health checks ask for it: whether that has succeeded once.
  enum class Duty : uint8_t {
    kSystemObjects,   // are all there
    kServerIdentity,  // this server is in the endpoints of the kubernetes service
    kServiceRepair,   // addresses and ports of services have been compared
    kUpkeep,          // all that is done at times has had its first turn
  };
  bool has_done(Duty duty) const { return done_[int(duty)].load(std::memory_order_acquire); }
  // Whether everything has been there once.
  bool done() const { return has_done(Duty::kSystemObjects); }
  // The health checks of kube-apiserver and what they are about here, in its order.
  struct HealthCheck {
    std::string_view name;
    Duty duty;
  };
  static std::span<const HealthCheck> HealthChecks();

 private:
  struct Task {
    std::string_view name;
    Duration period;
    std::function<Result<void>()> run;
    bool at_start = false;  // the others have been seen to when the timers begin
    std::optional<Duty> duty = {};
    Duration due{0};
  };

  void Fulfil(Duty duty) { done_[int(duty)].store(true, std::memory_order_release); }
  Result<void> EnsureAll();
  bool IsDamage(const Status& error) const;
  std::vector<WantedObject> KeptObjects() const;
  void RemoveStaleApiServices();
  Result<void> RenewServerIdentity();
  Result<void> RepairServices();
  void AddTasks();
  void Run();
  void RunDue();
  // False: it is time to stop.
  bool WaitUntil(Duration deadline);

  const BootstrapContext context_;
  const BootstrapOptions options_;
  SystemWriter writer_;
  EndpointReconciler endpoints_;
  IdentityLease identity_;
  std::vector<Task> tasks_;  // of the thread alone once it runs
  std::array<std::atomic<bool>, int(Duty::kUpkeep) + 1> done_{};  // by duty
  std::mutex mutex_;
  std::condition_variable wake_;
  bool stopping_ = false;  // guarded by mutex_
  std::unique_ptr<Thread> thread_;
};

}  // namespace skiff::apiserver
