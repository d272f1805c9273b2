// MutatingAdmissionWebhook: asks the webhooks of MutatingWebhookConfigurations, one after another,
// each about what those before it made of the object.
//
// What one changes may be of interest to those before it, and to plugins: then all plugins have
// another turn (AdmissionRequest::reinvoke), and in it those webhooks that want to be asked again
// if anybody has changed the object since they were.
#include <memory>
#include <set>
#include <utility>

#include "apiserver/admission/plugins.h"
#include "apiserver/admission/request.h"
#include "apiserver/admission/webhook_plugin.h"
#include "apiserver/convert/convert.h"
#include "apiserver/convert/normalize.h"
#include "apiserver/convert/object_converter.h"
#include "apiserver/managed_fields/entries.h"
#include "base/limits.h"
#include "base/strings.h"
#include "base/webhook_limits.h"
#include "object/equal.h"
#include "object/json/decode.h"
#include "object/json/encode.h"
#include "object/open_kind.h"
#include "object/patch/json_patch.h"

namespace skiff::apiserver {
namespace {

// What is known of a request from its first turn to its second.
struct Turns final : AdmissionMemory {
  std::set<std::string, std::less<>> asked;  // those that want to be asked again
  std::set<std::string, std::less<>> again;  // those of them that will be
  std::optional<object::Document> last;      // the object after the last turn

  void AskAgain() { again.merge(std::exchange(asked, {})); }
};

Result<object::Document> Patched(const object::Document& shown, const object::Value& patch) {
  ByteBuffer json;
  object::EncodeJson(shown.root(), json);
  object::DecodeOptions whole;
  whole.max_bytes = limits::kMaxCountedBytes;
  SKIFF_ASSIGN_OR_RETURN(object::Document tree, object::DecodeJson(json.view(), nullptr, whole));
  SKIFF_RETURN_IF_ERROR(object::ApplyJsonPatch(patch, tree));
  json.Clear();
  object::EncodeJson(tree.root(), json);
  SKIFF_ASSIGN_OR_RETURN(const object::TypeMeta meta, object::PeekTypeMeta(json.view()));
  if (meta.kind != shown.kind() || meta.api_version != shown.type()->group_version->api_version) {
    return BadRequest("the patch makes it " + meta.api_version + " " + meta.kind);
  }
  SKIFF_ASSIGN_OR_RETURN(object::Document made,
                         object::DecodeJson(json.view(), shown.type(), whole));
  // A webhook adds nothing that the schema of a custom resource does not have.
  SKIFF_RETURN_IF_ERROR(object::CoerceOpen(made, false, nullptr));
  return made;
}

// A webhook that has no idea of managedFields may leave them in a state that nobody can read. Then
// they stay what they were.
void KeepReadableOwners(AdmissionRequest& request, const object::Document& before,
                        object::Document& made) {
  const object::Value* owners = ManagedFieldsOf(made);
  if (owners == nullptr) return;
  Arena arena;
  const Result<ManagedFields> read =
      ManagedFields::Read(arena, owners, made.type()->name, ManagedFields::Trust::kNobody);
  if (read) return;
  AddWarning(request,
             ".metadata.managedFields was in an invalid state after admission; this could be "
             "caused by an outdated mutating admission controller; please fix your requests: " +
                 read.error().message());
  object::Document original = before.Copy();
  MetaOf(made).Take("managedFields", MetaOf(original));
}

class MutatingWebhooks final : public WebhookPlugin {
 public:
  MutatingWebhooks(const PluginContext& context, WebhookCredentials credentials)
      : WebhookPlugin(context, std::move(credentials), /*mutates=*/true),
        defaults_(context.defaults) {}

  MaybeTask<Result<void>> MutateOrWait(AdmissionRequest& request) override {
    Result<Candidates> candidates = CandidatesFor(request);
    if (!candidates) return std::unexpected(std::move(candidates.error()));
    if (!candidates->any()) return Result<void>();
    // None is about a request that the first of them would not have changed.
    const RequestFacts facts(request, namespaces(), is_served());
    for (const WebhookTable::Entry& each : *candidates->webhooks) {
      Result<std::optional<MatchedResource>> matched = facts.Match(each.webhook->criteria);
      if (!matched) return std::unexpected(std::move(matched.error()));
      if (*matched) return AskInTurn(request, std::move(*candidates));
    }
    return Result<void>();
  }

 private:
  Task<Result<void>> AskInTurn(AdmissionRequest& request, Candidates candidates) {
    if (request.webhook_memory == nullptr) request.webhook_memory = std::make_unique<Turns>();
    Turns& turns = static_cast<Turns&>(*request.webhook_memory);
    if (request.is_reinvocation && turns.last && request.object != nullptr &&
        !object::DeepEqual(turns.last->root(), request.object->root())) {
      turns.AskAgain();
    }
    const RequestFacts facts(request, namespaces(), is_served());
    for (const WebhookTable::Entry& each : *candidates.webhooks) {
      SKIFF_CO_RETURN_IF_ERROR(co_await AskOne(request, facts, each, turns));
    }
    if (request.object != nullptr && !(turns.asked.empty() && turns.again.empty())) {
      turns.last = request.object->Copy();
    }
    co_return Result<void>();
  }

