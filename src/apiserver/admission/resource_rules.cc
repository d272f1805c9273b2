#include "apiserver/admission/resource_rules.h"

#include <algorithm>
#include <utility>

#include "apiserver/admission/request.h"
#include "apiserver/validation/value_fields.h"
#include "object/object_errors.h"
#include "object/open_kind.h"

namespace skiff::apiserver {
namespace {

constexpr std::string_view kAny = "*";
constexpr AdmissionOperation kOperations[] = {AdmissionOperation::kCreate,
                                              AdmissionOperation::kUpdate,
                                              AdmissionOperation::kDelete,
                                              AdmissionOperation::kConnect};

uint8_t BitOf(AdmissionOperation operation) {
  return static_cast<uint8_t>(1U << static_cast<unsigned>(operation));
}

std::vector<std::string> ReadTexts(const object::Value& rule, std::string_view field) {
  std::vector<std::string> out;
  for (const std::string_view text : TextsOf(&rule, field)) out.emplace_back(text);
  return out;
}

bool HasOrAny(const std::vector<std::string>& texts, std::string_view wanted) {
  return std::ranges::any_of(
      texts, [&](const std::string& text) { return text == kAny || text == wanted; });
}

// Null and {} select everything where a webhook or a policy has been given its defaults.
object::LabelSelector ReadSelector(const object::Value& match, std::string_view field,
                                   std::string& fault) {
  const object::Value* selector = FieldOf(&match, field);
  if (selector == nullptr || selector->is_null()) return object::LabelSelector::Everything();
  Result<object::LabelSelector> read = object::LabelSelector::FromValue(selector);
  if (read) return std::move(*read);
  if (fault.empty()) fault = read.error().message();
  return object::LabelSelector::Everything();
}

std::vector<ResourceRule> ReadRules(const object::Value& match, std::string_view field) {
  std::vector<ResourceRule> out;
  for (const object::Value* rule : ItemsOf(&match, field)) out.push_back(ReadResourceRule(*rule));
  return out;
}

const object::Value* LabelsOf(const object::Document* object) {
  return object == nullptr ? nullptr : object->root().FindPath({"metadata", "labels"});
}

// Versions of a resource share its hub; events of two groups share no more than their place.
bool AreStoredAlike(const object::ResourceDesc& a, const object::ResourceDesc& b) {
  if (a.hub == b.hub) return true;
  const object::StorageDesc* storage = a.hub->storage;
  const object::StorageDesc* other = b.hub->storage;
  return storage != nullptr && other != nullptr && storage->prefix == other->prefix;
}

}  // namespace

MatchedResource MatchedResourceOf(const object::ResourceDesc& resource,
                                  std::string_view subresource) {
  if (subresource.empty()) return {&resource, resource.kind};
  const object::SubresourceDesc* found = resource.FindSubresource(subresource);
  return {&resource, found == nullptr ? nullptr : found->kind};
}

ResourceRule ReadResourceRule(const object::Value& rule) {
  ResourceRule out;
  for (const std::string_view text : TextsOf(&rule, "operations")) {
    for (const AdmissionOperation each : kOperations) {
      if (text == kAny || text == OperationName(each)) out.operations |= BitOf(each);
    }
  }
  const std::string_view scope = TextOf(&rule, "scope");
  if (scope == "Cluster") out.scope = ResourceRule::Scope::kCluster;
  if (scope == "Namespaced") out.scope = ResourceRule::Scope::kNamespaced;
  out.groups = ReadTexts(rule, "apiGroups");
  out.versions = ReadTexts(rule, "apiVersions");
  out.names = ReadTexts(rule, "resourceNames");
  for (const std::string_view text : TextsOf(&rule, "resources")) {
    const size_t slash = text.find('/');
    const bool has_subresource = slash != text.npos;
    out.resources.push_back({std::string(text.substr(0, slash)),
                             std::string(has_subresource ? text.substr(slash + 1) : "")});
  }
  return out;
}

MatchCriteria ReadMatchCriteria(const object::Value& match, std::string_view rules_field) {
  MatchCriteria out;
  out.rules = ReadRules(match, rules_field);
  out.excluded = ReadRules(match, "excludeResourceRules");
  out.equivalent = TextOf(&match, "matchPolicy") == "Equivalent";
  out.namespaces = ReadSelector(match, "namespaceSelector", out.fault);
  out.objects = ReadSelector(match, "objectSelector", out.fault);
  return out;
}

RequestFacts::RequestFacts(const AdmissionRequest& request, Namespaces& namespaces,
                           const std::function<bool(const object::ResourceDesc&)>& is_served)
    : request_(request),
      namespaces_(namespaces),
      is_served_(is_served),
      asked_(MatchedResourceOf(request.resource, request.subresource)),
      name_space_(request.name_space),
      is_namespace_(IsOf(request, "", "namespaces")) {
  // The path of a namespace names it as the namespace too; that of a new one does not.
  const bool is_new = request.operation == AdmissionOperation::kCreate && request.old == nullptr &&
                      request.subresource.empty();
  if (is_namespace_) name_space_ = is_new ? std::string_view() : request.name;
}

std::string_view RequestFacts::name() const { return NameOf(request_); }

std::span<const MatchedResource> RequestFacts::equivalents() const {
  if (equivalents_) return *equivalents_;
  equivalents_.emplace();
  if (const object::OpenKind* open = request_.resource.kind->open; open != nullptr) {
    for (const object::ResourceDesc* each : open->Served()) {
      if (each == &request_.resource) continue;
      const MatchedResource other = MatchedResourceOf(*each, request_.subresource);
      if (other.kind != nullptr) equivalents_->push_back(other);
    }
    return *equivalents_;
  }
  for (const object::GroupVersionInfo& version : object::ServedGroupVersions()) {
    for (const object::ResourceDesc& each : version.resources) {
      if (!AreStoredAlike(each, request_.resource) || &each == &request_.resource) continue;
      if (is_served_ ? !is_served_(each) : !version.enabled_by_default) continue;
      const MatchedResource other = MatchedResourceOf(each, request_.subresource);
      if (other.kind != nullptr) equivalents_->push_back(other);
    }
  }
  return *equivalents_;
}

Result<const NamespaceState*> RequestFacts::Namespace() const {
  if (namespace_ == nullptr) namespace_ = namespaces_.Find({}, name_space_);
  if (namespace_ == nullptr) {
    return std::unexpected(object::NotFoundObject("", "namespaces", name_space_));
  }
  return namespace_.get();
}

Result<const object::Value*> RequestFacts::NamespaceObject() const {
  if (name_space_.empty() || is_namespace_) return nullptr;
  SKIFF_ASSIGN_OR_RETURN(const NamespaceState* found, Namespace());
  return &found->document.root();
}

bool RequestFacts::Matches(const ResourceRule& rule, const MatchedResource& as) const {
  if ((rule.operations & BitOf(request_.operation)) == 0) return false;
  const auto is_resource = [&](const ResourceRule::Resource& each) {
    return (each.resource == kAny || each.resource == as.resource->name) &&
           (each.subresource == kAny || each.subresource == request_.subresource);
  };
  if (!std::ranges::any_of(rule.resources, is_resource)) return false;
  if (!HasOrAny(rule.groups, as.group()) || !HasOrAny(rule.versions, as.version())) return false;
  if (rule.scope == ResourceRule::Scope::kAll) return true;
  const bool in_namespace = !is_namespace_ && !name_space_.empty();
  return in_namespace == (rule.scope == ResourceRule::Scope::kNamespaced);
}

std::optional<MatchedResource> RequestFacts::MatchRules(std::span<const ResourceRule> rules,
                                                        bool equivalent) const {
  const auto has_name = [&](const ResourceRule& rule) {
    return rule.names.empty() || std::ranges::find(rule.names, name()) != rule.names.end();
  };
  for (const ResourceRule& rule : rules) {
    if (Matches(rule, asked_) && has_name(rule)) return asked_;
  }
  if (!equivalent) return std::nullopt;
  for (const ResourceRule& rule : rules) {
    for (const MatchedResource& other : equivalents()) {
      if (Matches(rule, other) && has_name(rule)) return other;
    }
  }
  return std::nullopt;
}

Result<bool> RequestFacts::MatchNamespace(const object::LabelSelector& selector) const {
  const bool names_namespaces = request_.resource.name == "namespaces";
  if ((name_space_.empty() && !names_namespaces) || selector.empty()) return true;
  const bool brings_labels = names_namespaces && request_.subresource.empty() &&
                             (Creates(request_) || Updates(request_));
  if (brings_labels) return selector.Matches(LabelsOf(request_.object));
  SKIFF_ASSIGN_OR_RETURN(const NamespaceState* found, Namespace());
  return selector.Matches(found->labels());
}

bool RequestFacts::MatchObject(const object::LabelSelector& selector) const {
  if (selector.empty()) return true;
  // Options of a connection have no labels, not even none.
  const auto matches = [&](const object::Document* object) {
    return object != nullptr && object->root().Find("metadata") != nullptr &&
           selector.Matches(LabelsOf(object));
  };
  return matches(request_.object) || matches(request_.old);
}

Result<std::optional<MatchedResource>> RequestFacts::Match(const MatchCriteria& criteria) const {
  std::optional<MatchedResource> found;
  if (criteria.rules.empty() && criteria.no_rules_match_all) {
    found = asked_;
  } else {
    found = MatchRules(criteria.rules, criteria.equivalent);
  }
  if (!found) return std::nullopt;
  if (!criteria.excluded.empty() && MatchRules(criteria.excluded, criteria.equivalent)) {
    return std::nullopt;
  }
  if (!criteria.fault.empty()) {
    return Fail(StatusReason::kInternalError, "Internal error occurred: " + criteria.fault);
  }
  // The object's own labels are at hand; a namespace may be missing.
  if (!MatchObject(criteria.objects)) return std::nullopt;
  SKIFF_ASSIGN_OR_RETURN(const bool in_namespace, MatchNamespace(criteria.namespaces));
  if (!in_namespace) return std::nullopt;
  return found;
}

}  // namespace skiff::apiserver
