// Services: what they get of the cluster's addresses and ports, and give back.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "apiserver/registry/core/service_fields.h"
#include "apiserver/registry/core/service_ips.h"
#include "apiserver/registry/core/service_ports.h"
#include "apiserver/rest/behaviour.h"
#include "apiserver/rest/storage_set.h"

namespace skiff::apiserver {

struct ServiceSettings {
  std::vector<IpRange> ranges;  // --service-cluster-ip-range; none: 10.0.0.0/24
  int32_t node_port_min = 30000;
  int32_t node_port_max = 32767;
};

class ServiceBehaviour final : public ResourceBehaviour {
 public:
  // The storages outlive it.
  ServiceBehaviour(StorageSet& storages, ServiceSettings settings);

  Result<void> PrepareForCreate(WriteContext& write, object::Document& object) override;
  Result<void> PrepareForUpdate(WriteContext& write, object::Document& old,
                                object::Document& object) override;
  void Check(WriteContext& write, const object::Document* old, const object::Document& object,
             bool follows_rules, FieldErrors& errors) override;
  Result<void> OnRemove(WriteContext& write, object::Document& object) override;

  // Waits for the store: the node ports are known from then on.
  Result<void> Follow() { return ports_->Follow(); }
  // Mends what the allocations and the services disagree about; an addition made meanwhile stays.
  // What is taken without a service must be seen so twice before it is released, since its service
  // may be on its way. Waits for the store; one thread at a time.
  Result<void> Repair(Clock& clock, Random& random);

 private:
  Result<void> TakeAddresses(WriteContext& write, ServiceFields& service,
                             const object::Document& object, size_t from);
  void ReleaseAddresses(WriteContext& write, const ServiceFields& service,
                        const object::Document& object, size_t from);
  Result<void> UpdateAddresses(WriteContext& write, ServiceFields& service,
                               const ServiceFields& old, const object::Document& object);
  Result<void> TakePorts(WriteContext& write, ServiceFields& service,
                         const object::Document& object, PortChanges& ports);
  Result<void> UpdatePorts(WriteContext& write, ServiceFields& service, const ServiceFields& old,
                           const object::Document& object, PortChanges& ports);
  static Result<void> TakeHealthCheckPort(WriteContext& write, ServiceFields& service,
                                          PortChanges& ports);
  Result<void> RepairAddresses(Clock& clock, Random& random);
  Result<void> RepairPorts();

  StorageSet& storages_;
  const ServiceIps ips_;
  const std::unique_ptr<NodePorts> ports_;
  // What the last repair saw taken without a service.
  std::vector<std::string> leaked_addresses_;
  std::vector<int32_t> leaked_ports_;
};

}  // namespace skiff::apiserver