  Task<Result<void>> AskOne(AdmissionRequest& request, const RequestFacts& facts,
                            const WebhookTable::Entry& entry, Turns& turns) {
    const CompiledWebhook& webhook = *entry.webhook;
    SKIFF_CO_ASSIGN_OR_RETURN(const std::optional<MatchedResource> matched,
                              co_await ShouldCallAwaited(facts, webhook));
    // In its second turn nobody is asked for the first time.
    if (!matched || (request.is_reinvocation && !turns.again.contains(webhook.id))) {
      co_return Result<void>();
    }
    SKIFF_CO_ASSIGN_OR_RETURN(const ShownObjects shown, co_await Show(request, *matched));
    const Duration began = clock().Monotonic();
    WebhookOutcome outcome = co_await Call(webhook, facts, *matched, shown);
    bool changed = false;
    if (outcome.end == WebhookEnd::kAllowed && !outcome.answer.patch.empty()) {
      changed = co_await Patch(request, webhook, shown, outcome);
    }
    if (changed) {
      turns.AskAgain();
      request.reinvoke = true;
    }
    if (webhook.may_be_reinvoked) turns.asked.insert(webhook.id);
    const std::string place = std::string("round_") + (request.is_reinvocation ? "1" : "0") +
                              "_index_" + std::to_string(entry.index);
    NoteMutation(request, webhook, place, changed);
    co_return Conclude(request, webhook, outcome, place, began);
  }

  // Replaces the object by what the patch of the answer makes of it; the outcome tells when it
  // cannot. Whether it is another now. All outlive the task.
  Task<bool> Patch(AdmissionRequest& request, const CompiledWebhook& webhook,
                   const ShownObjects& shown, WebhookOutcome& outcome) const {
    const auto failed = [&](WebhookOutcome with) {
      with.answer.warnings = std::move(outcome.answer.warnings);
      with.answer.audit_annotations = std::move(outcome.answer.audit_annotations);
      outcome = std::move(with);
    };
    constexpr int kUnavailableCode = 503;
    object::DecodeOptions options;
    options.max_bytes = limits::kMaxWebhookReplyBytes;
    const Result<object::Document> patch =
        object::DecodeJson(outcome.answer.patch, nullptr, options);
    if (!patch || !patch->root().is_list()) {
      failed(CallFailed(webhook,
                        "received undecodable patch in webhook response: " +
                            (patch ? "it is no list" : patch.error().ToString()),
                        kUnavailableCode));
      co_return false;
    }
    if (patch->root().size() == 0) co_return false;
    const object::Document* object = shown.object.get();
    if (object == nullptr) {
      failed(Faulted("admission webhook " + Quoted(webhook.name) +
                     " attempted to modify the object, which is not supported for this "
                     "operation"));
      co_return false;
    }
    Result<object::Document> made = Patched(*object, patch->root());
    if (made) KeepReadableOwners(request, *object, *made);
    if (!made) {
      failed(Faulted(made.error().message()));
      co_return false;
    }
    const bool changed = !object::DeepEqual(object->root(), made->root());
    const Result<void> taken = co_await Take(request, std::move(*made));
    if (!taken) failed(Faulted(taken.error().message()));
    co_return changed;
  }

  Task<Result<void>> Take(AdmissionRequest& request, object::Document made) const {
    if (defaults_ != nullptr) SKIFF_CO_RETURN_IF_ERROR(DefaultAndNormalize(*defaults_, made));
    const object::MessageDesc* const type = request.object->type();
    if (made.type() == type) {
      SKIFF_CO_ASSIGN_OR_RETURN(*request.object, Convert(std::move(made), type));
      co_return Result<void>();
    }
    for (;;) {
      Result<object::Document> converted = ConvertFor(request, made, type);
      if (!LacksConversions(request)) {
        SKIFF_CO_ASSIGN_OR_RETURN(*request.object, std::move(converted));
        co_return Result<void>();
      }
      static_cast<void>(co_await request.conversions->Fetch());
    }
  }

  static void NoteMutation(AdmissionRequest& request, const CompiledWebhook& webhook,
                           const std::string& place, bool changed) {
    if (request.audit_annotations == nullptr) return;
    request.audit_annotations->insert_or_assign(
        "mutation.webhook.admission.k8s.io/" + place,
        "{\"configuration\":" + object::JsonText(webhook.configuration) + ",\"webhook\":" +
            object::JsonText(webhook.name) + ",\"mutated\":" + (changed ? "true}" : "false}"));
  }

  const DefaultPlans* const defaults_;
};

}  // namespace

MadePlugin MakeMutatingWebhooks(const PluginContext& context, std::string_view config_json) {
  SKIFF_ASSIGN_OR_RETURN(WebhookCredentials credentials, ReadWebhookCredentials(config_json));
  if (context.webhooks == nullptr) return std::make_unique<AdmissionPlugin>();
  return std::make_unique<MutatingWebhooks>(context, std::move(credentials));
}

}  // namespace skiff::apiserver
