#include "apiserver/registry/networking/service_cidr_behaviour.h"

#include "apiserver/validation/features.h"
#include "views/networking.k8s.io/v1.h"

namespace skiff {
namespace {

namespace networking = views::networking_k8s_io_v1;

void CreateServiceCIDR(Document& object, Timestamp) {
  if (!IsOn("ServiceCIDRStatusFieldWiping")) return;
  networking::MutableServiceCIDR(object).clear_status();
}

void UpdateServiceCIDR(std::string_view subresource, const Document& old, Document& object,
                       Timestamp) {
  if (!subresource.empty() || !IsOn("ServiceCIDRStatusFieldWiping")) return;
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

}  // namespace skiff
