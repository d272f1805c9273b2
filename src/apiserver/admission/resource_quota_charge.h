// What one write costs the quotas of its namespace, and whether they can bear it.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "apiserver/admission/resource_quota_config.h"
#include "base/status.h"
#include "object/value.h"
#include "quota/evaluator.h"
#include "quota/resource_list.h"
#include "store/store.h"

namespace skiff {

// A quota as it is stored now.
struct StoredQuota {
  Document document;
  Revision revision = {};
  // Charged, so that status.used of the document is no longer true.
  bool changed = false;
  ResourceList used = {};
};

struct QuotaCharge {
  std::string_view group;
  std::string_view resource;
  std::string_view subresource;
  QuotaEvent event;
  const Document& object;
  const Document* old;  // null on a create
  Timestamp now;
};

// Only increases are charged. kForbidden when a quota does not allow it, with the bare reason.
Result<void> ChargeQuotas(const QuotaCharge& charge, const QuotaEvaluator& evaluator,
                          std::span<const LimitedResource> limited,
                          std::vector<StoredQuota>& quotas);

}  // namespace skiff
