#include "apiserver/registry/core/service_completion.h"

#include <string>
#include <string_view>

#include "apiserver/registry/core/service_fields.h"
#include "object/protobuf/wire_path.h"
#include "views/core/v1.h"

namespace skiff::apiserver {
namespace {

namespace core = views::core_v1;
using Answer = object::WirePath::Answer;

void CompleteService(object::Document& object, const ServiceFamilies& families) {
  const ServiceFields read = ServiceFields::Read(object);
  ServiceFields service = read;
  FillOldFields(service, families);
  service.Write(read, object);
  // Some servers gave it to all services, and these have no use for it.
  if (service.external_name()) {
    core::MutableService(object).mutable_spec().clear_internal_traffic_policy();
  }
}

bool IsCompleteService(std::string_view service) {
  static const object::WirePath type = object::WirePath::Of(core::Service::Type(), "spec.type");
  static const object::WirePath ip = object::WirePath::Of(core::Service::Type(), "spec.clusterIP");
  static const object::WirePath ips =
      object::WirePath::Of(core::Service::Type(), "spec.clusterIPs");
  static const object::WirePath families =
      object::WirePath::Of(core::Service::Type(), "spec.ipFamilies");
  bool odd = false;
  const auto found = type.Find(service, odd);
  if (odd || !found || found->bytes == "ExternalName") return false;
  return families.IsSet(service) == Answer::kYes &&
         (ips.IsSet(service) == Answer::kYes || ip.IsSet(service) == Answer::kNo);
}

}  // namespace

ReadCompletion CompletionOfServices(const std::vector<IpRange>& service_ranges) {
  const ServiceFamilies families = {
      std::string(service_ranges.front().is_v4() ? kIpv4Family : kIpv6Family)};
  return {[families](object::Document& object) { CompleteService(object, families); },
          IsCompleteService};
}

}  // namespace skiff::apiserver
