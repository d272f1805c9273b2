// DenyServiceExternalIPs: services get no external addresses that they do not have already, since
// with one a service can catch traffic that is meant for somebody else.
#include "apiserver/admission/plugins.h"
#include "apiserver/admission/request.h"
#include "apiserver/validation/seen_names.h"
#include "views/core/v1.h"

namespace skiff::apiserver {
namespace {

namespace core = views::core_v1;

class DenyServiceExternalIPs final : public AdmissionPlugin {
 public:
  Result<void> Validate(AdmissionRequest& request) override {
    if (request.object == nullptr || !IsWholly(request, "", "services")) return {};
    SeenNames before;
    if (request.old != nullptr) {
      before = SeenNames::Of(core::Service(*request.old).spec().external_ips());
    }
    for (const std::string_view ip : core::Service(*request.object).spec().external_ips()) {
      if (before.Has(ip)) continue;
      return Deny(request, "Use of external IPs is denied by admission control");
    }
    return {};
  }
};

}  // namespace

MadePlugin MakeDenyServiceExternalIPs(const PluginContext&, std::string_view) {
  return std::make_unique<DenyServiceExternalIPs>();
}

}  // namespace skiff::apiserver
