#include "apiserver/aggregator/awaited_services.h"

#include "apiserver/aggregator/api_service_condition.h"

namespace skiff::apiserver {

void AwaitedServices::OnObject(std::string_view name, const object::Document* api_service) {
  const std::lock_guard lock(mutex_);
  const auto found = missing_.find(name);
  if (found != missing_.end() && api_service != nullptr && IsAvailable(*api_service)) {
    missing_.erase(found);
  }
}

std::string AwaitedServices::missing() const {
  const std::lock_guard lock(mutex_);
  std::string out;
  for (const std::string& name : missing_) out += (out.empty() ? "" : " ") + name;
  return out.empty() ? out : "missing APIService: [" + out + "]";
}

}  // namespace skiff::apiserver
