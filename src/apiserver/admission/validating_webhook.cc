// ValidatingAdmissionWebhook: asks the webhooks of ValidatingWebhookConfigurations, all at once.
// One refusal is enough; of several, that of the first of them counts.
#include <atomic>
#include <map>
#include <memory>
#include <utility>

#include "apiserver/admission/plugins.h"
#include "apiserver/admission/request.h"
#include "apiserver/admission/webhook_plugin.h"
#include "base/any_thread_callback.h"

namespace skiff::apiserver {
namespace {

class ValidatingWebhooks final : public WebhookPlugin {
 public:
  ValidatingWebhooks(const PluginContext& context, WebhookCredentials credentials)
      : WebhookPlugin(context, std::move(credentials), /*mutates=*/false) {}

  MaybeTask<Result<void>> ValidateOrWait(AdmissionRequest& request) override {
    Result<Candidates> candidates = CandidatesFor(request);
    if (!candidates) return std::unexpected(std::move(candidates.error()));
    if (!candidates->any()) return Result<void>();
    auto asked = std::make_unique<Asked>(request, namespaces(), is_served());
    asked->table = std::move(candidates->table);
    for (const WebhookTable::Entry& each : *candidates->webhooks) {
      Result<std::optional<MatchedResource>> matched = ShouldCall(asked->facts, *each.webhook);
      if (!matched) return std::unexpected(std::move(matched.error()));
      if (*matched) asked->webhooks.push_back({each.webhook.get(), **matched, {}});
    }
    if (asked->webhooks.empty()) return Result<void>();
    return AskAll(std::move(asked));
  }

 private:
  // One request, and the webhooks that are asked about it.
  struct Asked {
    struct One {
      const CompiledWebhook* webhook;
      MatchedResource as;
      WebhookOutcome outcome;
    };
    Asked(AdmissionRequest& of, Namespaces& namespaces,
          const std::function<bool(const object::ResourceDesc&)>& is_served)
        : request(of), facts(of, namespaces, is_served) {}

    AdmissionRequest& request;
    const RequestFacts facts;
    WebhookConfigurations::Table table;
    std::vector<One> webhooks;
    std::map<const object::MessageDesc*, ShownObjects> shown;
    std::atomic<size_t> left{0};
  };

  Task<Result<void>> AskAll(std::unique_ptr<Asked> asked) {
    for (const Asked::One& one : asked->webhooks) {
      if (asked->shown.contains(one.as.kind)) continue;
      SKIFF_CO_ASSIGN_OR_RETURN(asked->shown[one.as.kind], co_await Show(asked->request, one.as));
    }
    const Duration began = clock().Monotonic();
    Asked& all = *asked;
    all.left = all.webhooks.size();
    FromAnyThread<bool> answered([&](std::move_only_function<void(bool)> done) {
      const auto last = std::make_shared<std::move_only_function<void(bool)>>(std::move(done));
      for (Asked::One& one : all.webhooks) {
        Detach<WebhookOutcome>(Call(*one.webhook, all.facts, one.as, all.shown[one.as.kind]),
                               [&all, &one, last](WebhookOutcome outcome) {
                                 one.outcome = std::move(outcome);
                                 if (all.left.fetch_sub(1) == 1) (*last)(true);
                               });
      }
    });
    co_await answered;
    Result<void> first;
    for (size_t i = 0; i < all.webhooks.size(); ++i) {
      Asked::One& one = all.webhooks[i];
      Result<void> concluded = Conclude(all.request, *one.webhook, one.outcome,
                                        "round_0_index_" + std::to_string(i), began);
      if (first && !concluded) first = std::move(concluded);
    }
    co_return first;
  }
};

}  // namespace

MadePlugin MakeValidatingWebhooks(const PluginContext& context, std::string_view config_json) {
  SKIFF_ASSIGN_OR_RETURN(WebhookCredentials credentials, ReadWebhookCredentials(config_json));
  if (context.webhooks == nullptr) return std::make_unique<AdmissionPlugin>();
  return std::make_unique<ValidatingWebhooks>(context, std::move(credentials));
}

}  // namespace skiff::apiserver
