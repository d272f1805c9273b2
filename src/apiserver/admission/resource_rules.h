// Which requests a policy or a webhook is about: rules of resources, selectors of namespaces and
// objects, and requests that come to the same in another version of the resource.
//
// Criteria are compiled once and immutable; any thread matches them. A RequestFacts belongs to one
// request and one thread. Rules are looked at before selectors, since they cost next to nothing; a
// fault of a selector counts only where the rules match, so that the order cannot be seen.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/admission/lookups.h"
#include "apiserver/rest/admission.h"
#include "base/status.h"
#include "object/resource.h"
#include "object/selector/label_selector.h"
#include "object/value.h"

namespace skiff::apiserver {

// A resource or subresource in one of its versions, with its kind.
struct MatchedResource {
  const object::ResourceDesc* resource = nullptr;
  const object::MessageDesc* kind = nullptr;

  std::string_view group() const { return resource->version->desc->group; }
  std::string_view version() const { return resource->version->desc->version; }
};
// Of the resource, or of its subresource if a name is given; null kind: it has no such.
MatchedResource MatchedResourceOf(const object::ResourceDesc& resource,
                                  std::string_view subresource);

// One of `rules` of a webhook, or a resource rule of a policy.
struct ResourceRule {
  enum class Scope : uint8_t { kAll, kCluster, kNamespaced };
  struct Resource {
    std::string resource;
    std::string subresource;
  };
  uint8_t operations = 0;  // a bit for each AdmissionOperation
  Scope scope = Scope::kAll;
  std::vector<std::string> groups;
  std::vector<std::string> versions;
  std::vector<Resource> resources;
  std::vector<std::string> names;  // empty: any
};
ResourceRule ReadResourceRule(const object::Value& rule);

struct MatchCriteria {
  std::vector<ResourceRule> rules;
  bool no_rules_match_all = false;  // of bindings
  std::vector<ResourceRule> excluded;
  bool equivalent = true;  // matchPolicy
  object::LabelSelector namespaces = object::LabelSelector::Everything();
  object::LabelSelector objects = object::LabelSelector::Everything();
  // Why a selector cannot be used; empty: it can.
  std::string fault = {};
};
// Of a MatchResources, or of a webhook, which calls its rules `rules` and has no excluded ones.
MatchCriteria ReadMatchCriteria(const object::Value& match, std::string_view rules_field);

struct NamespaceState {
  explicit NamespaceState(object::Document& found) : document(std::move(found)) {}
  object::Document document;
  const object::Value* labels() const {
    return document.root().FindPath({"metadata", "labels"});
  }
};
using Namespaces = Remembered<NamespaceState>;

class RequestFacts {
 public:
  // Both outlive it. `is_served` as in PluginContext.
  RequestFacts(const AdmissionRequest& request, Namespaces& namespaces,
               const std::function<bool(const object::ResourceDesc&)>& is_served);

  const AdmissionRequest& request() const { return request_; }
  const MatchedResource& asked() const { return asked_; }
  // Of the namespace itself its name.
  std::string_view name_space() const { return name_space_; }
  std::string_view name() const;
  bool is_namespace() const { return is_namespace_; }
  // Other versions of the resource that are served.
  std::span<const MatchedResource> equivalents() const;
  // The namespace in which the object is; null: it has none, or is one. Fails with kNotFound.
  Result<const object::Value*> NamespaceObject() const;

  // As what the criteria see the request; nothing: they do not match.
  Result<std::optional<MatchedResource>> Match(const MatchCriteria& criteria) const;

 private:
  bool Matches(const ResourceRule& rule, const MatchedResource& as) const;
  std::optional<MatchedResource> MatchRules(std::span<const ResourceRule> rules,
                                            bool equivalent) const;
  Result<bool> MatchNamespace(const object::LabelSelector& selector) const;
  bool MatchObject(const object::LabelSelector& selector) const;
  Result<const NamespaceState*> Namespace() const;

  const AdmissionRequest& request_;
  Namespaces& namespaces_;
  const std::function<bool(const object::ResourceDesc&)>& is_served_;
  MatchedResource asked_;
  std::string_view name_space_;
  bool is_namespace_;
  mutable std::optional<std::vector<MatchedResource>> equivalents_;
  mutable std::shared_ptr<const NamespaceState> namespace_;
};

}  // namespace skiff::apiserver
