#include "apiserver/authz/access_review.h"

#include <memory>

#include "apiserver/authz/selector_attributes.h"
#include "object/equal.h"
#include "object/json/encode.h"

namespace skiff::apiserver {
namespace {

namespace authorization = views::authorization_k8s_io_v1;

constexpr std::string_view kGroup = "authorization.k8s.io";

enum class Scope : uint8_t { kAnybody, kLocal, kSelf };

// A review under way. What the attributes point to stays where it is until the answer.
struct Review {
  object::Document document;
  ReviewCallback done;
  serving::UserInfo user = {};
  SelectorRequirements fields = {};
  SelectorRequirements labels = {};

  const object::Value* Spec() const { return document.root().Find("spec"); }
  // The messages of the three kinds share their first fields.
  authorization::ResourceAttributes resource() const { return Find("resourceAttributes"); }
  authorization::NonResourceAttributes non_resource() const {
    return authorization::NonResourceAttributes(FindValue("nonResourceAttributes"));
  }
  const object::Value* FindValue(std::string_view name) const {
    return Spec() != nullptr ? Spec()->Find(name) : nullptr;
  }

 private:
  authorization::ResourceAttributes Find(std::string_view name) const {
    return authorization::ResourceAttributes(FindValue(name));
  }
};

std::string_view MetadataText(const object::Document& document, std::string_view name) {
  const object::Value* found = document.root().FindPath({"metadata", name});
  return found != nullptr && found->is_string() ? found->AsText() : std::string_view();
}

// In the form in which Kubernetes shows this one: with the names of its Go fields.
std::string Shown(const authorization::NonResourceAttributes& attributes) {
  if (attributes.AsValue() == nullptr) return "null";
  return R"({"Path":)" + object::EncodeJson(object::Value::String(attributes.path())) +
         R"(,"Verb":)" + object::EncodeJson(object::Value::String(attributes.verb())) + "}";
}

std::string ShownText(std::string_view text) {
  return object::EncodeJson(object::Value::String(text));
}

// Whether metadata says nothing, managed fields aside and, within a namespace, that.
bool HasPlainMetadata(const object::Document& document, Scope scope) {
  const object::Value* metadata = document.root().Find("metadata");
  if (metadata == nullptr) return true;
  object::Document copy = document.Copy();
  object::Value& stripped = *copy.root().Find("metadata");
  stripped.Erase("managedFields");
  if (scope == Scope::kLocal) stripped.Erase("namespace");
  return object::DeepEqual(stripped, object::Value::EmptyObject(copy.arena(), stripped.type()));
}

std::vector<StatusCause> Validate(const Review& review, Scope scope) {
  std::vector<StatusCause> causes;
  const auto resource = review.resource();
  const auto non_resource = review.non_resource();
  const bool has_resource = resource.AsValue() != nullptr;
  const bool has_non_resource = non_resource.AsValue() != nullptr;
  if (has_resource && has_non_resource) {
    causes.push_back(
        object::InvalidValue("spec.nonResourceAttributes", Shown(non_resource),
                             "cannot be specified in combination with resourceAttributes"));
  }
  if (!has_resource && !has_non_resource) {
    causes.push_back(
        object::InvalidValue("spec.resourceAttributes", "null",
                             "exactly one of nonResourceAttributes or resourceAttributes "
                             "must be specified"));
  }
  if (scope != Scope::kSelf && review.user.name.empty() && review.user.groups.empty()) {
    causes.push_back(object::InvalidValue("spec.user", "\"\"",
                                          "at least one of user or group must be specified"));
  }
  if (has_resource) ValidateSelectors(resource, causes);
  if (!HasPlainMetadata(review.document, scope)) {
    causes.push_back(object::InvalidValue(
        "metadata", object::EncodeJson(*review.document.root().Find("metadata")),
        scope == Scope::kLocal ? "must be empty except for namespace" : "must be empty"));
  }
  if (scope != Scope::kLocal) return causes;
  if (has_resource && resource.namespace_() != MetadataText(review.document, "namespace")) {
    causes.push_back(object::InvalidValue("spec.resourceAttributes.namespace",
                                          ShownText(resource.namespace_()),
                                          "must match metadata.namespace"));
  }
  if (has_non_resource) {
    causes.push_back(object::InvalidValue("spec.nonResourceAttributes", Shown(non_resource),
                                          "disallowed on this kind of request"));
  }
  return causes;
}

serving::AccessAttributes AttributesOf(Review& review) {
  serving::AccessAttributes attributes;
  attributes.user = &review.user;
  const auto resource = review.resource();
  if (resource.AsValue() == nullptr) {
    attributes.path = review.non_resource().path();
    attributes.verb = review.non_resource().verb();
    return attributes;
  }
  attributes.is_resource = true;
  attributes.verb = resource.verb();
  attributes.group = resource.group();
  attributes.version = resource.version().empty() ? "*" : resource.version();
  attributes.resource = resource.resource();
  attributes.subresource = resource.subresource();
  attributes.name_space = resource.namespace_();
  attributes.name = resource.name();
  review.fields = FieldRequirementsOf(resource);
  review.labels = LabelRequirementsOf(resource);
  attributes.field_requirements = review.fields.requirements;
  attributes.label_requirements = review.labels.requirements;
  return attributes;
}

void WriteStatus(Review& review, const serving::AuthorizationResult& answer) {
  std::string error;
  for (const std::string& part :
       {answer.evaluation_error, review.fields.EvaluationError("fieldSelector"),
        review.labels.EvaluationError("labelSelector")}) {
    if (part.empty()) continue;
    if (!error.empty()) error += "; ";
    error += part;
  }
  Arena& arena = review.document.arena();
  object::Value status =
      object::Value::EmptyObject(arena, authorization::SubjectAccessReviewStatus::Type());
  if (answer.decision == serving::Decision::kAllow)
    status.Set(arena, "allowed", object::Value::Bool(true));
  if (answer.decision == serving::Decision::kDeny)
    status.Set(arena, "denied", object::Value::Bool(true));
  if (!answer.reason.empty()) {
    status.Set(arena, "reason", object::Value::String(arena.Copy(answer.reason)));
  }
  if (!error.empty())
    status.Set(arena, "evaluationError", object::Value::String(arena.Copy(error)));
  review.document.root().Set(arena, "status", status);
}

void Run(std::shared_ptr<Review> review, Scope scope, serving::Authorizer& authorizer) {
  if (auto causes = Validate(*review, scope); !causes.empty()) {
    // The kind is empty in Kubernetes' message, too.
    review->done(std::unexpected(object::InvalidObject(kGroup, "", "", std::move(causes))));
    return;
  }
  authorizer.Authorize(AttributesOf(*review), [review](serving::AuthorizationResult answer) {
    WriteStatus(*review, answer);
    review->done(std::move(review->document));
  });
}

serving::UserInfo UserOf(const authorization::SubjectAccessReviewSpec& spec) {
  serving::UserInfo user;
  user.name = spec.user();
  user.uid = spec.uid();
  for (const std::string_view group : spec.groups()) user.groups.emplace_back(group);
  for (const auto& [key, values] : spec.extra()) {
    user.extra.push_back({std::string(key), {values.begin(), values.end()}});
  }
  return user;
}

void SetList(object::Value& rule, Arena& arena, std::string_view field,
             const std::vector<std::string>& items) {
  if (items.empty()) return;
  object::Value list = object::Value::EmptyList();
  for (const std::string& item : items) list.Append(arena, object::Value::String(arena.Copy(item)));
  rule.Set(arena, field, list);
}

}  // namespace

void ReviewAccess(object::Document document, serving::Authorizer& authorizer, ReviewCallback done) {
  auto review = std::make_shared<Review>(Review{std::move(document), std::move(done)});
  review->user = UserOf(authorization::SubjectAccessReviewSpec(review->Spec()));
  Run(std::move(review), Scope::kAnybody, authorizer);
}

void ReviewLocalAccess(object::Document document, const std::string& name_space,
                       serving::Authorizer& authorizer, ReviewCallback done) {
  auto review = std::make_shared<Review>(Review{std::move(document), std::move(done)});
  if (MetadataText(review->document, "namespace").empty()) {
    authorization::MutableLocalSubjectAccessReview(review->document)
        .mutable_metadata()
        .set_namespace(name_space);
  } else if (MetadataText(review->document, "namespace") != name_space) {
    review->done(std::unexpected(
        Status(StatusReason::kBadRequest,
               "spec.resourceAttributes.namespace must match namespace: " + name_space)));
    return;
  }
  review->user = UserOf(authorization::SubjectAccessReviewSpec(review->Spec()));
  Run(std::move(review), Scope::kLocal, authorizer);
}

void ReviewOwnAccess(object::Document document, const serving::UserInfo& user,
                     serving::Authorizer& authorizer, ReviewCallback done) {
  auto review = std::make_shared<Review>(Review{std::move(document), std::move(done)});
  review->user = user;
  Run(std::move(review), Scope::kSelf, authorizer);
}

Result<object::Document> ReviewOwnRules(const object::Document& review,
                                        const serving::UserInfo& user, RuleResolver& rules) {
  const std::string_view name_space =
      authorization::SelfSubjectRulesReview(review).spec().namespace_();
  if (name_space.empty())
    return std::unexpected(Status(StatusReason::kBadRequest, "no namespace on request"));
  const UserRules found = rules.RulesFor(user, name_space);
  object::Document document = authorization::SelfSubjectRulesReview::New();
  Arena& arena = document.arena();
  object::Value resource_rules = object::Value::EmptyList();
  object::Value other_rules = object::Value::EmptyList();
  for (const PolicyRule& rule : found.rules) {
    if (!rule.resources.empty()) {
      object::Value value = object::Value::EmptyObject(arena, authorization::ResourceRule::Type());
      SetList(value, arena, "verbs", rule.verbs);
      SetList(value, arena, "apiGroups", rule.api_groups);
      SetList(value, arena, "resources", rule.resources);
      SetList(value, arena, "resourceNames", rule.resource_names);
      resource_rules.Append(arena, value);
    }
    if (!rule.non_resource_urls.empty()) {
      object::Value value =
          object::Value::EmptyObject(arena, authorization::NonResourceRule::Type());
      SetList(value, arena, "verbs", rule.verbs);
      SetList(value, arena, "nonResourceURLs", rule.non_resource_urls);
      other_rules.Append(arena, value);
    }
  }
  object::Value& status =
      authorization::MutableSelfSubjectRulesReview(document).mutable_status().AsValue();
  status.Set(arena, "resourceRules", resource_rules);
  status.Set(arena, "nonResourceRules", other_rules);
  if (found.incomplete) status.Set(arena, "incomplete", object::Value::Bool(true));
  if (!found.error.empty()) {
    status.Set(arena, "evaluationError", object::Value::String(arena.Copy(found.error)));
  }
  return document;
}

}  // namespace skiff::apiserver
