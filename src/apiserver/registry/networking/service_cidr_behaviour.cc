#include "apiserver/registry/networking/service_cidr_behaviour.h"

#include "views/networking.k8s.io/v1.h"

namespace skiff::apiserver {
namespace {

namespace networking = views::networking_k8s_io_v1;

void CreateServiceCIDR(const WriteContext& write, object::Document& object) {
  if (!write.settings.gates.IsOn("ServiceCIDRStatusFieldWiping")) return;
  networking::MutableServiceCIDR(object).clear_status();
}

void UpdateServiceCIDR(const WriteContext& write, const object::Document& old,
                       object::Document& object) {
  if (!write.subresource.empty() || !write.settings.gates.IsOn("ServiceCIDRStatusFieldWiping"))
    return;
  const networking::ServiceCIDR before(old);
  networking::MutableServiceCIDR range(object);
  if (before.has_status()) {
    range.set_status(before.status());
  } else {
    range.clear_status();
  }
}

}  // namespace

constinit const KindStrategy kServiceCIDRStrategy = {"networking.k8s.io", "servicecidrs",
                                                     CreateServiceCIDR, UpdateServiceCIDR};

}  // namespace skiff::apiserver
