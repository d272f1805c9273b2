// What both plugins of webhooks do: which of them are about a request, what they are asked, and
// what their answers come to.
//
// A webhook is asked by a task that goes on where the request is handled (rest/admission.h), so
// that one that hangs costs the request its time-out, and nobody else anything. Configurations of
// webhooks and policies are exempt: whoever has to repair one that refuses everything, can.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/admission/plugin.h"
#include "apiserver/admission/resource_rules.h"
#include "apiserver/admission/webhook_configurations.h"
#include "apiserver/admission/webhook_metrics.h"
#include "apiserver/admission/webhook_review.h"
#include "apiserver/webhook/webhook_caller.h"

namespace skiff::apiserver {

// The objects of a request as clients of one of its versions know them. What is not of that kind
// already is converted.
class ShownObject {
 public:
  // Null: there is none. It outlives this one.
  ShownObject(const object::Document* object) : object_(object) {}               // NOLINT
  ShownObject(object::Document converted) : converted_(std::move(converted)) {}  // NOLINT
  const object::Document* get() const { return converted_ ? &*converted_ : object_; }

 private:
  const object::Document* object_ = nullptr;
  std::optional<object::Document> converted_;
};
struct ShownObjects {
  ShownObject object = nullptr;
  ShownObject old = nullptr;
};

// What a call came to.
struct WebhookOutcome {
  WebhookEnd end = WebhookEnd::kAllowed;
  int code = 200;                 // for metrics
  std::optional<Status> refusal;  // unless it is allowed
  ReviewAnswer answer;
};

class WebhookPlugin : public WaitingAdmissionPlugin {
 protected:
  WebhookPlugin(const PluginContext& context, WebhookCredentials credentials, bool mutates);

  struct Candidates {
    WebhookConfigurations::Table table;  // keeps the others
    const std::vector<WebhookTable::Entry>* webhooks = nullptr;
    bool any() const { return webhooks != nullptr && !webhooks->empty(); }
  };
  // Those that may be about the request; mostly none.
  Result<Candidates> CandidatesFor(const AdmissionRequest& request) const;
  // As what the webhook is to see the request; nothing: it is not about it.
  Result<std::optional<MatchedResource>> ShouldCall(const RequestFacts& facts,
                                                    const CompiledWebhook& webhook);
  // matchConditions, asked last.
  Result<bool> HoldsFor(const RequestFacts& facts, const MatchedResource& as,
                        const CompiledWebhook& webhook);
  // The same where conversions may be lacking.
  Task<Result<std::optional<MatchedResource>>> ShouldCallAwaited(const RequestFacts& facts,
                                                                 const CompiledWebhook& webhook);
  // The request outlives the task.
  static Task<Result<ShownObjects>> Show(const AdmissionRequest& request, MatchedResource as);

  // Asks it. All outlive the task.
  Task<WebhookOutcome> Call(const CompiledWebhook& webhook, const RequestFacts& facts,
                            MatchedResource as, const ShownObjects& shown);
  // What becomes of the request, once more could not be done with the answer. Notes what was said.
  Result<void> Conclude(AdmissionRequest& request, const CompiledWebhook& webhook,
                        WebhookOutcome& outcome, std::string_view place, Duration began);
  static WebhookOutcome CallFailed(const CompiledWebhook& webhook, std::string_view why, int code);
  static WebhookOutcome Faulted(const std::string& why);

  Namespaces& namespaces() { return namespaces_; }
  const std::function<bool(const object::ResourceDesc&)>& is_served() const { return is_served_; }
  Clock& clock() const { return clock_; }

 private:
  static Result<ShownObjects> ShowAtOnce(const AdmissionRequest& request,
                                         const MatchedResource& as);
  // How long it may take; zero: the time of the request is over.
  Duration TimeFor(const CompiledWebhook& webhook, const AdmissionRequest& request) const;

  const bool mutates_;
  WebhookConfigurations configurations_;
  Namespaces namespaces_;
  const std::function<bool(const object::ResourceDesc&)> is_served_;
  const WebhookCredentials credentials_;
  WebhookCaller& caller_;
  serving::Authorizer& authorizer_;
  WebhookMetrics metrics_;
  Clock& clock_;
};

// "Internal error occurred: …"
Status InternalError(const std::string& why);

// Of the plugin's part of --admission-control-config-file, a WebhookAdmissionConfiguration.
Result<WebhookCredentials> ReadWebhookCredentials(std::string_view config_json);

}  // namespace skiff::apiserver
