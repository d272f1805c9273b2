// The fields of a Service that hang together, as plain values: type, addresses, families and ports.
// The rules about them are here; what they need to be given is allocated elsewhere.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "object/value.h"

namespace skiff::apiserver {

inline constexpr std::string_view kIpv4Family = "IPv4";
inline constexpr std::string_view kIpv6Family = "IPv6";
inline constexpr std::string_view kHeadless = "None";

struct ServiceFields {
  struct Port {
    std::string name;
    std::string protocol;
    int32_t port = 0;
    int32_t node_port = 0;
  };

  std::string type;  // never empty
  std::string cluster_ip;
  std::vector<std::string> cluster_ips;
  std::vector<std::string> families;
  std::optional<std::string> policy;  // ipFamilyPolicy
  bool has_selector = false;
  bool has_external_ips = false;
  std::vector<Port> ports;
  int32_t health_check_port = 0;
  std::string external_traffic_policy;
  std::optional<bool> allocate_load_balancer_ports;
  std::optional<std::string> load_balancer_class;

  static ServiceFields Read(const object::Document& service);
  // Sets the fields that differ from those that were read.
  void Write(const ServiceFields& read, object::Document& service) const;

  bool external_name() const { return type == "ExternalName"; }
  bool headless() const { return !cluster_ips.empty() && cluster_ips[0] == kHeadless; }
  bool node_ports() const { return type == "NodePort" || type == "LoadBalancer"; }
  bool reachable_from_outside() const {
    return node_ports() || (type == "ClusterIP" && has_external_ips);
  }
  // Whether ports without a node port get one.
  bool wants_node_ports() const {
    return type == "NodePort" ||
           (type == "LoadBalancer" && allocate_load_balancer_ports.value_or(true));
  }
  bool wants_health_check_port() const {
    return type == "LoadBalancer" && external_traffic_policy == "Local";
  }
  std::vector<int32_t> NodePorts() const;  // those that are set
};

// Which families the cluster has addresses of; the first is the one that services get by default.
using ServiceFamilies = std::vector<std::string>;

// "[\"10.0.0.1\"]", for messages.
std::string TextsJson(const std::vector<std::string>& texts);
std::string_view FamilyOf(std::string_view address);

// What a service that was written before some of the fields existed stands for.
void FillOldFields(ServiceFields& service, const ServiceFamilies& families);
// A client that leaves out what the server had chosen keeps it.
void KeepAllocated(ServiceFields& service, const ServiceFields& old);
// clusterIP and clusterIPs say the same where only one of them is given or changed. `old` null: the
// service is new.
void JoinClusterIps(ServiceFields& service, const ServiceFields* old);
// Whether an update of a service that prefers two families leaves its addresses alone, so that it
// does not change because the cluster did.
bool KeepsDualStack(const ServiceFields& service, const ServiceFields& old);
// Fields that the new type has no use for go, unless the client changed them.
void DropFieldsOfOldType(ServiceFields& service, const ServiceFields& old);

}  // namespace skiff::apiserver
