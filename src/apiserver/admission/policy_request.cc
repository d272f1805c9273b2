#include "apiserver/admission/policy_request.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "apiserver/admission/request.h"
#include "apiserver/authz/authorize_now.h"
#include "apiserver/authz/selector_attributes.h"
#include "apiserver/convert/convert.h"
#include "cel/document_view.h"
#include "serving/request/api_request.h"
#include "views/authorization.k8s.io/v1.h"

namespace skiff::apiserver {
namespace {

using cel::Val;

// What a decision depends on, as one text.
std::string KeyOf(const cel::AuthorizerRequest& asked) {
  std::string key;
  // A service account that is asked about has other groups than a user of its name, who asks.
  for (const std::string* part :
       {&asked.user.name, &asked.user.service_account_name, &asked.user.service_account_namespace,
        &asked.verb, &asked.path, &asked.group, &asked.resource, &asked.subresource,
        &asked.resource_namespace, &asked.name, &asked.field_selector, &asked.label_selector}) {
    key += std::to_string(part->size());
    key += ':';
    key += *part;
  }
  key += asked.is_resource ? 'r' : 'p';
  return key;
}

serving::UserInfo ServiceAccountUser(const cel::AuthorizerUser& user) {
  const std::string all = serving::kServiceAccountsGroup;
  return {user.name, {}, {all, all + ":" + user.service_account_namespace}, {}};
}

// A selector that cannot be read asks for all objects, which allows nothing that it should not.
template <auto kRead>
std::vector<serving::SelectedBy> Requirements(std::string_view selector) {
  if (selector.empty()) return {};
  using views::authorization_k8s_io_v1::ResourceAttributes;
  object::Document review = object::Document::OfType(ResourceAttributes::Type());
  const object::Value text = object::Value::String(review.arena().Copy(selector));
  const bool is_field = kRead == FieldRequirementsOf;
  object::Value raw = object::Value::EmptyObject(
      review.arena(),
      review.type()
          ->fields[review.type()->FindField(is_field ? "fieldSelector" : "labelSelector")]
          .message);
  raw.Set(review.arena(), "rawSelector", text);
  review.root().Set(review.arena(), is_field ? "fieldSelector" : "labelSelector", raw);
  return kRead(ResourceAttributes(&review.root())).requirements;
}

// A map of texts, without those that are empty.
class Record {
 public:
  explicit Record(Arena& arena) : arena_(arena), map_(arena, 8) {}
  Record& Set(std::string_view name, const Val& value) {
    map_.Set(Val::String(name), value);
    return *this;
  }
  Record& SetText(std::string_view name, std::string_view text) {
    return text.empty() ? *this : Set(name, Val::String(arena_.Copy(text)));
  }
  Record& SetAnyText(std::string_view name, std::string_view text) {
    return Set(name, Val::String(arena_.Copy(text)));
  }
  Val Done() const { return map_.Done(); }

