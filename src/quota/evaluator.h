// What objects use of the resources that a quota limits.
//
// There is an evaluator for pods, services, claims of volumes and claims of devices; of all other
// resources the objects are counted. Admission charges quotas with what evaluators say, and whoever
// recounts a quota adds up the same. Objects are in the stored version.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "object/scalar/time.h"
#include "object/value.h"
#include "quota/resource_list.h"
#include "views/core/v1.h"

namespace skiff::quota {

// One requirement of a quota's scopes.
struct ScopeRule {
  std::string scope;  // "PriorityClass"
  std::string op;     // "In", "NotIn", "Exists", "DoesNotExist"
  std::vector<std::string> values = {};

  explicit ScopeRule(std::string_view name) : scope(name), op("Exists") {}
  explicit ScopeRule(const views::core_v1::ScopedResourceSelectorRequirement& requirement);
  // {PriorityClass In [high low]}.
  std::string ToString() const;
};

// Those of spec.scopes, then those of spec.scopeSelector.
std::vector<ScopeRule> ScopesOf(const views::core_v1::ResourceQuota& quota);

enum class QuotaEvent : uint8_t { kCreate, kUpdate };

class QuotaEvaluator {
 public:
  virtual ~QuotaEvaluator() = default;

  // Whether this write may change what the object uses. `old` is null on a create.
  virtual bool Handles(QuotaEvent event, std::string_view subresource, const object::Document* old,
                       const object::Document& object) const = 0;
  // Those of the names that the evaluator knows about.
  virtual ResourceNames Matching(const ResourceNames& names) const = 0;
  // Objects of most resources have no scopes, and are in no quota that has.
  virtual bool knows_scopes() const { return false; }
  virtual Result<bool> IsInScope(const ScopeRule& rule, const object::Document& object) const {
    static_cast<void>(rule), static_cast<void>(object);
    return false;
  }
  // What the object would have to say to be charged for these resources; empty: it says it all.
  virtual std::string Missing(const ResourceNames& required, const object::Document& object) const {
    static_cast<void>(required), static_cast<void>(object);
    return {};
  }
  virtual ResourceList Usage(const object::Document& object, object::Timestamp now) const = 0;
};

// What evaluators need to know of other objects. Outlives them.
class QuotaLookups {
 public:
  virtual ~QuotaLookups() = default;
  // The extended resource that stands for devices of this class; empty: none.
  virtual std::string ExtendedResourceOf(std::string_view device_class) const = 0;
  // Whether a device class stands behind this extended resource.
  virtual bool HasDeviceClass(std::string_view extended_resource) const = 0;
  // Of a claim that was made for the extended resources of a pod: that pod; null: it is none.
  virtual std::shared_ptr<const object::Document> PodOfClaim(
      const object::Document& claim) const = 0;
};

std::unique_ptr<QuotaEvaluator> MakeQuotaEvaluator(std::string_view group,
                                                   std::string_view resource,
                                                   const QuotaLookups& lookups);

// Events and what is never stored count for nothing.
bool IsExemptFromQuotas(std::string_view group, std::string_view resource);

// "count/deployments.apps".
std::string ObjectCountName(std::string_view group, std::string_view resource);

// Whether the quota limits something that the object may use, and the object is in all its scopes.
// Only what the quota's status says is enforced: a quota that nobody has counted yet limits
// nothing.
Result<bool> QuotaCovers(const QuotaEvaluator& evaluator,
                         const views::core_v1::ResourceQuota& quota,
                         const object::Document& object);

}  // namespace skiff::quota
