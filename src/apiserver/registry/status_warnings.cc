#include "apiserver/registry/status_warnings.h"

#include <string_view>

#include "apiserver/validation/addresses.h"
#include "apiserver/validation/value_fields.h"

namespace skiff::apiserver {
namespace {

void WarnAboutList(const object::Value* holder, std::string_view list, std::string_view place,
                   std::string_view field, std::vector<std::string>& warnings) {
  const auto items = ItemsOf(holder, list);
  for (size_t i = 0; i < items.size(); ++i) {
    const std::string_view ip = TextOf(items[i], "ip");
    if (ip.empty()) continue;
    WarnAboutIp(std::string(place) + "[" + std::to_string(i) + "]" + std::string(field), ip,
                warnings);
  }
}

}  // namespace

void WarnAboutPodStatus(const object::Document& pod, std::vector<std::string>& warnings) {
  const object::Value* status = pod.root().Find("status");
  WarnAboutList(status, "podIPs", "status.podIPs", ".ip", warnings);
  WarnAboutList(status, "hostIPs", "status.hostIPs", ".ip", warnings);
}

void WarnAboutLoadBalancerStatus(const object::Document& object,
                                 std::vector<std::string>& warnings) {
  const object::Value* balancer = FieldOf(object.root().Find("status"), "loadBalancer");
  WarnAboutList(balancer, "ingress", "status.loadBalancer.ingress", "", warnings);
}

}  // namespace skiff::apiserver
