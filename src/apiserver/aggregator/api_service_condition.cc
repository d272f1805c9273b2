#include "apiserver/aggregator/api_service_condition.h"

#include <string_view>

#include "views/apiregistration.k8s.io/v1.h"

namespace skiff::apiserver {
namespace {

namespace registration = views::apiregistration_k8s_io_v1;

constexpr std::string_view kAvailable = "Available";

// What could not be looked at is not known.
std::string_view StatusOf(const BackendCondition& condition) {
  if (condition.available) return "True";
  return condition.reason.ends_with("AccessError") ? "Unknown" : "False";
}

}  // namespace

BackendCondition LocalCondition() {
  return {
      .available = true, .reason = "Local", .message = "Local APIServices are always available"};
}

bool IsAvailable(const object::Document& api_service) {
  for (const registration::APIServiceCondition each :
       registration::APIService(api_service).status().conditions()) {
    if (each.type() == kAvailable) return each.status() == "True";
  }
  return false;
}

bool LacksCondition(const object::Document& api_service, const BackendCondition& condition) {
  for (const registration::APIServiceCondition each :
       registration::APIService(api_service).status().conditions()) {
    if (each.type() != kAvailable) continue;
    return each.status() != StatusOf(condition) || each.reason() != condition.reason ||
           each.message() != condition.message;
  }
  return true;
}

void SetCondition(const BackendCondition& condition, object::Timestamp now,
                  object::Document& api_service) {
  auto status = registration::MutableAPIService(api_service).mutable_status();
  const auto conditions = registration::APIService(api_service).status().conditions();
  size_t at = 0;
  while (at < conditions.size() && conditions[at].type() != kAvailable) ++at;
  const bool is_new = at == conditions.size();
  auto changed = is_new ? status.add_conditions() : status.mutable_conditions(at);
  if (is_new) changed.set_type(kAvailable);
  if (changed.Read().status() != StatusOf(condition)) {
    changed.set_status(StatusOf(condition));
    changed.set_last_transition_time(now);
  }
  changed.set_reason(condition.reason);
  changed.set_message(condition.message);
}

}  // namespace skiff::apiserver
