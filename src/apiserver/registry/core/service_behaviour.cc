#include "apiserver/registry/core/service_behaviour.h"

#include <algorithm>
#include <map>
#include <utility>

#include "apiserver/registry/cache_reads.h"
#include "apiserver/registry/core/service_families.h"
#include "apiserver/registry/status_warnings.h"
#include "apiserver/rest/errors.h"
#include "apiserver/rest/object_meta.h"
#include "views/core/v1.h"

namespace skiff::apiserver {
namespace {

namespace core = views::core_v1;

std::vector<IpRange> RangesOf(const ServiceSettings& settings) {
  if (!settings.ranges.empty()) return settings.ranges;
  return {IpRange::Parse("10.0.0.0/24").value_or(IpRange())};
}

ResourceStorage& ServicesOf(StorageSet& storages) {
  return *storages.Find(object::FindResource("", "v1", "services")->hub);
}

std::string NameOf(const object::Document& object) {
  const object::Value* name = object.root().FindPath({"metadata", "name"});
  return name != nullptr ? std::string(name->AsText()) : std::string();
}

std::string NamespaceOf(const object::Document& object) {
  const object::Value* name = object.root().FindPath({"metadata", "namespace"});
  return name != nullptr ? std::string(name->AsText()) : std::string();
}

std::unexpected<Status> InvalidService(const object::Document& object,
                                       std::vector<StatusCause> causes) {
  return std::unexpected(Invalid("Service", "", NameOf(object), std::move(causes)));
}

std::unexpected<Status> InvalidNodePort(const object::Document& object, size_t index, int32_t port,
                                        const Status& why) {
  return InvalidService(object, {InvalidField("spec.ports[" + std::to_string(index) + "].nodePort",
                                              std::to_string(port), why.message())});
}

std::unexpected<Status> InternalError(const std::string& message) {
  return std::unexpected(
      Status(StatusReason::kInternalError, "Internal error occurred: " + message));
}

// A port that other ports of the service with the same number have been given, for another
// protocol.
int32_t RequestedFor(const ServiceFields& service, int32_t port) {
  for (const ServiceFields::Port& each : service.ports) {
    if (each.port == port && each.node_port != 0) return each.node_port;
  }
  return 0;
}

bool Contains(const std::vector<int32_t>& ports, int32_t port) {
  return std::ranges::find(ports, port) != ports.end();
}

}  // namespace

ServiceBehaviour::ServiceBehaviour(StorageSet& storages, ServiceSettings settings)
    : storages_(storages),
      ips_(storages, RangesOf(settings)),
      ports_(std::make_unique<NodePorts>(ServicesOf(storages).store(),
                                         ServicesOf(storages).environment().prefix,
                                         settings.node_port_min, settings.node_port_max)) {}

Result<void> ServiceBehaviour::PrepareForCreate(WriteContext& write, object::Document& object) {
  const ServiceFields given = ServiceFields::Read(object);
  ServiceFields service = given;
  JoinClusterIps(service, nullptr);
  std::vector<StatusCause> causes = FillFamilies(service, nullptr, ips_.families());
  if (!causes.empty()) return InvalidService(object, std::move(causes));
  SKIFF_RETURN_IF_ERROR(TakeAddresses(write, service, object, 0));
  PortChanges ports(*ports_);
  if (service.node_ports()) SKIFF_RETURN_IF_ERROR(TakePorts(write, service, object, ports));
  if (service.wants_health_check_port()) {
    SKIFF_RETURN_IF_ERROR(TakeHealthCheckPort(write, service, ports));
  }
  SKIFF_RETURN_IF_ERROR(ports.AddTo(write.transaction));
  service.Write(given, object);
  return {};
}

Result<void> ServiceBehaviour::PrepareForUpdate(WriteContext& write, object::Document& old_object,
                                                object::Document& object) {
  if (!write.subresource.empty()) return {};
  ServiceFields old = ServiceFields::Read(old_object);
  FillOldFields(old, ips_.families());
  const ServiceFields given = ServiceFields::Read(object);
  ServiceFields service = given;
  KeepAllocated(service, old);
  JoinClusterIps(service, &old);
  std::vector<StatusCause> causes = FillFamilies(service, &old, ips_.families());
  if (!causes.empty()) return InvalidService(object, std::move(causes));
  SKIFF_RETURN_IF_ERROR(UpdateAddresses(write, service, old, object));
  PortChanges ports(*ports_);
  SKIFF_RETURN_IF_ERROR(UpdatePorts(write, service, old, object, ports));
  SKIFF_RETURN_IF_ERROR(ports.AddTo(write.transaction));
  DropFieldsOfOldType(service, old);
  service.Write(given, object);
  if (service.type != "LoadBalancer") {
    core::MutableService(object).mutable_status().clear_load_balancer();
  }
  return {};
}

void ServiceBehaviour::Check(WriteContext& write, const object::Document*,
                             const object::Document& object, bool follows_rules, FieldErrors&) {
  if (write.subresource != "status" || !follows_rules || write.warnings == nullptr) return;
  WarnAboutLoadBalancerStatus(object, *write.warnings);
}

Result<void> ServiceBehaviour::OnRemove(WriteContext& write, object::Document& object) {
  ServiceFields service = ServiceFields::Read(object);
  FillOldFields(service, ips_.families());
  ReleaseAddresses(write, service, object, 0);
  PortChanges ports(*ports_);
  for (const int32_t port : service.NodePorts()) ports.Release(port);
  if (service.wants_health_check_port() && service.health_check_port != 0) {
    ports.Release(service.health_check_port);
  }
  SKIFF_RETURN_IF_ERROR(ports.AddTo(write.transaction));
  // A service of the same name that comes soon must not find the endpoints of this one.
  ResourceStorage* endpoints = storages_.Find(object::FindResource("", "v1", "endpoints")->hub);
  const std::string name_space = NamespaceOf(object);
  const std::string name = NameOf(object);
  if (FindInCache(endpoints, name_space, name)) {
    write.transaction.writes.push_back({store::Write::Kind::kDelete,
                                        endpoints->Key(name_space, name), SharedBytes(),
                                        store::LeaseId{}});
  }
  return {};
}

// The addresses from index `from` on: those that are given, and one of each family that has none.
Result<void> ServiceBehaviour::TakeAddresses(WriteContext& write, ServiceFields& service,
                                             const object::Document& object, size_t from) {
  if (service.external_name() || service.headless()) return {};
  const std::string name_space = NamespaceOf(object);
  const std::string name = NameOf(object);
  for (size_t i = from; i < service.families.size(); ++i) {
    if (i < service.cluster_ips.size()) {
      const std::string& text = service.cluster_ips[i];
      const Result<IpAddress> address = IpAddress::Parse(text);
      if (!address) return InternalError("failed to parse service IP " + object::JsonText(text));
      const Result<void> taken = ips_.Take(write, name_space, name, *address);
      if (!taken) {
        return InvalidService(
            object,
            {InvalidField("spec.clusterIPs", TextsJson(service.cluster_ips),
                          "failed to allocate IP " + text + ": " + taken.error().message())});
      }
      continue;
    }
    const Result<IpAddress> address = ips_.TakeAny(write, name_space, name, service.families[i]);
    if (!address) {
      return InternalError("failed to allocate a serviceIP for Service " + object::JsonText(name) +
                           ": " + address.error().message());
    }
    service.cluster_ips.push_back(address->ToString());
  }
  if (!service.cluster_ips.empty()) service.cluster_ip = service.cluster_ips[0];
  return {};
}

void ServiceBehaviour::ReleaseAddresses(WriteContext& write, const ServiceFields& service,
                                        const object::Document& object, size_t from) {
  if (service.external_name() || service.headless()) return;
  for (size_t i = from; i < service.cluster_ips.size(); ++i) {
    ips_.Release(write, NamespaceOf(object), NameOf(object), service.cluster_ips[i]);
  }
}

Result<void> ServiceBehaviour::UpdateAddresses(WriteContext& write, ServiceFields& service,
                                               const ServiceFields& old,
                                               const object::Document& object) {
  if (KeepsDualStack(service, old)) return {};
  if (old.external_name()) return TakeAddresses(write, service, object, 0);
  if (old.headless()) return {};
  if (service.external_name()) {
    ReleaseAddresses(write, old, object, 0);
    return {};
  }
  if (old.families.size() == 1 && service.families.size() == 2) {
    return TakeAddresses(write, service, object, 1);
  }
  if (old.families.size() == 2 && service.families.size() == 1) {
    ReleaseAddresses(write, old, object, 1);
  }
  return {};
}

Result<void> ServiceBehaviour::TakePorts(WriteContext& write, ServiceFields& service,
                                         const object::Document& object, PortChanges& ports) {
  std::map<int32_t, int32_t> by_port;  // ports of one number share a node port
  for (size_t i = 0; i < service.ports.size(); ++i) {
    ServiceFields::Port& port = service.ports[i];
    if (port.node_port == 0 && !service.wants_node_ports()) continue;
    const auto shared = by_port.find(port.port);
    if (shared == by_port.end()) {
      const int32_t requested = RequestedFor(service, port.port);
      if (requested != 0) {
        const Result<void> taken = ports.Take(requested);
        if (!taken) return InvalidNodePort(object, i, requested, taken.error());
        port.node_port = requested;
      } else {
        const Result<int32_t> chosen = ports.TakeAny(write.random);
        if (!chosen) {
          return InternalError("failed to allocate a nodePort: " + chosen.error().message());
        }
        port.node_port = *chosen;
      }
      by_port[port.port] = port.node_port;
    } else if (port.node_port == 0) {
      port.node_port = shared->second;
    } else if (port.node_port != shared->second) {
      const Result<void> taken = ports.Take(port.node_port);
      if (!taken) return InvalidNodePort(object, i, port.node_port, taken.error());
    }
  }
  return {};
}

Result<void> ServiceBehaviour::UpdatePorts(WriteContext& write, ServiceFields& service,
                                           const ServiceFields& old, const object::Document& object,
                                           PortChanges& ports) {
  const std::vector<int32_t> before = old.NodePorts();
  if (old.node_ports() && !service.node_ports()) {
    for (const int32_t port : before) ports.Release(port);
  }
  if (service.node_ports()) {
    std::vector<int32_t> taken_here;
    for (size_t i = 0; i < service.ports.size(); ++i) {
      ServiceFields::Port& port = service.ports[i];
      if (port.node_port == 0) {
        if (!service.wants_node_ports()) continue;
        const Result<int32_t> chosen = ports.TakeAny(write.random);
        if (!chosen) {
          return InternalError("failed to allocate a nodePort: " + chosen.error().message());
        }
        port.node_port = *chosen;
      } else if (!Contains(before, port.node_port) && !Contains(taken_here, port.node_port)) {
        const Result<void> taken = ports.Take(port.node_port);
        if (!taken) return InvalidNodePort(object, i, port.node_port, taken.error());
        taken_here.push_back(port.node_port);
      }
    }
    const std::vector<int32_t> after = service.NodePorts();
    for (const int32_t port : before) {
      if (!Contains(after, port)) ports.Release(port);
    }
  }
  if (!old.wants_health_check_port() && service.wants_health_check_port()) {
    return TakeHealthCheckPort(write, service, ports);
  }
  if (old.wants_health_check_port() && !service.wants_health_check_port()) {
    ports.Release(old.health_check_port);
  }
  return {};
}

Result<void> ServiceBehaviour::TakeHealthCheckPort(WriteContext& write, ServiceFields& service,
                                                   PortChanges& ports) {
  if (service.health_check_port != 0) {
    const Result<void> taken = ports.Take(service.health_check_port);
    if (taken) return {};
    return InternalError("failed to allocate requested HealthCheck NodePort " +
                         std::to_string(service.health_check_port) + ": " +
                         taken.error().message());
  }
  const Result<int32_t> chosen = ports.TakeAny(write.random);
  if (!chosen) {
    return InternalError("failed to allocate a HealthCheck NodePort 0: " +
                         chosen.error().message());
  }
  service.health_check_port = *chosen;
  return {};
}

}  // namespace skiff::apiserver
