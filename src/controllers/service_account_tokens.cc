#include "controllers/service_account_tokens.h"

#include <memory>
#include <optional>

#include "controllers/objects.h"
#include "controllers/queue_controller.h"
#include "controllers/token_secrets.h"
#include "serving/auth/jwt.h"
#include "serving/auth/service_account_claims.h"
#include "views/core/v1.h"

namespace skiff::controllers {
namespace {

namespace core = views::core_v1;

constexpr std::string_view kTokenKey = "token";
constexpr std::string_view kCaKey = "ca.crt";
constexpr std::string_view kNamespaceKey = "namespace";
constexpr uint32_t kMaxRetries = 10;
constexpr char kByAccount[] = "account";

// A key says NAMESPACE/SECRET/ACCOUNT: when the secret is gone, its account may still name it.
struct TokenKey {
  client::ObjectName secret;
  client::ObjectName account;
};

std::string KeyOfToken(const object::Document& secret) {
  return KeyOf(secret) + "/" + std::string(AnnotationOf(secret, kAccountNameAnnotation));
}

TokenKey ParseKey(std::string_view key) {
  const size_t slash = key.rfind('/');
  TokenKey parsed;
  parsed.secret = NameOfKey(key.substr(0, slash));
  parsed.account = {.name_space = parsed.secret.name_space,
                    .name = std::string(key.substr(slash + 1))};
  return parsed;
}

class ServiceAccountTokens final : public QueueController {
 public:
  explicit ServiceAccountTokens(ControllerContext context)
      : QueueController(std::move(context), Options(context.options)) {
    Result<serving::JwtKey> key = serving::JwtKey::ParsePrivate(
        context_.options.service_account_private_key, "the private key of service accounts");
    if (!key) {
      context_.log.Error("No tokens will be made for secrets", {{"err", key.error().ToString()}});
      return;
    }
    key_ = std::move(*key);
    accounts_ = &context_.informers.For(client::BuiltIn("", "v1", "serviceaccounts"));
    secrets_ = &TokenSecrets(context_.informers);
    secrets_->AddIndex(kByAccount, [](const object::Document& secret) -> std::vector<std::string> {
      return {client::NameOf(secret).name_space + "/" +
              std::string(AnnotationOf(secret, kAccountNameAnnotation))};
    });
    Follow();
  }

 private:
  static client::WorkQueueOptions Options(const ControllerOptions& options) {
    return {.name = "serviceaccount_tokens_service",
            .workers = options.concurrent_service_account_token_syncs,
            .max_retries = kMaxRetries};
  }

  void Follow() {
    const auto add = [this](const client::ObjectPtr& secret) { queue_.Add(KeyOfToken(*secret)); };
    queue_.Follow(*secrets_, {.added = add,
                              .updated = [add](const client::ObjectPtr&,
                                               const client::ObjectPtr& secret) { add(secret); },
                              .deleted = add});
    const auto add_of = [this](const client::ObjectPtr& account) {
      for (const client::ObjectPtr& secret : secrets_->ByIndex(kByAccount, KeyOf(*account))) {
        queue_.Add(KeyOfToken(*secret));
      }
    };
    queue_.Follow(*accounts_,
                  {.updated =
                       [add_of](const client::ObjectPtr& old, const client::ObjectPtr& account) {
                         if (client::UidOf(*old) != client::UidOf(*account)) add_of(account);
                       },
                   .deleted = add_of});
  }

  Task<Result<void>> Reconcile(std::string key) override {
    const TokenKey names = ParseKey(key);
    if (names.account.name.empty()) co_return Result<void>();
    const client::ObjectPtr secret = secrets_->Find(names.secret);
    if (!secret) co_return co_await ForgetSecret(names);
    const Result<client::ObjectPtr> account = co_await FindAccount(secret, names.account);
    if (!account) co_return std::unexpected(account.error());
    if (*account) co_return co_await Fill(secret, *account);

    client::DeleteChoice how;
    how.uid = client::UidOf(*secret);
    const Result<void> deleted =
        co_await context_.client.Delete(secrets_->resource(), names.secret, std::move(how));
    // Gone, or another of its name.
    if (FailedWith(deleted, StatusReason::kNotFound) ||
        FailedWith(deleted, StatusReason::kConflict)) {
      co_return Result<void>();
    }
    co_return deleted;
  }

