#include "apiserver/registry/policy/pod_disruption_budget_normal_form.h"

#include "apiserver/convert/normal_bytes.h"
#include "apiserver/convert/old_names.h"
#include "views/meta/v1.h"
#include "views/policy/v1.h"

namespace skiff::apiserver {
namespace {

std::string_view ValueText(const object::Value* value) {
  return value == nullptr ? std::string_view() : value->AsText();
}

// A selector that is nothing but the mark, meaning that no pod matches, is left alone.
Result<void> NormalizeBudget(object::Value& budget, Arena&) {
  object::Value* const selector = FindNested(budget, {"spec", "selector"});
  object::Value* const expressions =
      selector == nullptr ? nullptr : selector->Find("matchExpressions");
  if (expressions == nullptr || expressions->size() == 0) return {};
  const object::Value* const labels = selector->Find("matchLabels");
  const views::meta_v1::LabelSelectorRequirement first(&expressions->items()[0]);
  if (expressions->size() == 1 && (labels == nullptr || labels->size() == 0) &&
      first.key() == kEmptySelectorMatch && first.operator_() == "Exists" &&
      first.values().empty()) {
    return {};
  }
  expressions->EraseItemsIf(
      [](const object::Value& each) { return ValueText(each.Find("key")) == kEmptySelectorMatch; });
  if (expressions->size() == 0) selector->Erase("matchExpressions");
  return {};
}

bool IsNormalBudget(std::string_view budget) {
  static const object::WirePath expressions = object::WirePath::Of(
      views::policy_v1::PodDisruptionBudget::Type(), "spec.selector.matchExpressions");
  return IsAbsent(expressions, budget);
}

}  // namespace

constinit const NormalForm kPodDisruptionBudgetNormalForm = {
    views::policy_v1::PodDisruptionBudget::Type, NormalizeBudget, IsNormalBudget};

}  // namespace skiff::apiserver
