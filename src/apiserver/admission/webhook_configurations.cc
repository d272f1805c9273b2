#include "apiserver/admission/webhook_configurations.h"

#include <set>
#include <utility>

#include "apiserver/admission/lookups.h"
#include "apiserver/rest/object_meta.h"
#include "apiserver/validation/value_fields.h"
#include "base/webhook_limits.h"
#include "base/limits.h"

namespace skiff::apiserver {
namespace {

constexpr int64_t kHttpsPort = 443;

std::shared_ptr<const WebhookTarget> TargetOf(const object::Value* hook) {
  const object::Value* config = FieldOf(hook, "clientConfig");
  const object::Value* bundle = FieldOf(config, "caBundle");
  std::string ca_pem(bundle != nullptr ? bundle->AsText() : std::string_view());
  const object::Value* service = FieldOf(config, "service");
  if (service == nullptr) return WebhookTarget::OfUrl(TextOf(config, "url"), std::move(ca_pem));
  const object::Value* port = FieldOf(service, "port");
  return WebhookTarget::OfService(
      {.name_space = std::string(TextOf(service, "namespace")),
       .name = std::string(TextOf(service, "name")),
       .path = std::string(TextOf(service, "path")),
       .port = static_cast<int32_t>(port != nullptr ? port->AsInt() : kHttpsPort)},
      std::move(ca_pem));
}

// The first that is known here.
ReviewVersion VersionOf(const object::Value* hook) {
  for (const std::string_view version : TextsOf(hook, "admissionReviewVersions")) {
    if (version == "v1") return ReviewVersion::kV1;
    if (version == "v1beta1") return ReviewVersion::kV1beta1;
  }
  return ReviewVersion::kNone;
}

// Webhooks have neither params nor variables.
std::shared_ptr<const Policy> ConditionsOf(const object::Value* hook, std::string_view name,
                                           bool ignores_failures) {
  const auto conditions = ItemsOf(hook, "matchConditions");
  if (conditions.empty()) return nullptr;
  auto out = std::make_shared<Policy>(Policy{.name = std::string(name), .match = {}});
  out->ignores_failures = ignores_failures;
  cel::AdmissionCompiler compiler(/*has_variables=*/false);
  for (const object::Value* each : conditions) {
    out->conditions.push_back(
        {std::string(TextOf(each, "name")),
         compiler.Compile(TextOf(each, "expression"), cel::AdmissionResult::kBool,
                          cel::AdmissionNames{.params = false})});
  }
  return out;
}

CompiledWebhookPtr Compile(const object::Value* hook, std::string_view configuration,
                           size_t index) {
  auto out = std::make_shared<CompiledWebhook>();
  out->configuration = configuration;
  out->name = TextOf(hook, "name");
  out->id = out->configuration + "/" + out->name + "/" + std::to_string(index);
  out->criteria = ReadMatchCriteria(*hook, "rules");
  out->target = TargetOf(hook);
  out->version = VersionOf(hook);
  if (const object::Value* timeout = FieldOf(hook, "timeoutSeconds"); timeout != nullptr) {
    out->timeout = std::chrono::seconds(timeout->AsInt());
  }
  out->ignores_failures = TextOf(hook, "failurePolicy") == "Ignore";
  out->conditions = ConditionsOf(hook, out->name, out->ignores_failures);
  const std::string_view effects = TextOf(hook, "sideEffects");
  out->says_side_effects = !effects.empty();
  out->has_side_effects = effects != "None" && effects != "NoneOnDryRun";
  out->may_be_reinvoked = TextOf(hook, "reinvocationPolicy") == "IfNeeded";
  return out;
}

}  // namespace

std::vector<CompiledWebhookPtr> CompileWebhooks(const object::Document& configuration) {
  const object::Value* name = configuration.root().FindPath({"metadata", "name"});
  std::vector<CompiledWebhookPtr> out;
  for (const object::Value* hook : ItemsOf(&configuration.root(), "webhooks")) {
    out.push_back(Compile(hook, name != nullptr ? name->AsText() : "", out.size()));
  }
  return out;
}

WebhookTable::WebhookTable(std::vector<CompiledWebhookPtr> all) {
  std::set<std::string_view> resources;
  std::vector<std::set<std::string_view>> named(all.size());
  for (size_t i = 0; i < all.size(); ++i) {
    for (const ResourceRule& rule : all[i]->criteria.rules) {
      for (const ResourceRule::Resource& each : rule.resources) named[i].insert(each.resource);
    }
    resources.insert(named[i].begin(), named[i].end());
  }
  for (size_t i = 0; i < all.size(); ++i) {
    const bool any = named[i].contains("*");
    if (any) any_.push_back({all[i], i});
    for (const std::string_view resource : resources) {
      if (any || named[i].contains(resource)) {
        by_resource_[std::string(resource)].push_back({all[i], i});
      }
    }
  }
}

const std::vector<WebhookTable::Entry>& WebhookTable::For(std::string_view resource) const {
  const auto found = by_resource_.find(resource);
  return found != by_resource_.end() ? found->second : any_;
}

WebhookConfigurations::WebhookConfigurations(ResourceStorage* storage,
                                             const AddBackground& add_background)
    : storage_(storage) {
  if (!add_background) return;
  const auto trigger = std::make_shared<std::function<void()>>();
  FollowedState& state = *this;
  std::vector<FollowedCache> caches{{storage != nullptr ? &storage->cache() : nullptr}};
  follower_ =
      std::make_unique<CacheFollower>(state, std::move(caches), [trigger] { (*trigger)(); });
  *trigger = add_background(Duration::zero(), [this] {
    follower_->Run();
    Publish();
  });
  add_background(limits::kCacheRetryInterval, [this] { follower_->Tick(); });
  follower_->Start();
}

WebhookConfigurations::~WebhookConfigurations() = default;

WebhookConfigurations::Table WebhookConfigurations::table() const {
  Table published = published_.load(std::memory_order_acquire);
  return published != nullptr ? published : ReadNow();
}

WebhookConfigurations::Table WebhookConfigurations::ReadNow() const {
  std::vector<CompiledWebhookPtr> all;
  if (storage_ != nullptr && !storage_->cache().ready()) return nullptr;
  ForEachInCache(storage_, [&](const store::CacheEntry& entry) {
    const Result<object::Document> read = DecodeEntry(entry.value().view());
    if (!read) return;
    for (CompiledWebhookPtr& each : CompileWebhooks(*read)) all.push_back(std::move(each));
  });
  return std::make_shared<const WebhookTable>(std::move(all));
}

bool WebhookConfigurations::Put(size_t, const store::CacheEntry& entry) {
  const Result<object::Document> read = DecodeEntry(entry.value().view());
  if (!read) return false;
  known_.insert_or_assign(std::string(entry.name()), CompileWebhooks(*read));
  changed_ = true;
  return true;
}

void WebhookConfigurations::Remove(size_t, std::string_view, std::string_view name) {
  const auto found = known_.find(name);
  if (found == known_.end()) return;
  known_.erase(found);
  changed_ = true;
}

void WebhookConfigurations::Publish() {
  if (!follower_->synced() || !std::exchange(changed_, false)) return;
  std::vector<CompiledWebhookPtr> all;
  for (const auto& [name, webhooks] : known_) {
    all.insert(all.end(), webhooks.begin(), webhooks.end());
  }
  published_.store(std::make_shared<const WebhookTable>(std::move(all)), std::memory_order_release);
}

}  // namespace skiff::apiserver
