#include "apiserver/registry/policy/pod_disruption_budget_conversion.h"

#include "apiserver/convert/old_names.h"
#include "views/meta/v1.h"
#include "views/policy/v1.h"
#include "views/policy/v1beta1.h"

namespace skiff::apiserver {
namespace {

bool IsEmptySelector(const object::Value& selector) {
  for (const std::string_view part : {"matchLabels", "matchExpressions"}) {
    const object::Value* const found = selector.Find(part);
    if (found != nullptr && found->size() != 0) return false;
  }
  return true;
}

// Nothing but a requirement that the mark is there, or is not.
bool IsMark(const object::Value& selector, std::string_view wanted) {
  const object::Value* const labels = selector.Find("matchLabels");
  const object::Value* const expressions = selector.Find("matchExpressions");
  if (labels != nullptr && labels->size() != 0) return false;
  if (expressions == nullptr || expressions->size() != 1) return false;
  const views::meta_v1::LabelSelectorRequirement only(&expressions->items()[0]);
  return only.key() == kEmptySelectorMatch && only.operator_() == wanted && only.values().empty();
}

void TurnSelector(const object::Value& from, object::Value& out, Copier& copier) {
  const object::Value* const before = from.FindPath({"spec", "selector"});
  if (before == nullptr || !before->is_object()) return;
  object::Value& selector = copier.Obtain(copier.Obtain(out, "spec"), "selector");
  if (IsMark(*before, "DoesNotExist")) {
    selector.Erase("matchExpressions");
  } else if (IsEmptySelector(*before)) {
    object::Value none = object::Value::EmptyObject(
        copier.arena(), views::meta_v1::LabelSelectorRequirement::Type());
    copier.PutText(none, "key", kEmptySelectorMatch);
    copier.PutText(none, "operator", "Exists");
    selector.Set(copier.arena(), "matchExpressions",
                 object::Value::List(copier.arena(), {&none, 1}));
  }
}

constexpr ConversionRule kConversions[] = {
    {views::policy_v1beta1::PodDisruptionBudget::Type, views::policy_v1::PodDisruptionBudget::Type,
     TurnSelector},
};

}  // namespace

std::span<const ConversionRule> BudgetConversions() { return kConversions; }

}  // namespace skiff::apiserver
