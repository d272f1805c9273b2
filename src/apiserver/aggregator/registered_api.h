// What APIServices add to the documents of discovery: kept up to date as they and the answers of
// extension servers change, and put together when somebody asks.
//
// APIServices of this server count only if they say something that is not known without them. So
// those that are made for what is built in and for custom resources cost nothing here.
//
// Owner: the aggregator. Any thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "apiserver/aggregator/backend_set.h"
#include "apiserver/discovery/registrations.h"
#include "base/shared_bytes.h"

namespace skiff::apiserver {

class RegisteredApi final : public Registrations, public ApiServiceObserver {
 public:
  uint64_t revision() const override { return revision_.load(std::memory_order_acquire); }
  std::shared_ptr<const RegisteredVersions> versions() const override;

  void OnObject(std::string_view name, const object::Document* api_service) override;
  // What the server of an APIService serves of it, as far as is known.
  struct Answer {
    bool is_stale = true;
    SharedBytes resources = {};
  };
  void SetAnswer(std::string_view name, Answer answer);
  // Whether all that are of other servers have been asked.
  bool is_complete() const;

 private:
  void Changed() { revision_.fetch_add(1, std::memory_order_acq_rel); }

  std::atomic<uint64_t> revision_{1};
  mutable std::mutex mutex_;  // guards what follows
  std::map<std::string, RegisteredVersion, std::less<>> by_name_;
  mutable std::shared_ptr<const RegisteredVersions> versions_ =
      std::make_shared<const RegisteredVersions>();
  mutable uint64_t versions_revision_ = 1;
};

}  // namespace skiff::apiserver
