// The APIServices that the server makes at its start for what it serves itself: which of them have
// not been there and available yet.
//
// Owner: the aggregator. missing() may be called on any thread.
#pragma once

#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/aggregator/backend_set.h"

namespace skiff::apiserver {

class AwaitedServices final : public ApiServiceObserver {
 public:
  explicit AwaitedServices(const std::vector<std::string>& names)
      : missing_(names.begin(), names.end()) {}

  void OnObject(std::string_view name, const object::Document* api_service) override;
  // In the words of kube-apiserver; empty: all have been seen once.
  std::string missing() const;

 private:
  mutable std::mutex mutex_;  // guards this
  std::set<std::string, std::less<>> missing_;
};

}  // namespace skiff::apiserver
