#include "apiserver/admission/resource_quota_charge.h"

#include <algorithm>
#include <string>
#include <utility>

#include "views/core/v1.h"
#include "views/meta/v1.h"

namespace skiff::apiserver {
namespace {

namespace core = views::core_v1;

std::unexpected<Status> Refuse(std::string why) {
  return Fail(StatusReason::kForbidden, std::move(why));
}

// A quota that covers the object.
struct CoveringQuota {
  StoredQuota* quota;
  std::string name;
  quota::ResourceList hard;
  quota::ResourceList used;
  quota::ResourceList increase = {};
};

class Charger {
 public:
  Charger(const QuotaCharge& charge, const quota::QuotaEvaluator& evaluator,
          std::span<const LimitedResource> limited)
      : charge_(charge), evaluator_(evaluator), limited_(limited) {}

  Result<void> Run(std::vector<StoredQuota>& quotas) {
    // Scopes that cannot be judged limit nothing.
    if (!FindLimitedScopes()) return {};
    SKIFF_RETURN_IF_ERROR(FindCovering(quotas));
    usage_ = evaluator_.Usage(charge_.object, charge_.now);
    SKIFF_RETURN_IF_ERROR(CheckNotNegative());
    SKIFF_ASSIGN_OR_RETURN(const bool any, FindIncreases());
    if (!any) return {};
    SKIFF_RETURN_IF_ERROR(CheckCoverage());
    for (CoveringQuota& each : covering_) SKIFF_RETURN_IF_ERROR(Add(each));
    return {};
  }

 private:
  Result<void> FindLimitedScopes() {
    if (!evaluator_.knows_scopes()) return {};
    for (const LimitedResource& limited : limited_) {
      for (const quota::ScopeRule& rule : limited.match_scopes) {
        SKIFF_ASSIGN_OR_RETURN(const bool in, evaluator_.IsInScope(rule, charge_.object));
        if (in) limited_scopes_.push_back(rule);
      }
    }
    return {};
  }

  Result<void> FindCovering(std::vector<StoredQuota>& quotas) {
    for (StoredQuota& quota : quotas) {
      const core::ResourceQuota view(quota.document);
      const std::string name(view.metadata().name());
      for (const quota::ScopeRule& rule : quota::ScopesOf(view)) {
        const Result<bool> in = evaluator_.IsInScope(rule, charge_.object);
        if (!in) {
          return Fail(StatusReason::kUnknown, "error matching scopes of quota " + name +
                                                  ", err: error on matching scope " +
                                                  rule.ToString() + ": " + in.error().message());
        }
        if (*in) covered_scopes_.insert(rule.scope);
      }
      SKIFF_ASSIGN_OR_RETURN(const bool covers,
                             quota::QuotaCovers(evaluator_, view, charge_.object));
      if (!covers) continue;
      CoveringQuota covering{&quota, name, quota::ToResourceList(view.status().hard()),
                             quota::ToResourceList(view.status().used())};
      SKIFF_RETURN_IF_ERROR(CheckUsable(covering));
      covering_.push_back(std::move(covering));
    }
    return {};
  }

  Result<void> CheckUsable(const CoveringQuota& quota) {
    quota::ResourceNames limited = evaluator_.Matching(quota::NamesOf(quota.hard));
    if (const std::string missing = evaluator_.Missing(limited, charge_.object); !missing.empty()) {
      return Refuse("failed quota: " + quota.name + ": " + missing);
    }
    for (const std::string& name : limited) {
      if (quota.used.contains(name)) continue;
      return Refuse("status unknown for quota: " + quota.name +
                    ", resources: " + quota::Describe(limited));
    }
    covered_.merge(limited);
    return {};
  }

  Result<void> CheckNotNegative() {
    quota::ResourceNames negative;
    for (const auto& [name, quantity] : usage_) {
      if (quantity.Sign() < 0) negative.insert(name);
    }
    if (negative.empty()) return {};
    return Refuse("quota usage is negative for resource(s): " + quota::Describe(negative));
  }

  // Whether the write uses more of anything.
  Result<bool> FindIncreases() {
    quota::ResourceList increase = usage_;
    if (charge_.old != nullptr) {
      increase = quota::IncreaseFrom(evaluator_.Usage(*charge_.old, charge_.now), usage_);
    }
    quota::RemoveZeros(increase);
    if (covering_.empty()) return !increase.empty();
    quota::ResourceList all = usage_;
    quota::RemoveZeros(all);
    bool any = false;
    for (CoveringQuota& each : covering_) {
      bool knew = charge_.old != nullptr;
      if (knew) {
        const core::ResourceQuota view(each.quota->document);
        SKIFF_ASSIGN_OR_RETURN(knew, quota::QuotaCovers(evaluator_, view, *charge_.old));
      }
      // An update that brings the object into the quota is charged in full.
      each.increase = knew ? increase : all;
      any |= !each.increase.empty();
    }
    return any;
  }

  // What the configuration limits must be covered by a quota.
  Result<void> CheckCoverage() {
    quota::ResourceNames uncovered;
    for (const LimitedResource& limited : limited_) {
      if (limited.group != charge_.group || limited.resource != charge_.resource) continue;
      for (const auto& [name, quantity] : usage_) {
        const bool matches = std::ranges::any_of(
            limited.match_contains,
            [&](const std::string& part) { return name.find(part) != std::string::npos; });
        if (quantity.Sign() > 0 && matches && !covered_.contains(name)) uncovered.insert(name);
      }
    }
    if (!uncovered.empty()) {
      return Refuse("insufficient quota to consume: " + quota::Describe(uncovered));
    }
    std::string scopes;
    for (const quota::ScopeRule& rule : limited_scopes_) {
      if (covered_scopes_.contains(rule.scope)) continue;
      if (!scopes.empty()) scopes += ' ';
      scopes += rule.ToString();
    }
    if (scopes.empty()) return {};
    return Fail(StatusReason::kUnknown,
                "insufficient quota to match these scopes: [" + scopes + "]");
  }

  Result<void> Add(CoveringQuota& covering) {
    const quota::ResourceList requested =
        quota::Masked(covering.increase, quota::NamesOf(covering.hard));
    if (requested.empty()) return {};
    quota::ResourceList used = covering.used;
    quota::AddTo(used, requested);
    quota::ResourceNames exceeded;
    for (const auto& [name, quantity] : requested) {
      if (used.at(name) > covering.hard.at(name)) exceeded.insert(name);
    }
    // What is already there may always be told.
    if (!exceeded.empty() && charge_.subresource != "status") {
      return Refuse("exceeded quota: " + covering.name +
                    ", requested: " + quota::Describe(quota::Masked(requested, exceeded)) +
                    ", used: " + quota::Describe(quota::Masked(covering.used, exceeded)) +
                    ", limited: " + quota::Describe(quota::Masked(covering.hard, exceeded)));
    }
    covering.quota->changed = true;
    covering.quota->used = std::move(used);
    return {};
  }

  const QuotaCharge& charge_;
  const quota::QuotaEvaluator& evaluator_;
  const std::span<const LimitedResource> limited_;
  std::vector<quota::ScopeRule> limited_scopes_;
  quota::ResourceNames covered_scopes_;
  quota::ResourceNames covered_;
  std::vector<CoveringQuota> covering_;
  quota::ResourceList usage_;
};

}  // namespace

Result<void> ChargeQuotas(const QuotaCharge& charge, const quota::QuotaEvaluator& evaluator,
                          std::span<const LimitedResource> limited,
                          std::vector<StoredQuota>& quotas) {
  return Charger(charge, evaluator, limited).Run(quotas);
}

}  // namespace skiff::apiserver
