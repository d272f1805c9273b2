#include "controllers/legacy_token_cleaner.h"

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "controllers/objects.h"
#include "controllers/pod_secrets.h"
#include "controllers/queue_controller.h"
#include "controllers/token_secrets.h"
#include "views/core/v1.h"

namespace skiff::controllers {
namespace {

namespace core = views::core_v1;

constexpr Duration kPeriod = std::chrono::hours(24);
constexpr std::chrono::seconds kDay = std::chrono::hours(24);
constexpr std::string_view kLastUsed = "kubernetes.io/legacy-token-last-used";
constexpr std::string_view kInvalidSince = "kubernetes.io/legacy-token-invalid-since";
constexpr std::string_view kTracking = "kube-apiserver-legacy-service-account-token-tracking";
constexpr size_t kDateBytes = sizeof("2006-01-02") - 1;

// A day as labels have it, "2026-03-14"; their order is that of days.
std::string DateOf(object::Timestamp time) {
  std::string text;
  object::AppendTime(time, text);
  return text.substr(0, kDateBytes);
}

std::optional<object::Timestamp> ParseDate(std::string_view date) {
  if (date.size() != kDateBytes) return std::nullopt;
  const Result<object::Timestamp> time = object::ParseTime(std::string(date) + "T00:00:00Z");
  return time ? std::optional(*time) : std::nullopt;
}

object::Timestamp Before(object::Timestamp time, std::chrono::seconds by) {
  return {.seconds = time.seconds - by.count(), .nanos = time.nanos};
}

class LegacyTokenCleaner final : public PeriodicController {
 public:
  explicit LegacyTokenCleaner(ControllerContext context)
      : PeriodicController(std::move(context), "legacy_service_account_token_cleaner", kPeriod),
        accounts_(context_.informers.For(client::BuiltIn("", "v1", "serviceaccounts"))),
        secrets_(TokenSecrets(context_.informers)),
        pods_(context_.informers.For(client::BuiltIn("", "v1", "pods"))) {
    queue_.Follow(accounts_, {});
    queue_.Follow(secrets_, {});
    queue_.Follow(pods_, {});
  }

 private:
  std::chrono::seconds UnusedFor() const {
    return std::chrono::floor<std::chrono::seconds>(context_.options.legacy_token_clean_up_period);
  }

  using NamesByNamespace = std::map<std::string, std::set<std::string>>;

  Task<void> Round() override {
    const Result<bool> long_enough = co_await TracksLongEnough();
    if (!long_enough) {
      context_.log.Error("Unable to tell since when the use of tokens is tracked",
                         {{"err", long_enough.error().ToString()}});
    }
    if (!long_enough || !*long_enough) co_return;
    NamesByNamespace mounted;
    for (const client::ObjectPtr& secret : secrets_.List()) {
      if (IsUnused(*secret) && IsListedByAccount(*secret) && !IsMounted(*secret, mounted)) {
        co_await Invalidate(secret);
      }
    }
  }

  // Whoever has not been seen for so long must have been looked for all the time.
  Task<Result<bool>> TracksLongEnough() {
    client::ObjectName name = {.name_space = "kube-system", .name = std::string(kTracking)};
    const Result<client::ObjectPtr> map =
        co_await context_.client.Get(client::BuiltIn("", "v1", "configmaps"), std::move(name));
    if (!map) co_return std::unexpected(map.error());
    const auto since = ParseDate(core::ConfigMap(**map).data().Get("since"));
    if (!since) {
      co_return Fail(StatusReason::kInternalError, std::string(kTracking) + " has no good date");
    }
    co_return TimeUntil(*since, WallTime(context_.clock)) + kDay + UnusedFor() <= Duration::zero();
  }

  bool IsUnused(const object::Document& secret) const {
    const auto metadata = core::Secret(secret).metadata();
    const object::Timestamp limit = Before(WallTime(context_.clock), UnusedFor());
    if (metadata.deletion_timestamp() || metadata.creation_timestamp() >= limit) return false;
    const auto last_used = metadata.labels().Find(kLastUsed);
    return !last_used || (ParseDate(*last_used) && *last_used < DateOf(limit));
  }

  // What an account does not list, somebody has made by hand.
  bool IsListedByAccount(const object::Document& secret) const {
    const client::ObjectName name = client::NameOf(secret);
    const std::string_view account_name = AnnotationOf(secret, kAccountNameAnnotation);
    const std::string_view uid = AnnotationOf(secret, kAccountUidAnnotation);
    const client::ObjectPtr account =
        accounts_.Find({.name_space = name.name_space, .name = std::string(account_name)});
    if (!account || (!uid.empty() && client::UidOf(*account) != uid)) return false;
    for (const auto reference : core::ServiceAccount(*account).secrets()) {
      if (reference.name() == name.name) return true;
    }
    return false;
  }

  bool IsMounted(const object::Document& secret, NamesByNamespace& mounted) const {
    const client::ObjectName name = client::NameOf(secret);
    const auto [place, is_new] = mounted.try_emplace(name.name_space);
    if (is_new) {
      for (const client::ObjectPtr& pod : pods_.List(name.name_space)) {
        AddSecretsOf(core::Pod(*pod), place->second);
      }
    }
    return place->second.contains(name.name);
  }

  // Labels it, and deletes it when the label is as old in turn.
  Task<void> Invalidate(client::ObjectPtr secret) {
    const object::Timestamp now = WallTime(context_.clock);
    const std::string_view since = LabelOf(*secret, kInvalidSince);
    const client::ObjectName name = client::NameOf(*secret);
    if (!ParseDate(since)) {
      context_.log.Info("Marking a service account's token as invalid",
                        {{"secret", KeyOf(*secret)}});
      std::string patch = "{\"metadata\":{\"uid\":" + object::JsonText(client::UidOf(*secret)) +
                          ",\"labels\":{" + object::JsonText(kInvalidSince) + ":" +
                          object::JsonText(DateOf(now)) + "}}}";
      const Result<client::ObjectPtr> patched = co_await context_.client.Patch(
          secrets_.resource(), name, client::PatchType::kMerge, std::move(patch));
      if (!patched) Tell("Unable to label a service account's token", name, patched.error());
      co_return;
    }
    if (since >= DateOf(Before(now, UnusedFor()))) co_return;
    context_.log.Info("Deleting a service account's token", {{"secret", KeyOf(*secret)}});
    client::DeleteChoice how;
    how.resource_version = client::ResourceVersionOf(*secret);
    const Result<void> deleted =
        co_await context_.client.Delete(secrets_.resource(), name, std::move(how));
    if (!deleted && !FailedWith(deleted, StatusReason::kNotFound) &&
        !FailedWith(deleted, StatusReason::kConflict)) {
      Tell("Unable to delete a service account's token", name, deleted.error());
    }
  }

  void Tell(std::string_view what, const client::ObjectName& name, const Status& why) const {
    context_.log.Error(what,
                       {{"secret", name.name_space + "/" + name.name}, {"err", why.ToString()}});
  }

  client::Informer& accounts_;
  client::Informer& secrets_;
  client::Informer& pods_;
};

}  // namespace

std::unique_ptr<Controller> MakeLegacyTokenCleanerController(ControllerContext context) {
  return std::make_unique<LegacyTokenCleaner>(std::move(context));
}

}  // namespace skiff::controllers