 private:
  Arena& arena_;
  cel::MapBuilder map_;
};

Val TextList(Arena& arena, const std::vector<std::string>& texts) {
  cel::ListBuilder list(arena, texts.size());
  for (const std::string& text : texts) list.Add(Val::String(arena.Copy(text)));
  return list.Done();
}

Val UserValue(Arena& arena, const serving::UserInfo& user) {
  Record out(arena);
  out.SetText("username", user.name).SetText("uid", user.uid);
  if (!user.groups.empty()) out.Set("groups", TextList(arena, user.groups));
  if (!user.extra.empty()) {
    Record extra(arena);
    for (const auto& [key, values] : user.extra) {
      extra.Set(arena.Copy(key), TextList(arena, values));
    }
    out.Set("extra", extra.Done());
  }
  return out.Done();
}

// "Pod" of what stands for pods, "Binding" of pods/binding.
Val KindValue(Arena& arena, const MatchedResource& as) {
  const bool is_resource = as.kind == as.resource->kind;
  const object::GroupVersionDesc& version =
      is_resource ? *as.resource->version->desc : *as.kind->group_version;
  return Record(arena)
      .SetAnyText("group", version.group)
      .SetAnyText("version", version.version)
      .SetAnyText("kind", is_resource ? as.resource->kind_name : as.kind->name)
      .Done();
}

Val ResourceValue(Arena& arena, const MatchedResource& as) {
  return Record(arena)
      .SetAnyText("group", as.group())
      .SetAnyText("version", as.version())
      .SetAnyText("resource", as.resource->name)
      .Done();
}

bool CanBeSeenAs(const object::Document& object, const object::MessageDesc* kind) {
  return object.type() != kind && CanConvert(object.type(), kind);
}

std::string_view OptionsKind(AdmissionOperation operation) {
  switch (operation) {
    case AdmissionOperation::kCreate:
      return "CreateOptions";
    case AdmissionOperation::kUpdate:
      return "UpdateOptions";
    case AdmissionOperation::kDelete:
      return "DeleteOptions";
    case AdmissionOperation::kConnect:
      break;
  }
  return {};
}

}  // namespace

Result<VersionedObject*> PolicyRequest::As(const MatchedResource& resource) {
  for (VersionedObject& each : versions_) {
    if (each.as.kind == resource.kind) return &each;
  }
  // What cannot be converted for this policy cannot for the next one either.
  std::optional<object::Document> object;
  std::optional<object::Document> old;
  const AdmissionRequest& from = request();
  if (from.object != nullptr && CanBeSeenAs(*from.object, resource.kind)) {
    SKIFF_ASSIGN_OR_RETURN(object, ConvertFor(from, *from.object, resource.kind));
  }
  if (from.old != nullptr && CanBeSeenAs(*from.old, resource.kind)) {
    SKIFF_ASSIGN_OR_RETURN(old, ConvertFor(from, *from.old, resource.kind));
  }
  VersionedObject& made = versions_.emplace_back(VersionedObject{.as = resource});
  made.own_object = std::move(object);
  made.own_old = std::move(old);
  made.object = made.own_object ? &*made.own_object : from.object;
  made.old = made.own_old ? &*made.own_old : from.old;
  return &made;
}

cel::AuthorizerDecision PolicyRequest::Authorize(const cel::AuthorizerRequest& asked) const {
  const std::string key = KeyOf(asked);
  if (const auto known = decisions_.find(key); known != decisions_.end()) return known->second;
  std::optional<serving::UserInfo> account;
  if (!asked.user.service_account_name.empty()) account = ServiceAccountUser(asked.user);
  const std::vector<serving::SelectedBy> fields =
      Requirements<FieldRequirementsOf>(asked.field_selector);
  const std::vector<serving::SelectedBy> labels =
      Requirements<LabelRequirementsOf>(asked.label_selector);
  const serving::AccessAttributes attributes{.user = account ? &*account : &request().user,
                                             .verb = asked.verb,
                                             .is_resource = asked.is_resource,
                                             .group = asked.group,
                                             .version = asked.is_resource ? "*" : "",
                                             .resource = asked.resource,
                                             .subresource = asked.subresource,
                                             .name_space = asked.resource_namespace,
                                             .name = asked.name,
                                             .path = asked.path,
                                             .field_requirements = fields,
                                             .label_requirements = labels};
  const serving::AuthorizationResult result = AuthorizeNow(authorizer_, attributes);
  return decisions_[key] = {result.decision == serving::Decision::kAllow, result.reason,
                            result.evaluation_error};
}

Val PolicyInputs::OptionsValue() {
  const AdmissionRequest& request = request_.request();
  const std::string_view kind = OptionsKind(request.operation);
  if (kind.empty()) return Val::Null();
  Arena& arena = evaluation().arena();
  Record out(arena);
  out.SetText("kind", kind).SetText("apiVersion", "meta.k8s.io/v1");
  if (const DeleteOptions* given = request.delete_options; given != nullptr) {
    if (given->grace_period_seconds) {
      out.Set("gracePeriodSeconds", Val::Int(*given->grace_period_seconds));
    }
    Record preconditions(arena);
    preconditions.SetText("uid", given->uid).SetText("resourceVersion", given->resource_version);
    if (!given->uid.empty() || !given->resource_version.empty()) {
      out.Set("preconditions", preconditions.Done());
    }
    if (given->orphan_dependents) {
      out.Set("orphanDependents", Val::Bool(*given->orphan_dependents));
    }
    out.SetText("propagationPolicy", given->propagation);
  }
  if (request.dry_run) out.Set("dryRun", TextList(arena, {"All"}));
  if (request.origin != nullptr && request.operation != AdmissionOperation::kDelete) {
    for (const char* name : {"fieldManager", "fieldValidation"}) {
      if (const auto* given = request.origin->query.Find(name)) out.SetText(name, *given);
    }
  }
  return out.Done();
}

Val PolicyInputs::RequestValue() {
  if (admission_request_.kind() != cel::Kind::kUnset) return admission_request_;
  Arena& arena = evaluation().arena();
  const AdmissionRequest& request = request_.request();
  const RequestFacts& facts = request_.facts();
  admission_request_ = Record(arena)
                           .SetAnyText("uid", "")
                           .Set("kind", KindValue(arena, given_.object.as))
                           .Set("resource", ResourceValue(arena, given_.resource))
                           .SetText("subResource", request.subresource)
                           .Set("requestKind", KindValue(arena, facts.asked()))
                           .Set("requestResource", ResourceValue(arena, facts.asked()))
                           .SetText("requestSubResource", request.subresource)
                           .SetText("name", facts.name())
                           .SetText("namespace", facts.name_space())
                           .SetAnyText("operation", OperationName(request.operation))
                           .Set("userInfo", UserValue(arena, request.user))
                           .Set("object", Val::Null())
                           .Set("oldObject", Val::Null())
                           .Set("dryRun", Val::Bool(request.dry_run))
                           .Set("options", OptionsValue())
                           .Done();
  return admission_request_;
}

Val PolicyInputs::Find(std::string_view name) {
  Arena& arena = evaluation().arena();
  const auto document = [&](const object::Value* root) {
    return root == nullptr ? Val::Null() : cel::FromDocument(arena, *root, nullptr);
  };
  const auto whole = [&](const object::Document* found) {
    return document(found == nullptr ? nullptr : &found->root());
  };
  if (name == "object") return whole(given_.object.object);
  if (name == "oldObject") return whole(given_.object.old);
  if (name == "params") return document(given_.params);
  if (name == "request") return RequestValue();
  if (name == "namespaceObject") return document(given_.name_space);
  const AdmissionRequest& request = request_.request();
  if (name == "authorizer") {
    return cel::AuthorizerVal(evaluation(), request_, request.user.name);
  }
  if (name != "authorizer.requestResource") return {};
  cel::AuthorizerRequest asked;
  asked.user.name = request.user.name;
  asked.is_resource = true;
  asked.group = request_.facts().asked().group();
  asked.resource = request.resource.name;
  asked.subresource = request.subresource;
  asked.resource_namespace = request_.facts().name_space();
  asked.name = request_.facts().name();
  return cel::ResourceCheckVal(evaluation(), request_, asked);
}

}  // namespace skiff::apiserver
