#include "apiserver/authz/selector_attributes.h"

#include <optional>

#include "object/json/encode.h"
#include "object/object_errors.h"
#include "object/scalar/names.h"
#include "object/selector/field_selector.h"
#include "object/selector/label_selector.h"

namespace skiff::apiserver {
namespace {

namespace authorization = views::authorization_k8s_io_v1;

constexpr char kPath[] = "spec.resourceAttributes.";

std::string Shown(std::string_view text) { return object::EncodeJson(object::Value::String(text)); }

std::vector<std::string> Strings(object::ListView<std::string_view> list) {
  return {list.begin(), list.end()};
}

void ValidateValues(std::string_view op, bool has_values, const std::string& path,
                    std::vector<StatusCause>& causes) {
  if ((op == "In" || op == "NotIn") && !has_values) {
    causes.push_back(object::RequiredValue(path + ".values",
                                           "must be specified when `operator` is 'In' or 'NotIn'"));
  }
  if ((op == "Exists" || op == "DoesNotExist") && has_values) {
    causes.push_back({.reason = "FieldValueForbidden",
                      .message = "Forbidden: may not be specified when `operator` is 'Exists' or "
                                 "'DoesNotExist'",
                      .field = path + ".values"});
  }
}

void ValidateForm(std::string_view raw, bool has_requirements, const std::string& path,
                  std::vector<StatusCause>& causes) {
  if (!raw.empty() && has_requirements) {
    causes.push_back(object::InvalidValue(path + ".rawSelector", Shown(raw),
                                          "may not specified at the same time as requirements"));
  }
  if (raw.empty() && !has_requirements) {
    causes.push_back(object::RequiredValue(
        path + ".requirements",
        "when " + path + " is specified, requirements or rawSelector is required"));
  }
}

std::string ItemPath(const std::string& path, size_t index) {
  return path + ".requirements[" + std::to_string(index) + "]";
}

void ValidateLabels(const authorization::LabelSelectorAttributes& selector,
                    std::vector<StatusCause>& causes) {
  const std::string path = std::string(kPath) + "labelSelector";
  ValidateForm(selector.raw_selector(), !selector.requirements().empty(), path, causes);
  for (size_t i = 0; i < selector.requirements().size(); ++i) {
    const auto requirement = selector.requirements()[i];
    const std::string item = ItemPath(path, i);
    ValidateValues(requirement.operator_(), !requirement.values().empty(), item, causes);
    for (const std::string& problem : object::CheckQualifiedName(requirement.key())) {
      causes.push_back(object::InvalidValue(item + ".key", Shown(requirement.key()), problem));
    }
    for (size_t j = 0; j < requirement.values().size(); ++j) {
      const std::string_view value = requirement.values()[j];
      for (const std::string& problem : object::CheckLabelValue(value)) {
        causes.push_back(object::InvalidValue(item + ".values[" + std::to_string(j) + "]",
                                              Shown(value), problem));
      }
    }
  }
}

void ValidateFields(const authorization::FieldSelectorAttributes& selector,
                    std::vector<StatusCause>& causes) {
  const std::string path = std::string(kPath) + "fieldSelector";
  ValidateForm(selector.raw_selector(), !selector.requirements().empty(), path, causes);
  for (size_t i = 0; i < selector.requirements().size(); ++i) {
    const auto requirement = selector.requirements()[i];
    const std::string item = ItemPath(path, i);
    if (requirement.key().empty()) {
      causes.push_back(object::RequiredValue(item + ".key", "must be specified"));
    }
    ValidateValues(requirement.operator_(), !requirement.values().empty(), item, causes);
  }
}

std::string_view OperatorText(object::LabelOperator op) {
  switch (op) {
    case object::LabelOperator::kEquals:
      return "=";
    case object::LabelOperator::kDoubleEquals:
      return "==";
    case object::LabelOperator::kNotEquals:
      return "!=";
    case object::LabelOperator::kIn:
      return "in";
    case object::LabelOperator::kNotIn:
      return "notin";
    case object::LabelOperator::kExists:
      return "exists";
    case object::LabelOperator::kDoesNotExist:
      return "!";
    case object::LabelOperator::kGreaterThan:
      return "gt";
    case object::LabelOperator::kLessThan:
      return "lt";
  }
  return {};
}

std::optional<object::LabelOperator> LabelOperatorOf(std::string_view name) {
  if (name == "In") return object::LabelOperator::kIn;
  if (name == "NotIn") return object::LabelOperator::kNotIn;
  if (name == "Exists") return object::LabelOperator::kExists;
  if (name == "DoesNotExist") return object::LabelOperator::kDoesNotExist;
  return std::nullopt;
}

void Append(SelectorRequirements& out, const object::LabelRequirement& requirement) {
  out.requirements.push_back(
      {requirement.key(), std::string(OperatorText(requirement.op())), requirement.values()});
}

}  // namespace

void ValidateSelectors(const authorization::ResourceAttributes& attributes,
                       std::vector<StatusCause>& causes) {
  if (attributes.has_field_selector()) ValidateFields(attributes.field_selector(), causes);
  if (attributes.has_label_selector()) ValidateLabels(attributes.label_selector(), causes);
}

std::string SelectorRequirements::EvaluationError(std::string_view selector) const {
  if (!has_faults) return {};
  return std::string(kPath) + std::string(selector) +
         (requirements.empty() ? " ignored" : " partially ignored") + " due to parse error";
}

SelectorRequirements FieldRequirementsOf(const authorization::ResourceAttributes& attributes) {
  SelectorRequirements out;
  const auto selector = attributes.field_selector();
  if (!selector.raw_selector().empty()) {
    const auto parsed = object::FieldSelector::Parse(selector.raw_selector());
    out.has_faults = !parsed.has_value();
    if (parsed) {
      for (const object::FieldTerm& term : parsed->terms()) {
        out.requirements.push_back({term.field, term.negated ? "!=" : "=", {term.value}});
      }
    }
  }
  for (const auto requirement : selector.requirements()) {
    const std::string_view op = requirement.operator_();
    if (requirement.values().size() == 1 && (op == "In" || op == "NotIn")) {
      out.requirements.push_back(
          {std::string(requirement.key()), op == "In" ? "=" : "!=", Strings(requirement.values())});
    } else {
      out.has_faults = true;
    }
  }
  return out;
}

SelectorRequirements LabelRequirementsOf(const authorization::ResourceAttributes& attributes) {
  SelectorRequirements out;
  const auto selector = attributes.label_selector();
  if (!selector.raw_selector().empty()) {
    const auto parsed = object::LabelSelector::Parse(selector.raw_selector());
    out.has_faults = !parsed.has_value();
    if (parsed) {
      for (const object::LabelRequirement& requirement : parsed->requirements())
        Append(out, requirement);
    }
  }
  for (const auto requirement : selector.requirements()) {
    const auto op = LabelOperatorOf(requirement.operator_());
    if (!op) {
      out.has_faults = true;
      continue;
    }
    const auto made = object::LabelRequirement::Make(std::string(requirement.key()), *op,
                                                     Strings(requirement.values()));
    if (made) {
      Append(out, *made);
    } else {
      out.has_faults = true;
    }
  }
  return out;
}

}  // namespace skiff::apiserver
