// The evaluators that do more than count, and what they share. For evaluator.cc and each other.
#pragma once

#include <memory>
#include <optional>
#include <string_view>

#include "object/selector/label_selector.h"
#include "quota/evaluator.h"

namespace skiff::quota {

std::unique_ptr<QuotaEvaluator> MakePodEvaluator();
std::unique_ptr<QuotaEvaluator> MakeServiceEvaluator();
std::unique_ptr<QuotaEvaluator> MakeVolumeClaimEvaluator();
std::unique_ptr<QuotaEvaluator> MakeDeviceClaimEvaluator(const QuotaLookups& lookups);

// What a pod uses, as the pods' evaluator says.
ResourceList PodUsage(const views::core_v1::Pod& pod, object::Timestamp now);

// Whether the rule of a scope that has values holds for this one, or for none.
Result<bool> ScopeSelects(const ScopeRule& rule, const std::optional<std::string_view>& value);

// The name, in a quota, of requests of an extended resource.
bool IsExtendedQuotaName(std::string_view name);

}  // namespace skiff::quota
