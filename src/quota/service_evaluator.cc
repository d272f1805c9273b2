#include <algorithm>

#include "quota/evaluators.h"

namespace skiff::quota {
namespace {

namespace core = views::core_v1;

constexpr std::string_view kServiceResources[] = {"count/services", "services",
                                                  "services.loadbalancers", "services.nodeports"};

int64_t NodePorts(const core::ServiceSpec& spec) {
  const bool balanced = spec.type() == "LoadBalancer";
  if (spec.type() != "NodePort" && !balanced) return 0;
  const auto ports = spec.ports();
  if (!balanced || spec.allocate_load_balancer_node_ports().value_or(true)) {
    return static_cast<int64_t>(ports.size());
  }
  return std::count_if(ports.begin(), ports.end(),
                       [](const core::ServicePort& port) { return port.node_port() != 0; });
}

class ServiceEvaluator final : public QuotaEvaluator {
 public:
  bool Handles(QuotaEvent, std::string_view subresource, const object::Document*,
               const object::Document&) const override {
    return subresource.empty();
  }
  ResourceNames Matching(const ResourceNames& names) const override {
    ResourceNames out;
    for (const std::string_view name : kServiceResources) {
      if (names.contains(name)) out.emplace(name);
    }
    return out;
  }
  ResourceList Usage(const object::Document& object, object::Timestamp) const override {
    ResourceList out;
    const auto service = object::ViewAs<core::Service>(object);
    if (!service) return out;
    out.emplace("count/services", object::Quantity(1));
    out.emplace("services", object::Quantity(1));
    out.emplace("services.loadbalancers",
                object::Quantity(service->spec().type() == "LoadBalancer"));
    out.emplace("services.nodeports", object::Quantity(NodePorts(service->spec())));
    return out;
  }
};

}  // namespace

std::unique_ptr<QuotaEvaluator> MakeServiceEvaluator() {
  return std::make_unique<ServiceEvaluator>();
}

}  // namespace skiff::quota
