#include "apiserver/registry/core/pod_binding.h"

#include <memory>
#include <string>
#include <utility>

#include "apiserver/registry/core/pod_fields.h"
#include "apiserver/registry/status_warnings.h"
#include "apiserver/rest/admit.h"
#include "apiserver/rest/errors.h"
#include "apiserver/rest/input.h"
#include "apiserver/rest/object_meta.h"
#include "apiserver/rest/update_object.h"
#include "apiserver/rest/write_rules.h"
#include "object/object_errors.h"
#include "serving/request/respond.h"
#include "views/core/v1.h"
#include "views/meta/v1.h"

namespace skiff::apiserver {
namespace {

namespace core = views::core_v1;

void SayScheduled(const core::PodStatus& before, core::MutablePod& pod, object::Timestamp now) {
  size_t at = 0;
  object::Timestamp since = now;
  for (const core::PodCondition condition : before.conditions()) {
    if (condition.type() == "PodScheduled") {
      if (condition.status() == "True") since = condition.last_transition_time();
      break;
    }
    ++at;
  }
  auto condition = at < before.conditions().size() ? pod.mutable_status().mutable_conditions(at)
                                                   : pod.mutable_status().add_conditions();
  condition.set_type("PodScheduled");
  condition.set_status("True");
  condition.clear_reason();
  condition.clear_message();
  condition.clear_last_probe_time();
  condition.clear_observed_generation();
  condition.set_last_transition_time(since);
}

// Which pod, and which state of it, the binding is about.
Result<void> CheckMeant(const MetaOf& pod, const views::meta_v1::ObjectMeta& binding,
                        const Endpoint& endpoint) {
  const auto refuse = [&](std::string_view what, std::string_view wanted, std::string_view found) {
    const std::string field(what);
    return std::unexpected(object::ConflictingObject(
        "", "pods", pod.name(),
        "StorageError: invalid object, Code: 4, Key: " +
            endpoint.storage->Key(pod.name_space(), pod.name()) +
            ", ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: " + field +
            " in precondition: " + std::string(wanted) + ", " + field +
            " in object meta: " + std::string(found)));
  };
  if (!binding.uid().empty() && binding.uid() != pod.uid()) {
    return refuse("UID", binding.uid(), pod.uid());
  }
  const std::string_view version = binding.resource_version();
  if (!version.empty() && version != pod.resource_version()) {
    return refuse("ResourceVersion", version, pod.resource_version());
  }
  return {};
}

Result<object::Document> Bind(object::Document& pod_document, const core::Binding& binding,
                              const Endpoint& endpoint) {
  const MetaOf meta(pod_document);
  SKIFF_RETURN_IF_ERROR(CheckMeant(meta, binding.metadata(), endpoint));
  const object::Timestamp now = NowOf(endpoint.context->clock);
  object::Document out = pod_document.Copy();
  core::MutablePod pod(out);
  const core::Pod before(pod_document);
  const auto refuse = [&meta](const std::string& why) {
    const std::string name(meta.name());
    return std::unexpected(
        object::ConflictingObject("", "pods/binding", name, "pod " + name + " " + why));
  };
  if (meta.deleting()) {
    return refuse("is being deleted, cannot be assigned to a host");
  }
  if (!before.spec().node_name().empty()) {
    return refuse("is already assigned to node \"" + std::string(before.spec().node_name()) + "\"");
  }
  if (!before.spec().scheduling_gates().empty()) {
    return refuse("has non-empty .spec.schedulingGates");
  }
  pod.mutable_spec().set_node_name(binding.target().name());
  pod.mutable_status().clear_nominated_node_name();
  for (const auto& [key, value] : binding.metadata().annotations()) {
    pod.mutable_metadata().put_annotations(key, value);
  }
  // Admission gives bindings the labels of the node that say where it is.
  for (const auto& [key, value] : binding.metadata().labels()) {
    pod.mutable_metadata().put_labels(key, value);
  }
  SayScheduled(before.status(), pod, now);
  MetaOf(out).Erase("resourceVersion");
  return out;
}

}  // namespace

Result<void> CheckPosted(const serving::ApiRequest& request, const Endpoint& endpoint,
                         std::string_view kind, object::Document& posted) {
  SKIFF_RETURN_IF_ERROR(TakeNamespace(endpoint, request.info.name_space, posted));
  const std::string_view name = MetaOf(posted).name();
  if (name != request.info.name) {
    return BadRequest("name in URL does not match name in " + std::string(kind) + " object");
  }
  if (name.empty()) return BadRequest("Name parameter required.");
  return {};
}

void HandlePodBinding(serving::ApiRequestPtr request, const Endpoint& endpoint) {
  serving::ApiRequest& ref = *request;
  const Result<bool> dry_run = CheckWriteOptions(ref);
  if (!dry_run) return serving::RespondError(ref, dry_run.error());
  Result<object::Document> body =
      ReadBody(ref, {core::Binding::Type(), "v1", "Binding"}, endpoint.context->defaults);
  if (!body) return serving::RespondError(ref, body.error());
  // The deprecated form posts to .../bindings, and the pod's name is in the body.
  MetaOf meta(*body);
  if (ref.info.name.empty()) {
    ref.info.name = meta.name();
    meta.Erase("uid");
  }
  if (const Result<void> named = CheckPosted(ref, endpoint, "Binding", *body); !named) {
    return serving::RespondError(ref, named.error());
  }
  const core::Binding binding(*body);
  if (!binding.target().kind().empty() && binding.target().kind() != "Node") {
    return serving::RespondError(
        ref, Invalid("Binding", "", ref.info.name,
                     {{"FieldValueNotSupported",
                       "Unsupported value: " + object::JsonText(binding.target().kind()) +
                           ": supported values: \"Node\", \"<empty>\"",
                       "target.kind"}}));
  }
  if (binding.target().name().empty()) {
    return serving::RespondError(
        ref, Invalid("Binding", "", ref.info.name, {RequiredField("target.name", "")}));
  }
  Update update{.request = std::move(request), .endpoint = endpoint, .make_new = {}};
  update.dry_run = *dry_run;
  update.may_be_unconditional = true;
  // What a binding sets belongs to nobody.
  update.tracks_fields = true;
  const auto shared = std::make_shared<object::Document>(std::move(*body));
  update.admit = [shared, &ref, &endpoint, dry_run = *dry_run](store::Transaction& transaction) {
    return AdmitCreationOf(*shared, ref, endpoint, dry_run, transaction);
  };
  update.make_new = [shared, &endpoint](object::Document* pod) -> Result<object::Document> {
    return Bind(*pod, core::Binding(*shared), endpoint);
  };
  update.respond = [](serving::ApiRequest& answered, const Changed&) {
    serving::RespondDone(answered, 201);
  };
  RunUpdate(std::move(update));
}

}  // namespace skiff::apiserver
