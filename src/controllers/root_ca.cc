#include "controllers/root_ca.h"

#include <memory>

#include "controllers/objects.h"
#include "controllers/queue_controller.h"
#include "views/core/v1.h"

namespace skiff::controllers {
namespace {

namespace core = views::core_v1;

constexpr std::string_view kConfigMap = "kube-root-ca.crt";
constexpr std::string_view kKey = "ca.crt";
constexpr std::string_view kDescriptionKey = "kubernetes.io/description";
constexpr std::string_view kDescription =
    "Contains a CA bundle that can be used to verify the kube-apiserver when using internal "
    "endpoints such as the internal service IP or kubernetes.default.svc. No other usage is "
    "guaranteed across distributions of Kubernetes clusters.";

class RootCa final : public QueueController {
 public:
  explicit RootCa(ControllerContext context)
      : QueueController(std::move(context), {.name = "root_ca_cert_publisher"}) {
    if (context_.options.root_ca.empty()) return;
    namespaces_ = &context_.informers.For(client::BuiltIn("", "v1", "namespaces"));
    config_maps_ =
        &context_.informers.For(client::BuiltIn("", "v1", "configmaps"),
                                {.field_selector = "metadata.name=" + std::string(kConfigMap)});
    queue_.FollowKeys(*namespaces_);
    const auto again = [this](const client::ObjectPtr& map) {
      queue_.Add(client::NameOf(*map).name_space);
    };
    queue_.Follow(*config_maps_, {.updated = [again](const client::ObjectPtr&,
                                                     const client::ObjectPtr& map) { again(map); },
                                  .deleted = again});
  }

 private:
  // The key is the namespace.
  Task<Result<void>> Reconcile(std::string key) override {
    const Duration began = context_.clock.Monotonic();
    Result<void> outcome = co_await Publish(std::move(key));
    if (context_.metrics != nullptr) {
      const int code = outcome ? 200 : outcome.error().code();
      context_.metrics->ObserveRootCaSync(code, context_.clock.Monotonic() - began);
    }
    co_return outcome;
  }

  Task<Result<void>> Publish(std::string key) {
    const client::ObjectPtr name_space = namespaces_->Find({.name_space = {}, .name = key});
    if (!name_space || core::Namespace(*name_space).status().phase() == "Terminating") {
      co_return Result<void>();
    }
    const client::ObjectPtr there =
        config_maps_->Find({.name_space = key, .name = std::string(kConfigMap)});
    if (there && IsGood(core::ConfigMap(*there))) co_return Result<void>();

    client::ObjectPtr wanted = Wanted(key, there.get());
    const client::ApiResource& resource = config_maps_->resource();
    Result<client::ObjectPtr> written = wanted;
    if (there) {
      written = co_await context_.client.Update(resource, std::move(wanted));
    } else {
      written = co_await context_.client.Create(resource, std::move(wanted));
      if (written) queue_.AddAfter(key, kUnseenDelay);
    }
    // The namespace, or what was to be changed, is gone: there will be an event if it comes back.
    if (written || FailedAsNamespaceEnds(written) || FailedWith(written, StatusReason::kNotFound)) {
      co_return Result<void>();
    }
    co_return std::unexpected(written.error());
  }

  bool IsGood(const core::ConfigMap& map) const {
    return map.data().size() == 1 && map.data().Get(kKey) == context_.options.root_ca &&
           !map.metadata().annotations().Get(kDescriptionKey).empty();
  }

  client::ObjectPtr Wanted(std::string_view name_space, const object::Document* there) const {
    const std::shared_ptr<object::Document> document =
        there != nullptr ? client::MutableCopy(*there)
                         : std::make_shared<object::Document>(core::ConfigMap::New());
    core::MutableConfigMap map(*document);
    map.mutable_metadata().set_name(kConfigMap);
    map.mutable_metadata().set_namespace(name_space);
    map.mutable_metadata().put_annotations(kDescriptionKey, kDescription);
    map.clear_data();
    map.put_data(kKey, context_.options.root_ca);
    return document;
  }

  // Null when there is nothing to publish.
  client::Informer* namespaces_ = nullptr;
  client::Informer* config_maps_ = nullptr;
};

}  // namespace

std::unique_ptr<Controller> MakeRootCaController(ControllerContext context) {
  return std::make_unique<RootCa>(std::move(context));
}

}  // namespace skiff::controllers
