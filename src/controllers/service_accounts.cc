#include "controllers/service_accounts.h"

#include <memory>

#include "controllers/objects.h"
#include "controllers/queue_controller.h"
#include "views/core/v1.h"

namespace skiff::controllers {
namespace {

namespace core = views::core_v1;

constexpr std::string_view kAccount = "default";

client::ObjectPtr NewAccount(std::string_view name_space) {
  auto document = std::make_shared<object::Document>(core::ServiceAccount::New());
  auto metadata = core::MutableServiceAccount(*document).mutable_metadata();
  metadata.set_name(kAccount);
  metadata.set_namespace(name_space);
  return document;
}

class ServiceAccounts final : public QueueController {
 public:
  explicit ServiceAccounts(ControllerContext context)
      : QueueController(std::move(context), {.name = "serviceaccount"}),
        namespaces_(context_.informers.For(client::BuiltIn("", "v1", "namespaces"))),
        accounts_(context_.informers.For(client::BuiltIn("", "v1", "serviceaccounts"))) {
    queue_.FollowKeys(namespaces_);
    queue_.Follow(accounts_, {.deleted = [this](const client::ObjectPtr& last) {
                    queue_.Add(client::NameOf(*last).name_space);
                  }});
  }

 private:
  // The key is the namespace.
  Task<Result<void>> Reconcile(std::string key) override {
    const client::ObjectPtr name_space = namespaces_.Find({.name_space = {}, .name = key});
    if (!name_space || core::Namespace(*name_space).status().phase() != "Active") {
      co_return Result<void>();
    }
    if (accounts_.Find({.name_space = key, .name = std::string(kAccount)})) {
      co_return Result<void>();
    }
    const Result<client::ObjectPtr> made =
        co_await context_.client.Create(accounts_.resource(), NewAccount(key));
    if (FailedAsNamespaceEnds(made)) co_return Result<void>();
    if (!made && !FailedWith(made, StatusReason::kAlreadyExists)) {
      co_return std::unexpected(made.error());
    }
    queue_.AddAfter(std::move(key), kUnseenDelay);
    co_return Result<void>();
  }

  client::Informer& namespaces_;
  client::Informer& accounts_;
};

}  // namespace

std::unique_ptr<Controller> MakeServiceAccountsController(ControllerContext context) {
  return std::make_unique<ServiceAccounts>(std::move(context));
}

}  // namespace skiff::controllers
