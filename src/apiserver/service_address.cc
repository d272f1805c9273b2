#include "apiserver/service_address.h"

#include <algorithm>
#include <string>

#include "apiserver/authz/cache_follower.h"
#include "apiserver/registry/cache_reads.h"
#include "base/strings.h"
#include "views/core/v1.h"

namespace skiff::apiserver {

Result<CalledAddress> AddressOfService(ResourceStorage* services, std::string_view name_space,
                                       std::string_view name, int32_t port) {
  const store::EntryRef entry = FindInCache(services, name_space, name);
  if (!entry) return Fail(StatusReason::kNotFound, "service " + Quoted(name) + " not found");
  SKIFF_ASSIGN_OR_RETURN(const object::Document object, DecodeEntry(entry->value().view()));
  const views::core_v1::Service service(object);
  const auto at_port = static_cast<uint16_t>(port);
  if (service.spec().type() == "ExternalName") {
    return CalledAddress{std::string(service.spec().external_name()), at_port};
  }
  if (service.spec().cluster_ip() == "None") {
    return Fail(StatusReason::kServiceUnavailable,
                R"(cannot route to service with ClusterIP "None")");
  }
  for (const views::core_v1::ServicePort each : service.spec().ports()) {
    if (each.port() == port)
      return CalledAddress{std::string(service.spec().cluster_ip()), at_port};
  }
  return Fail(StatusReason::kServiceUnavailable,
              "no service port " + std::to_string(port) + " found for service " + Quoted(name));
}

}  // namespace skiff::apiserver
