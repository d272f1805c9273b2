#include "apiserver/aggregator/backend.h"

#include <utility>

#include "views/apiregistration.k8s.io/v1.h"

namespace skiff::apiserver {

namespace registration = views::apiregistration_k8s_io_v1;

std::string PlaceOf(const BackendSpec& spec) {
  return spec.service.name_space + "/" + spec.service.name + ":" +
         std::to_string(spec.service.port) + (spec.insecure ? " any " : " ") + spec.ca_pem;
}

std::unique_ptr<BackendState> ReadBackendState(const object::Document& api_service) {
  const registration::APIService service(api_service);
  const registration::APIServiceSpec spec = service.spec();
  if (!spec.has_service()) return nullptr;
  auto out = std::make_unique<BackendState>();
  out->spec = {.name = std::string(service.metadata().name()),
               .uid = std::string(service.metadata().uid()),
               .group = std::string(spec.group()),
               .version = std::string(spec.version()),
               .service = {std::string(spec.service().namespace_()),
                           std::string(spec.service().name()), spec.service().port().value_or(443)},
               .ca_pem = std::string(spec.ca_bundle()),
               .insecure = spec.insecure_skip_tls_verify(),
               .group_priority = spec.group_priority_minimum(),
               .version_priority = spec.version_priority()};
  for (const registration::APIServiceCondition condition : service.status().conditions()) {
    if (condition.type() != "Available") continue;
    out->condition = {.available = condition.status() == "True",
                      .reason = std::string(condition.reason()),
                      .message = std::string(condition.message())};
  }
  return out;
}

Task<Result<BackendReply>> AskBackend(std::shared_ptr<const Backend> backend,
                                      BackendRequest request) {
  co_return co_await FromCallback<Result<BackendReply>>(
      [&](auto done) { backend->Get(std::move(request), std::move(done)); });
}

}  // namespace skiff::apiserver
