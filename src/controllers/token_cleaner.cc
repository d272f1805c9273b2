#include "controllers/token_cleaner.h"

#include <memory>
#include <optional>

#include "controllers/bootstrap_tokens.h"
#include "controllers/objects.h"
#include "controllers/queue_controller.h"

namespace skiff::controllers {
namespace {

class TokenCleaner final : public QueueController {
 public:
  explicit TokenCleaner(ControllerContext context)
      : QueueController(std::move(context), {.name = "token_cleaner"}),
        tokens_(BootstrapTokens(context_.informers)) {
    queue_.FollowKeys(tokens_);
  }

 private:
  Task<Result<void>> Reconcile(std::string key) override {
    const client::ObjectName name = NameOfKey(key);
    const client::ObjectPtr secret = tokens_.Find(name);
    if (!secret) co_return Result<void>();
    const std::optional<Duration> left = TokenTimeLeft(*secret, WallTime(context_.clock));
    if (!left) co_return Result<void>();
    if (*left > Duration::zero()) {
      queue_.AddAfter(std::move(key), *left);
      co_return Result<void>();
    }
    client::DeleteChoice how;
    how.uid = client::UidOf(*secret);
    const Result<void> deleted =
        co_await context_.client.Delete(tokens_.resource(), name, std::move(how));
    // Gone, or another of its name.
    if (FailedWith(deleted, StatusReason::kNotFound) ||
        FailedWith(deleted, StatusReason::kConflict)) {
      co_return Result<void>();
    }
    co_return deleted;
  }

  client::Informer& tokens_;
};

}  // namespace

std::unique_ptr<Controller> MakeTokenCleanerController(ControllerContext context) {
  return std::make_unique<TokenCleaner>(std::move(context));
}

}  // namespace skiff::controllers
