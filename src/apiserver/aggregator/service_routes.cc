#include "apiserver/aggregator/service_routes.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "apiserver/authz/cache_follower.h"
#include "apiserver/registry/cache_reads.h"
#include "base/strings.h"
#include "object/selector/label_selector.h"
#include "views/core/v1.h"
#include "views/discovery.k8s.io/v1.h"

namespace skiff::apiserver {
namespace {

namespace core = views::core_v1;
namespace discovery = views::discovery_k8s_io_v1;

// The name of the port with this number; nothing: there is none.
std::optional<std::string> PortName(const core::Service& service, int32_t port) {
  for (const core::ServicePort each : service.spec().ports()) {
    if (each.port() == port) return std::string(each.name());
  }
  return std::nullopt;
}

Status NoPort(std::string_view name, int32_t port) {
  return Status(StatusReason::kServiceUnavailable,
                "no service port " + std::to_string(port) + " found for service " + Quoted(name));
}

Status NoEndpoints(std::string_view name) {
  return Status(StatusReason::kServiceUnavailable,
                "no endpoints available for service " + Quoted(name));
}

bool IsReady(const discovery::Endpoint& endpoint) {
  return endpoint.conditions().ready().value_or(true);
}

// The number of the port of that name in a slice.
std::optional<int32_t> PortOf(const discovery::EndpointSlice& slice, std::string_view name) {
  for (const discovery::EndpointPort port : slice.ports()) {
    if (port.name() && *port.name() == name && port.port()) return port.port();
  }
  return std::nullopt;
}

// "service/NAME in \"NAMESPACE\"", as messages of conditions have it.
std::string Named(const BackendService& service) {
  return "service/" + service.name + " in " + Quoted(service.name_space);
}

BackendCondition Unavailable(std::string reason, std::string message) {
  return {.available = false, .reason = std::move(reason), .message = std::move(message)};
}

}  // namespace

// Those that cannot be read are left out. False: it is not known which there are.
template <typename Call>
bool ServiceRoutes::ForEachSlice(std::string_view name_space, std::string_view name,
                                 Call call) const {
  ResourceStorage* const storage = sources_.slices;
  if (storage == nullptr || !storage->cache().ready()) return false;
  Result<object::LabelSelector> labels =
      object::LabelSelector::Parse("kubernetes.io/service-name=" + std::string(name));
  if (!labels) return true;
  store::CacheListRequest request;
  request.resource_version = "0";
  request.selection.name_space = name_space;
  request.selection.labels = std::move(*labels);
  auto list = std::make_shared<std::optional<store::ListReply>>();
  storage->cache().List(std::move(request), [list](Result<store::ListReply> reply) {
    if (reply) list->emplace(std::move(*reply));
  });
  if (!*list) return false;
  store::ListCursor at = (*list)->Entries();
  while (const store::CacheEntry* entry = at.Next()) call(*entry);
  return true;
}

Result<CalledAddress> ServiceRoutes::Find(std::string_view name_space, std::string_view name,
                                          int32_t port) const {
  const store::EntryRef entry = FindInCache(sources_.services, name_space, name);
  if (!entry) return Fail(StatusReason::kNotFound, "service " + Quoted(name) + " not found");
  SKIFF_ASSIGN_OR_RETURN(const object::Document object, DecodeEntry(entry->value().view()));
  const core::Service service(object);
  const std::string_view type = service.spec().type();
  const auto at_port = static_cast<uint16_t>(port);
  if (type == "ExternalName") {
    if (sources_.to_endpoints) {
      return Fail(StatusReason::kServiceUnavailable,
                  "unsupported service type " + Quoted(std::string(type)));
    }
    return CalledAddress{std::string(service.spec().external_name()), at_port};
  }
  const bool is_headless = service.spec().cluster_ip() == "None";
  if (!sources_.to_endpoints && is_headless) {
    return Fail(StatusReason::kServiceUnavailable,
                R"(cannot route to service with ClusterIP "None")");
  }
  const std::optional<std::string> port_name = PortName(service, port);
  if (!port_name) return std::unexpected(NoPort(name, port));
  if (sources_.to_endpoints) return FindEndpoint(object, *port_name, name);
  return CalledAddress{std::string(service.spec().cluster_ip()), at_port};
}

// Those of the first family of addresses first, and of these some one.
Result<CalledAddress> ServiceRoutes::FindEndpoint(const object::Document& object,
                                                  std::string_view port_name,
                                                  std::string_view name) const {
  const core::Service service(object);
  const auto families = service.spec().ip_families();
  const std::string preferred(families.empty() ? std::string_view() : families[0]);
  std::vector<CalledAddress> first;
  std::vector<CalledAddress> others;
  ForEachSlice(service.metadata().namespace_(), name, [&](const store::CacheEntry& entry) {
    const Result<object::Document> read = DecodeEntry(entry.value().view());
    if (!read) return;
    const discovery::EndpointSlice slice(*read);
    const std::optional<int32_t> port = PortOf(slice, port_name);
    if (!port) return;
    const bool is_first = preferred.empty() || slice.address_type() == preferred;
    for (const discovery::Endpoint endpoint : slice.endpoints()) {
      if (!IsReady(endpoint) || endpoint.addresses().empty()) continue;
      (is_first ? first : others)
          .push_back({std::string(endpoint.addresses()[0]), static_cast<uint16_t>(*port)});
    }
  });
  std::vector<CalledAddress>& found = first.empty() ? others : first;
  if (found.empty()) return std::unexpected(NoEndpoints(name));
  return std::move(found[random_.Uniform(found.size())]);
}

std::optional<BackendCondition> ServiceRoutes::FaultOf(const BackendService& service) const {
  if (sources_.services == nullptr || !sources_.services->cache().ready()) {
    return Unavailable("ServiceAccessError",
                       Named(service) + " cannot be checked due to: the cache is not filled");
  }
  const store::EntryRef entry = FindInCache(sources_.services, service.name_space, service.name);
  if (!entry) return Unavailable("ServiceNotFound", Named(service) + " is not present");
  const Result<object::Document> object = DecodeEntry(entry->value().view());
  if (!object) {
    return Unavailable("ServiceAccessError",
                       Named(service) + " cannot be checked due to: " + object.error().message());
  }
  const core::Service read(*object);
  if (read.spec().type() != "ClusterIP") return std::nullopt;
  const std::optional<std::string> port_name = PortName(read, service.port);
  if (!port_name) {
    return Unavailable("ServicePortError", Named(service) + " is not listening on port " +
                                               std::to_string(service.port));
  }
  bool has_slices = false;
  bool has_endpoint = false;
  const bool known =
      ForEachSlice(service.name_space, service.name, [&](const store::CacheEntry& slice_entry) {
        has_slices = true;
        const Result<object::Document> slice_read = DecodeEntry(slice_entry.value().view());
        if (has_endpoint || !slice_read) return;
        const discovery::EndpointSlice slice(*slice_read);
        if (!PortOf(slice, *port_name)) return;
        for (const discovery::Endpoint endpoint : slice.endpoints()) {
          if (IsReady(endpoint)) has_endpoint = true;
        }
      });
  if (!known) {
    return Unavailable("EndpointsAccessError",
                       Named(service) + " cannot be checked due to: the cache is not filled");
  }
  if (!has_slices) {
    return Unavailable("EndpointsNotFound", "cannot find endpointslices for " + Named(service));
  }
  if (!has_endpoint) {
    return Unavailable("MissingEndpoints", "endpointslices for " + Named(service) +
                                               " have no addresses with port name " +
                                               Quoted(*port_name));
  }
  return std::nullopt;
}

std::string ServiceRoutes::VersionOf(const BackendService& service) const {
  const store::EntryRef entry = FindInCache(sources_.services, service.name_space, service.name);
  std::string out = entry ? std::to_string(entry->revision().value) : "none";
  ForEachSlice(service.name_space, service.name, [&](const store::CacheEntry& slice) {
    (out += ' ') += std::to_string(slice.revision().value);
  });
  return out;
}

}  // namespace skiff::apiserver
