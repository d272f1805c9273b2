#include "apiserver/admission/webhook_plugin.h"

#include <algorithm>
#include <utility>

#include "apiserver/admission/lookups.h"
#include "apiserver/admission/policy_evaluation.h"
#include "apiserver/admission/policy_request.h"
#include "apiserver/admission/request.h"
#include "apiserver/convert/object_converter.h"
#include "apiserver/webhook/webhook_fault.h"
#include "base/any_thread_callback.h"
#include "base/foreign_status.h"
#include "base/limits.h"
#include "base/strings.h"
#include "base/webhook_limits.h"
#include "object/json/decode.h"

namespace skiff::apiserver {
namespace {

constexpr std::string_view kRegistration = "admissionregistration.k8s.io";
constexpr std::string_view kExempt[] = {
    "validatingwebhookconfigurations", "mutatingwebhookconfigurations",
    "validatingadmissionpolicies",     "validatingadmissionpolicybindings",
    "mutatingadmissionpolicies",       "mutatingadmissionpolicybindings"};

bool IsExempt(const AdmissionRequest& request) {
  return GroupOf(request) == kRegistration &&
         std::ranges::find(kExempt, request.resource.name) != std::end(kExempt);
}

Result<ShownObject> ShowOne(const AdmissionRequest& request, const object::Document* object,
                            const object::MessageDesc* kind) {
  if (object == nullptr) return nullptr;
  if (object->type() == kind || kind == nullptr) return object;
  SKIFF_ASSIGN_OR_RETURN(object::Document converted, ConvertFor(request, *object, kind));
  return ShownObject(std::move(converted));
}

bool IsSuccess(int code) { return code >= 200 && code <= 206; }

// Where the answer is waited for, and where the task goes on: with the request.
template <typename T>
std::move_only_function<void(T)> PostedTo(serving::ApiRequest* origin,
                                          std::move_only_function<void(T)> done) {
  if (origin == nullptr) return done;
  return [origin, done = std::move(done)](T result) mutable {
    origin->responder.Post([done = std::move(done), result = std::move(result)]() mutable {
      done(std::move(result));
    });
  };
}

}  // namespace

Status InternalError(const std::string& why) {
  Status out(StatusReason::kInternalError, "Internal error occurred: " + why);
  out.AddCause({"", why, ""});
  return out;
}

Result<WebhookCredentials> ReadWebhookCredentials(std::string_view config_json) {
  if (config_json.empty()) return WebhookCredentials();
  SKIFF_ASSIGN_OR_RETURN(const object::Document config, object::DecodeJson(config_json, nullptr));
  const object::Value* version = config.root().Find("apiVersion");
  const object::Value* kind = config.root().Find("kind");
  const std::string named = std::string(version != nullptr ? version->AsText() : "") + " " +
                            std::string(kind != nullptr ? kind->AsText() : "");
  if (named != "apiserver.config.k8s.io/v1 WebhookAdmissionConfiguration" &&
      named != "apiserver.config.k8s.io/v1alpha1 WebhookAdmission") {
    return BadRequest("expected apiserver.config.k8s.io/v1 WebhookAdmissionConfiguration, got " +
                      named);
  }
  std::string path;
  for (const object::MapEntry& entry : config.root().entries()) {
    if (entry.key == "kubeConfigFile" && entry.value.is_string()) {
      path = entry.value.AsText();
    } else if (entry.key != "apiVersion" && entry.key != "kind") {
      return BadRequest("unknown field " + Quoted(entry.key));
    }
  }
  if (path.empty()) return WebhookCredentials();
  if (!path.starts_with('/')) {
    return BadRequest("kubeConfigFile: Invalid value: " + Quoted(path) +
                      ": must be an absolute file path");
  }
  return WebhookCredentials::Read(path);
}

WebhookPlugin::WebhookPlugin(const PluginContext& context, WebhookCredentials credentials,
                             bool mutates)
    : mutates_(mutates),
      configurations_(
          StorageOf(context, kRegistration,
                    mutates ? "mutatingwebhookconfigurations" : "validatingwebhookconfigurations"),
          context.add_background),
      namespaces_(StorageOf(context, "", "namespaces")),
      is_served_(context.is_served),
      credentials_(std::move(credentials)),
      caller_(*context.webhooks),
      authorizer_(context.authorizer),
      metrics_(context.webhook_metrics, mutates),
      clock_(context.clock) {}

Result<WebhookPlugin::Candidates> WebhookPlugin::CandidatesFor(
    const AdmissionRequest& request) const {
  if (IsExempt(request)) return Candidates();
  Candidates out;
  out.table = configurations_.table();
  if (out.table == nullptr) return NotReadyYet(request);
  out.webhooks = &out.table->For(request.resource.name);
  return out;
}

Task<Result<std::optional<MatchedResource>>> WebhookPlugin::ShouldCallAwaited(
    const RequestFacts& facts, const CompiledWebhook& webhook) {
  const AdmissionRequest& request = facts.request();
  for (;;) {
    Result<std::optional<MatchedResource>> as = ShouldCall(facts, webhook);
    if (!LacksConversions(request)) co_return as;
    static_cast<void>(co_await request.conversions->Fetch());
  }
}

Result<std::optional<MatchedResource>> WebhookPlugin::ShouldCall(const RequestFacts& facts,
                                                                 const CompiledWebhook& webhook) {
  SKIFF_ASSIGN_OR_RETURN(const std::optional<MatchedResource> as, facts.Match(webhook.criteria));
  if (!as || webhook.conditions == nullptr) return as;
  SKIFF_ASSIGN_OR_RETURN(const bool holds, HoldsFor(facts, *as, webhook));
  return holds ? as : std::nullopt;
}

Result<bool> WebhookPlugin::HoldsFor(const RequestFacts& facts, const MatchedResource& as,
                                     const CompiledWebhook& webhook) {
  const AdmissionRequest& request = facts.request();
  PolicyRequest asked(facts, authorizer_);
  const Result<VersionedObject*> object = asked.As(as);
  if (!object) return std::unexpected(InternalError(object.error().message()));
  const Duration began = clock_.Monotonic();
  const PolicyInputs::Given given{.object = **object, .resource = as};
  const PolicyMatch match = MatchesConditions(*webhook.conditions, asked, given);
  metrics_.NoteConditions(webhook.name, request.operation, match.matches, !match.error.empty(),
                          clock_.Monotonic() - began);
  if (!match.error.empty()) {
    return std::unexpected(Forbidden(request.resource, NameOf(request), match.error));
  }
  return match.matches;
}

Task<Result<ShownObjects>> WebhookPlugin::Show(const AdmissionRequest& request,
                                               MatchedResource as) {
  for (;;) {
    Result<ShownObjects> shown = ShowAtOnce(request, as);
    if (!LacksConversions(request)) co_return shown;
    static_cast<void>(co_await request.conversions->Fetch());
  }
}

Result<ShownObjects> WebhookPlugin::ShowAtOnce(const AdmissionRequest& request,
                                               const MatchedResource& as) {
  Result<ShownObject> object = ShowOne(request, request.object, as.kind);
  Result<ShownObject> old = ShowOne(request, request.old, as.kind);
  if (!object) return std::unexpected(InternalError(object.error().message()));
  if (!old) return std::unexpected(InternalError(old.error().message()));
  return ShownObjects{std::move(*object), std::move(*old)};
}

WebhookOutcome WebhookPlugin::CallFailed(const CompiledWebhook& webhook, std::string_view why,
                                         int code) {
  WebhookOutcome out;
  out.end = WebhookEnd::kCallFailed;
  out.code = code;
  out.refusal =
      InternalError("failed calling webhook " + Quoted(webhook.name) + ": " + std::string(why));
  return out;
}

WebhookOutcome WebhookPlugin::Faulted(const std::string& why) {
  WebhookOutcome out;
  out.end = WebhookEnd::kFault;
  out.code = 0;
  out.refusal = InternalError(why);
  return out;
}

Duration WebhookPlugin::TimeFor(const CompiledWebhook& webhook,
                                const AdmissionRequest& request) const {
  Duration time =
      webhook.timeout != Duration::zero() ? webhook.timeout : limits::kClientRequestTimeout;
  if (request.origin != nullptr && request.origin->deadline != Duration::zero()) {
    time = std::min(time, request.origin->deadline - clock_.Monotonic());
  }
  return std::max(time, Duration::zero());
}

Task<WebhookOutcome> WebhookPlugin::Call(const CompiledWebhook& webhook, const RequestFacts& facts,
                                         MatchedResource as, const ShownObjects& shown) {
  const AdmissionRequest& request = facts.request();
  constexpr int kBadRequestCode = 400;
  constexpr int kUnavailableCode = 503;
  if (request.dry_run && !webhook.says_side_effects) {
    co_return CallFailed(webhook, "Webhook SideEffects is nil", kBadRequestCode);
  }
  if (request.dry_run && webhook.has_side_effects) {
    WebhookOutcome out = Faulted("");
    out.refusal = Status(StatusReason::kBadRequest,
                         "admission webhook " + Quoted(webhook.name) + " does not support dry run");
    co_return out;
  }
  if (webhook.version == ReviewVersion::kNone) {
    co_return CallFailed(webhook,
                         "could not create admission objects: webhook does not accept known "
                         "AdmissionReview versions (v1, v1beta1)",
                         kBadRequestCode);
  }
  const std::string uid = NewUuid(request.random);
  const ReviewedObjects objects{{as.resource, as.kind},
                                {facts.asked().resource, facts.asked().kind},
                                shown.object.get(),
                                shown.old.get()};
  SharedBytes body = WriteReview(webhook.version, uid, request, objects);
  const Duration time = TimeFor(webhook, request);
  FromAnyThread<Result<WebhookReply>> called(
      [&](std::move_only_function<void(Result<WebhookReply>)> done) {
        caller_.Post(webhook.target, &credentials_, std::move(body), time,
                     PostedTo(request.origin, std::move(done)));
      });
  const Result<WebhookReply> reply = co_await called;
  if (!reply) {
    const bool unusable = !reply.error().causes().empty() &&
                          reply.error().causes().front().reason == kWebhookUnusable;
    co_return CallFailed(webhook,
                         (unusable ? "could not get REST client: " : "failed to call webhook: ") +
                             reply.error().message(),
                         kUnavailableCode);
  }
  if (!IsSuccess(reply->code)) {
    const Status fault = FaultOfReply(*reply);
    co_return CallFailed(webhook, "failed to call webhook: " + fault.message(), ShownCode(fault));
  }
  Result<ReviewAnswer> answer = ReadReview(webhook.version, uid, mutates_, *reply);
  if (!answer) co_return CallFailed(webhook, answer.error().message(), kUnavailableCode);
  WebhookOutcome out;
  out.answer = std::move(*answer);
  if (!out.answer.allowed) {
    out.end = WebhookEnd::kRejected;
    out.refusal = RefusalOf(webhook.name, out.answer.status);
    out.code = ShownCode(*out.refusal);
  }
  co_return out;
}

Result<void> WebhookPlugin::Conclude(AdmissionRequest& request, const CompiledWebhook& webhook,
                                     WebhookOutcome& outcome, std::string_view place,
                                     Duration began) {
  const bool ignored = outcome.end == WebhookEnd::kCallFailed && webhook.ignores_failures;
  metrics_.NoteCall(webhook.name, request.operation, outcome.end, ignored, outcome.code,
                    clock_.Monotonic() - began);
  for (std::string& warning : outcome.answer.warnings) AddWarning(request, std::move(warning));
  if (request.audit_annotations != nullptr) {
    for (const auto& [key, value] : outcome.answer.audit_annotations) {
      request.audit_annotations->insert_or_assign(webhook.name + "/" + key, value);
    }
    if (ignored) {
      const std::string_view group = mutates_ ? "mutation" : "validating";
      request.audit_annotations->insert_or_assign(
          "failed-open." + std::string(group) + ".webhook.admission.k8s.io/" + std::string(place),
          webhook.name);
    }
  }
  if (!outcome.refusal) return {};
  if (!ignored) return std::unexpected(std::move(*outcome.refusal));
  // Not the webhook's time was over, but that of the request.
  if (TimeFor(webhook, request) == Duration::zero()) {
    return Fail(StatusReason::kTimeout,
                "Timeout: request did not complete within requested timeout");
  }
  return {};
}

}  // namespace skiff::apiserver
