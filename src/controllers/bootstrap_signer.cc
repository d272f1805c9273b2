#include "controllers/bootstrap_signer.h"

#include <map>
#include <memory>
#include <string>

#include "controllers/bootstrap_tokens.h"
#include "controllers/objects.h"
#include "controllers/queue_controller.h"
#include "views/core/v1.h"

namespace skiff::controllers {
namespace {

namespace core = views::core_v1;

constexpr std::string_view kContentKey = "kubeconfig";
constexpr std::string_view kSignaturePrefix = "jws-kubeconfig-";

class BootstrapSigner final : public QueueController {
 public:
  explicit BootstrapSigner(ControllerContext context)
      : QueueController(std::move(context), {.name = "bootstrap_signer_queue"}),
        config_maps_(context_.informers.For(
            client::BuiltIn("", "v1", "configmaps"),
            {.field_selector = "metadata.name=cluster-info,metadata.namespace=kube-public"})),
        tokens_(BootstrapTokens(context_.informers)) {
    const auto sign = [this] { queue_.Add("kube-public/cluster-info"); };
    const Reactions reactions = {
        .added = [sign](const client::ObjectPtr&) { sign(); },
        .updated = [sign](const client::ObjectPtr&, const client::ObjectPtr&) { sign(); },
        .deleted = [sign](const client::ObjectPtr&) { sign(); }};
    queue_.Follow(config_maps_, reactions);
    queue_.Follow(tokens_, reactions);
  }

 private:
  using Signatures = std::map<std::string, std::string, std::less<>>;

  // By key of the config map.
  Signatures Wanted(std::string_view content) const {
    const object::Timestamp now = WallTime(context_.clock);
    Signatures wanted;
    for (const client::ObjectPtr& secret : tokens_.List()) {
      if (const auto token = ReadSigningToken(*secret, now)) {
        wanted.emplace(std::string(kSignaturePrefix) + std::string(token->id),
                       DetachedSignature(content, *token));
      }
    }
    return wanted;
  }

  static Signatures There(const core::ConfigMap& map) {
    Signatures there;
    for (const auto entry : map.data()) {
      if (entry.key.starts_with(kSignaturePrefix)) there.emplace(entry.key, entry.value);
    }
    return there;
  }

  Task<Result<void>> Reconcile(std::string key) override {
    const client::ObjectPtr document = config_maps_.Find(NameOfKey(key));
    if (!document) co_return Result<void>();
    const core::ConfigMap map(*document);
    const auto content = map.data().Find(kContentKey);
    if (!content) co_return Result<void>();
    ComeBackAtNextExpiry(key);
    const Signatures wanted = Wanted(*content);
    const Signatures there = There(map);
    if (wanted == there) co_return Result<void>();

    const std::shared_ptr<object::Document> changed = client::MutableCopy(*document);
    core::MutableConfigMap view(*changed);
    for (const auto& [name, signature] : there) view.erase_data(name);
    for (const auto& [name, signature] : wanted) view.put_data(name, signature);
    const Result<client::ObjectPtr> written =
        co_await context_.client.Update(config_maps_.resource(), changed);
    // Gone, or changed by another, of which there will be an event.
    if (written || FailedWith(written, StatusReason::kNotFound) ||
        FailedWith(written, StatusReason::kConflict)) {
      co_return Result<void>();
    }
    co_return std::unexpected(written.error());
  }

  // What a token that has expired has signed goes, whether or not anybody deletes the token.
  void ComeBackAtNextExpiry(const std::string& key) {
    const object::Timestamp now = WallTime(context_.clock);
    for (const client::ObjectPtr& secret : tokens_.List()) {
      const std::optional<Duration> left = TokenTimeLeft(*secret, now);
      if (left && *left > Duration::zero()) queue_.AddAfter(key, *left);
    }
  }

  client::Informer& config_maps_;
  client::Informer& tokens_;
};

}  // namespace

std::unique_ptr<Controller> MakeBootstrapSignerController(ControllerContext context) {
  return std::make_unique<BootstrapSigner>(std::move(context));
}

}  // namespace skiff::controllers
