#include "apiserver/registry/apiregistration/api_service_behaviour.h"

#include "views/apiregistration.k8s.io/v1.h"

namespace skiff::apiserver {

Result<void> ApiServiceBehaviour::PrepareForCreate(WriteContext& write, object::Document& object) {
  const views::apiregistration_k8s_io_v1::APIService service(object);
  if (service.spec().has_service()) return {};
  auto condition =
      views::apiregistration_k8s_io_v1::MutableAPIService(object).mutable_status().add_conditions();
  condition.set_type("Available");
  condition.set_status("True");
  condition.set_last_transition_time(write.now);
  condition.set_reason("Local");
  condition.set_message("Local APIServices are always available");
  return {};
}

}  // namespace skiff::apiserver
