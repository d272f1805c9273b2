#include "apiserver/registry/read_completion.h"

#include "apiserver/registry/core/persistent_volume_claim_behaviour.h"
#include "apiserver/registry/core/service_completion.h"
#include "views/core/v1.h"

namespace skiff::apiserver {

namespace core = views::core_v1;

ReadCompletion CompletionOf(const object::ResourceHub& hub,
                            const std::vector<IpRange>& service_ranges) {
  if (hub.storage->stored == core::Service::Type()) return CompletionOfServices(service_ranges);
  if (hub.storage->stored == core::PersistentVolumeClaim::Type()) return CompletionOfClaims();
  return {};
}

}  // namespace skiff::apiserver
