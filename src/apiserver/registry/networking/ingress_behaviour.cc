#include "apiserver/registry/networking/ingress_behaviour.h"

#include "apiserver/registry/status_warnings.h"

namespace skiff::apiserver {

void IngressBehaviour::Check(WriteContext& write, const object::Document*,
                             const object::Document& object, bool follows_rules, FieldErrors&) {
  if (write.subresource != "status" || !follows_rules || write.warnings == nullptr) return;
  WarnAboutLoadBalancerStatus(object, *write.warnings);
}

}  // namespace skiff::apiserver
