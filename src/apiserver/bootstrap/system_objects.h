// What every cluster has from its first start on: system namespaces, system priority classes, the
// default ServiceCIDR, the service of the API itself, and an APIService for each version that is
// served.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "apiserver/bootstrap/system_writer.h"
#include "apiserver/discovery/served_resources.h"
#include "base/clock.h"
#include "base/ip_address.h"

namespace skiff::apiserver {

std::vector<WantedObject> SystemNamespaces();
std::vector<WantedObject> SystemPriorityClasses();

// The ServiceCIDR `kubernetes`, with the ranges of the flags. One range becomes two when the
// cluster becomes a dual-stack one; other differences stay, for an administrator to resolve.
WantedObject DefaultServiceCidr(std::span<const IpRange> ranges, object::Timestamp now);

// The service default/kubernetes, at the first address of the primary range.
WantedObject KubernetesService(const IpRange& range, uint16_t secure_port, int32_t node_port);

std::vector<WantedObject> ApiServices(const ServedResources& served, object::Timestamp now);
// The names of those that can be stored.
std::vector<std::string> ApiServiceNames(const ServedResources& served);
// Whether a server made it at its start, as this one does, for what is not served any more.
bool IsStaleApiService(const object::Document& api_service, const ServedResources& served);

}  // namespace skiff::apiserver
