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

namespace skiff::apiserver {

// A quota as it is stored now.
struct StoredQuota {
  object::Document document;
  store::Revision revision = {};
  // Charged, so that status.used of the document is no longer true.
  bool changed = false;
  quota::ResourceList used = {};
};

struct QuotaCharge {
  std::string_view group;
  std::string_view resource;
  std::string_view subresource;
  quota::QuotaEvent event;
  const object::Document& object;
  const object::Document* old;  // null on a create
  object::Timestamp now;
};

// Only increases are charged. kForbidden when a quota does not allow it, with the bare reason.
Result<void> ChargeQuotas(const QuotaCharge& charge, const quota::QuotaEvaluator& evaluator,
                          std::span<const LimitedResource> limited,
                          std::vector<StoredQuota>& quotas);

}  // namespace skiff::apiserver