  // Null when there is none, or only another of its name. Asks the server before it says so.
  Task<Result<client::ObjectPtr>> FindAccount(client::ObjectPtr secret, client::ObjectName name) {
    const std::string_view uid = AnnotationOf(*secret, kAccountUidAnnotation);
    const client::ObjectPtr seen = accounts_->Find(name);
    if (seen && (uid.empty() || client::UidOf(*seen) == uid)) co_return seen;
    const Result<client::ObjectPtr> live =
        co_await context_.client.Get(accounts_->resource(), std::move(name));
    if (FailedWith(live, StatusReason::kNotFound)) co_return client::ObjectPtr();
    if (live && !uid.empty() && client::UidOf(**live) != uid) co_return client::ObjectPtr();
    co_return live;
  }

  bool IsComplete(const core::Secret& secret) const {
    const std::string& ca = context_.options.root_ca;
    return !secret.data().Get(kTokenKey).empty() && !secret.data().Get(kNamespaceKey).empty() &&
           (ca.empty() || secret.data().Get(kCaKey) == ca);
  }

  Task<Result<void>> Fill(client::ObjectPtr secret, client::ObjectPtr account) {
    if (IsComplete(core::Secret(*secret))) co_return Result<void>();
    Result<client::ObjectPtr> filled = Filled(*secret, *account);
    if (!filled) co_return std::unexpected(filled.error());
    const Result<client::ObjectPtr> written =
        co_await context_.client.Update(secrets_->resource(), std::move(*filled));
    // Gone, or changed by another, of which there will be an event.
    if (written || FailedWith(written, StatusReason::kNotFound) ||
        FailedWith(written, StatusReason::kConflict)) {
      co_return Result<void>();
    }
    co_return std::unexpected(written.error());
  }

  Result<client::ObjectPtr> Filled(const object::Document& old,
                                   const object::Document& account) const {
    const std::shared_ptr<object::Document> document = client::MutableCopy(old);
    core::MutableSecret secret(*document);
    const client::ObjectName name = client::NameOf(old);
    const client::ObjectName account_name = client::NameOf(account);
    if (!context_.options.root_ca.empty()) secret.put_data(kCaKey, context_.options.root_ca);
    const core::Secret there(old);
    if (there.data().Get(kNamespaceKey).empty()) secret.put_data(kNamespaceKey, name.name_space);
    if (there.data().Get(kTokenKey).empty()) {
      const serving::LegacyClaims claims = {
          .subject = serving::ServiceAccountUserName(account_name.name_space, account_name.name),
          .name_space = name.name_space,
          .secret = name.name,
          .service_account = account_name.name,
          .service_account_uid = std::string(client::UidOf(account))};
      SKIFF_ASSIGN_OR_RETURN(const std::string token, serving::SignJwt(*key_, claims.ToJson()));
      secret.put_data(kTokenKey, token);
    }
    secret.mutable_metadata().put_annotations(kAccountNameAnnotation, account_name.name);
    secret.mutable_metadata().put_annotations(kAccountUidAnnotation, client::UidOf(account));
    return client::ObjectPtr(document);
  }

  // Older clusters list an account's secrets in the account.
  Task<Result<void>> ForgetSecret(TokenKey names) {
    const client::ObjectPtr account = accounts_->Find(names.account);
    if (!account) co_return Result<void>();
    const std::shared_ptr<object::Document> document = client::MutableCopy(*account);
    core::MutableServiceAccount changed(*document);
    const auto secrets = core::ServiceAccount(*account).secrets();
    bool found = false;
    for (size_t i = secrets.size(); i-- > 0;) {
      if (secrets[i].name() != names.secret.name) continue;
      changed.erase_secrets(i);
      found = true;
    }
    if (!found) co_return Result<void>();
    const Result<client::ObjectPtr> written =
        co_await context_.client.Update(accounts_->resource(), document);
    if (written || FailedWith(written, StatusReason::kNotFound)) co_return Result<void>();
    co_return std::unexpected(written.error());
  }

  std::optional<serving::JwtKey> key_;
  // Null without a key.
  client::Informer* accounts_ = nullptr;
  client::Informer* secrets_ = nullptr;
};

}  // namespace

std::unique_ptr<Controller> MakeServiceAccountTokensController(ControllerContext context) {
  if (context.options.service_account_private_key.empty()) return nullptr;
  return std::make_unique<ServiceAccountTokens>(std::move(context));
}

}  // namespace skiff::controllers
