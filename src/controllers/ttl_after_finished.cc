#include "controllers/ttl_after_finished.h"

#include <memory>
#include <optional>

#include "controllers/objects.h"
#include "controllers/queue_controller.h"
#include "views/batch/v1.h"

namespace skiff::controllers {
namespace {

namespace batch = views::batch_v1;

// The condition that says that the job has ended; absent while it has not.
batch::JobCondition EndOf(const batch::Job& job) {
  for (const batch::JobCondition condition : job.status().conditions()) {
    if ((condition.type() == "Complete" || condition.type() == "Failed") &&
        condition.status() == "True") {
      return condition;
    }
  }
  return {};
}

bool NeedsCleanup(const batch::Job& job) {
  return !job.metadata().deletion_timestamp() && job.spec().ttl_seconds_after_finished() &&
         EndOf(job).AsValue() != nullptr;
}

class TtlAfterFinished final : public QueueController {
 public:
  explicit TtlAfterFinished(ControllerContext context)
      : QueueController(std::move(context), Options(context.options)),
        jobs_(context_.informers.For(client::BuiltIn("batch", "v1", "jobs"))) {
    const auto look_at = [this](const client::ObjectPtr& job) {
      if (NeedsCleanup(batch::Job(*job))) queue_.Add(KeyOf(*job));
    };
    queue_.Follow(jobs_, {.added = look_at,
                          .updated = [look_at](const client::ObjectPtr&,
                                               const client::ObjectPtr& job) { look_at(job); }});
  }

 private:
  static client::WorkQueueOptions Options(const ControllerOptions& options) {
    return {.name = "ttl_jobs_to_delete", .workers = options.concurrent_ttl_after_finished_syncs};
  }

  // What is left to wait; nothing when the job is not to be deleted, or not by us.
  Result<std::optional<Duration>> TimeLeft(const object::Document& document) const {
    const batch::Job job(document);
    if (!NeedsCleanup(job)) return std::nullopt;
    const object::Timestamp ended = EndOf(job).last_transition_time();
    if (object::IsZero(ended)) {
      return Fail(StatusReason::kInternalError,
                  "unable to find the time when the Job " + KeyOf(document) + " finished");
    }
    const std::chrono::seconds ttl(*job.spec().ttl_seconds_after_finished());
    return TimeUntil(ended, WallTime(context_.clock)) + ttl;
  }

  Task<Result<void>> Reconcile(std::string key) override {
    const client::ObjectName name = NameOfKey(key);
    const client::ObjectPtr seen = jobs_.Find(name);
    if (!seen) co_return Result<void>();
    const Result<std::optional<Duration>> left = TimeLeft(*seen);
    if (!left) co_return std::unexpected(left.error());
    if (!*left) co_return Result<void>();
    if (**left > Duration::zero()) {
      queue_.AddAfter(std::move(key), **left);
      co_return Result<void>();
    }
    // The time may have been changed since; what the server says counts.
    const Result<client::ObjectPtr> fresh = co_await context_.client.Get(jobs_.resource(), name);
    if (FailedWith(fresh, StatusReason::kNotFound)) co_return Result<void>();
    if (!fresh) co_return std::unexpected(fresh.error());
    const Result<std::optional<Duration>> really_left = TimeLeft(**fresh);
    if (!really_left) co_return std::unexpected(really_left.error());
    if (!*really_left) co_return Result<void>();
    if (**really_left > Duration::zero()) {
      queue_.AddAfter(std::move(key), **really_left);
      co_return Result<void>();
    }
    client::DeleteChoice how;
    how.uid = client::UidOf(**fresh);
    how.propagation = "Foreground";
    const Result<void> deleted =
        co_await context_.client.Delete(jobs_.resource(), name, std::move(how));
    if (FailedWith(deleted, StatusReason::kNotFound)) co_return Result<void>();
    if (deleted && context_.metrics != nullptr) {
      context_.metrics->ObserveJobDeletion(-**really_left);
    }
    co_return deleted;
  }

  client::Informer& jobs_;
};

}  // namespace

std::unique_ptr<Controller> MakeTtlAfterFinishedController(ControllerContext context) {
  return std::make_unique<TtlAfterFinished>(std::move(context));
}

}  // namespace skiff::controllers
