// EventRateLimit: events are written no faster than buckets of tokens allow: one for the server, or
// one for each namespace, user, or source and object.
//
//   apiVersion: eventratelimit.admission.k8s.io/v1alpha1
//   kind: Configuration
//   limits:
//   - {type: Namespace, qps: 50, burst: 100, cacheSize: 2000}
#include <algorithm>
#include <list>
#include <mutex>
#include <unordered_map>

#include "apiserver/admission/config_file.h"
#include "apiserver/admission/plugins.h"
#include "apiserver/admission/request.h"
#include "base/limits.h"
#include "base/strings.h"
#include "views/core/v1.h"
#include "views/eventratelimit.admission.k8s.io/v1alpha1.h"

namespace skiff::apiserver {
namespace {

namespace core = views::core_v1;
namespace config = views::eventratelimit_admission_k8s_io_v1alpha1;

constexpr std::string_view kConfigVersion = "eventratelimit.admission.k8s.io/v1alpha1";
constexpr std::string_view kTypes[] = {"Namespace", "Server", "SourceAndObject", "User"};

// One limit of the configuration. Any thread.
class Limit {
 public:
  Limit(std::string type, double per_second, double burst, size_t max_buckets)
      : type_(std::move(type)), per_second_(per_second), burst_(burst), max_buckets_(max_buckets) {}

  // Takes a token; otherwise says whose bucket is empty.
  std::string Take(const AdmissionRequest& request, Duration now) {
    const std::string key = KeyOf(request);
    const std::lock_guard lock(mutex_);
    Bucket& bucket = BucketOf(key, now);
    const double passed = std::chrono::duration<double>(now - bucket.filled).count();
    bucket.tokens = std::min(burst_, bucket.tokens + passed * per_second_);
    bucket.filled = now;
    if (bucket.tokens < 1) return "limit reached on type " + type_ + " for key " + key;
    bucket.tokens -= 1;
    return {};
  }

 private:
  struct Bucket {
    std::string key;
    double tokens;
    Duration filled;
  };

  std::string KeyOf(const AdmissionRequest& request) const {
    if (type_ == "Namespace") return std::string(request.name_space);
    if (type_ == "User") return request.user.name;
    if (type_ == "Server") return {};
    const core::Event event(*request.object);
    const core::ObjectReference object = event.involved_object();
    return std::string(event.source().component()) + std::string(event.source().host()) +
           std::string(object.kind()) + std::string(object.namespace_()) +
           std::string(object.name()) + std::string(object.uid()) +
           std::string(object.api_version());
  }

  // With mutex_. The bucket that was asked for longest ago makes room.
  Bucket& BucketOf(const std::string& key, Duration now) {
    const auto found = by_key_.find(key);
    if (found != by_key_.end()) {
      buckets_.splice(buckets_.begin(), buckets_, found->second);
      return buckets_.front();
    }
    if (buckets_.size() >= max_buckets_) {
      by_key_.erase(buckets_.back().key);
      buckets_.pop_back();
    }
    buckets_.push_front({key, burst_, now});
    by_key_.emplace(key, buckets_.begin());
    return buckets_.front();
  }

  const std::string type_;
  const double per_second_;
  const double burst_;
  const size_t max_buckets_;
  std::mutex mutex_;
  std::list<Bucket> buckets_;  // the last used first; guarded by mutex_, as is what follows
  std::unordered_map<std::string, std::list<Bucket>::iterator> by_key_;
};

class EventRateLimit final : public AdmissionPlugin {
 public:
  EventRateLimit(std::vector<std::unique_ptr<Limit>> limits, Clock& clock)
      : limits_(std::move(limits)), clock_(clock) {}

  Result<void> Validate(AdmissionRequest& request) override {
    if (!IsOf(request, "", "events") || request.object == nullptr || request.dry_run) return {};
    std::vector<std::string> reached;
    for (const std::unique_ptr<Limit>& limit : limits_) {
      std::string which = limit->Take(request, clock_.Monotonic());
      if (!which.empty()) reached.push_back(std::move(which));
    }
    if (reached.empty()) return {};
    std::string message = JoinTexts(reached);
    if (reached.size() > 1) message = "[" + message + "]";
    return Fail(StatusReason::kTooManyRequests, "Too many requests: " + message);
  }

 private:
  std::vector<std::unique_ptr<Limit>> limits_;
  Clock& clock_;
};

Result<std::unique_ptr<Limit>> MakeLimit(const config::Limit& given, const std::string& path) {
  if (std::ranges::find(kTypes, given.type()) == std::end(kTypes)) {
    return BadField(path + ".type", "Unsupported value: " + InQuotes(given.type()) +
                                        ": supported values: " + JoinTexts(kTypes));
  }
  if (given.burst() <= 0) return BadField(path + ".burst", "must be positive");
  if (given.qps() <= 0) return BadField(path + ".qps", "must be positive");
  if (given.cache_size() < 0) return BadField(path + ".cacheSize", "must not be negative");
  size_t buckets = limits::kDefaultEventRateBuckets;
  if (given.cache_size() > 0) {
    buckets = std::min(static_cast<size_t>(given.cache_size()), limits::kMaxEventRateBuckets);
  }
  return std::make_unique<Limit>(std::string(given.type()), given.qps(), given.burst(), buckets);
}

}  // namespace

MadePlugin MakeEventRateLimit(const PluginContext& context, std::string_view config_json) {
  if (config_json.empty()) {
    return BadRequest("it needs limits; give them with --admission-control-config-file");
  }
  SKIFF_ASSIGN_OR_RETURN(const object::Document document,
                         DecodePluginConfig(config_json, kConfigVersion, "Configuration"));
  const config::Configuration read(document);
  if (read.limits().empty()) return BadField("limits", "must not be empty");
  std::vector<std::unique_ptr<Limit>> made;
  for (const config::Limit each : read.limits()) {
    const std::string path = "limits[" + std::to_string(made.size()) + "]";
    SKIFF_ASSIGN_OR_RETURN(std::unique_ptr<Limit> limit, MakeLimit(each, path));
    made.push_back(std::move(limit));
  }
  return std::make_unique<EventRateLimit>(std::move(made), context.clock);
}

}  // namespace skiff::apiserver
