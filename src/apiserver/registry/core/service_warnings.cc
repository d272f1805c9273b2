#include "apiserver/registry/core/service_warnings.h"

#include "apiserver/registry/core/service_addresses.h"
#include "apiserver/validation/addresses.h"

namespace skiff::apiserver {
namespace {

namespace core = views::core_v1;

std::string Item(std::string_view list, size_t index) {
  return std::string(list) + "[" + std::to_string(index) + "]";
}

void WarnAboutIps(std::string_view path, const object::ListView<std::string_view>& ips,
                  std::vector<std::string>& warnings) {
  for (size_t i = 0; i < ips.size(); ++i) WarnAboutIp(Item(path, i), ips[i], warnings);
}

void WarnAboutHeadless(const core::ServiceSpec& spec, std::vector<std::string>& warnings) {
  if (!spec.load_balancer_ip().empty()) {
    warnings.emplace_back("spec.loadBalancerIP is ignored for headless services");
  }
  if (!spec.external_ips().empty()) {
    warnings.emplace_back("spec.externalIPs is ignored for headless services");
  }
  if (spec.session_affinity() != "None") {
    warnings.emplace_back("spec.SessionAffinity is ignored for headless services");
  }
}

}  // namespace

void WarnAboutService(const object::Document& object, const object::Document*, const KindSettings&,
                      std::vector<std::string>& warnings) {
  const core::Service service(object);
  const core::ServiceSpec spec = service.spec();
  const bool named = spec.type() == "ExternalName";
  const bool headless = IsHeadless(spec);
  if (service.metadata().annotations().Contains("service.kubernetes.io/topology-aware-hints")) {
    warnings.emplace_back(
        "annotation service.kubernetes.io/topology-aware-hints is deprecated, please use "
        "service.kubernetes.io/topology-mode instead");
  }
  if (!headless) WarnAboutIps("spec.clusterIPs", spec.cluster_ips(), warnings);
  if (headless) WarnAboutHeadless(spec, warnings);
  WarnAboutIps("spec.externalIPs", spec.external_ips(), warnings);
  if (!spec.external_ips().empty() && !headless && !named) {
    warnings.emplace_back(
        "spec.externalIPs is deprecated and may no longer be implemented in some clusters");
  }
  if (!spec.load_balancer_ip().empty()) {
    WarnAboutIp("spec.loadBalancerIP", spec.load_balancer_ip(), warnings);
  }
  for (size_t i = 0; i < spec.load_balancer_source_ranges().size(); ++i) {
    WarnAboutCidr(Item("spec.loadBalancerSourceRanges", i), spec.load_balancer_source_ranges()[i],
                  warnings);
  }
  if (named && !spec.external_ips().empty()) {
    warnings.emplace_back("spec.externalIPs is ignored when spec.type is \"ExternalName\"");
  }
  if (!named && !spec.external_name().empty()) {
    warnings.emplace_back("spec.externalName is ignored when spec.type is not \"ExternalName\"");
  }
  if (spec.traffic_distribution() == "PreferClose") {
    warnings.emplace_back(
        "spec.trafficDistribution: \"PreferClose\" is deprecated; use \"PreferSameZone\"");
  }
}

}  // namespace skiff::apiserver
