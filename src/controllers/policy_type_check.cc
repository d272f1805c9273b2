#include "controllers/policy_type_check.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>

#include "cel/admission.h"
#include "cel/message_schema.h"
#include "cel/opaque.h"
#include "object/resource.h"

namespace skiff::controllers {
namespace {

const object::Value* Member(const object::Value* value, std::string_view name) {
  return value == nullptr ? nullptr : value->Find(name);
}
std::string_view Text(const object::Value* value, std::string_view name) {
  const object::Value* found = Member(value, name);
  return found != nullptr && found->is_string() ? found->AsText() : std::string_view();
}
std::span<const object::Value> Items(const object::Value* value, std::string_view name) {
  const object::Value* found = Member(value, name);
  return found != nullptr && found->is_list() ? found->items() : std::span<const object::Value>();
}

// Sorted; nothing if one of them is a wildcard.
std::vector<std::string> PlainTexts(const object::Value& rule, std::string_view name) {
  std::vector<std::string> out;
  for (const object::Value& each : Items(&rule, name)) {
    if (each.AsText().find('*') != std::string_view::npos) return {};
    out.emplace_back(each.AsText());
  }
  std::ranges::sort(out);
  return out;
}
// Subresources and wildcards are passed over.
std::vector<std::string> PlainResources(const object::Value& rule) {
  std::vector<std::string> out;
  for (const object::Value& each : Items(&rule, "resources")) {
    if (each.AsText().find_first_of("*/") == std::string_view::npos)
      out.emplace_back(each.AsText());
  }
  std::ranges::sort(out);
  return out;
}

// The built-in kind of parameters, if it is one.
std::optional<CheckedKind> ParamKindOf(const object::Value* spec) {
  const object::Value* kind = Member(spec, "paramKind");
  if (kind == nullptr) return std::nullopt;
  const object::MessageDesc* message =
      object::FindKind(Text(kind, "apiVersion"), Text(kind, "kind"));
  if (message == nullptr) return std::nullopt;
  return CheckedKind{{}, {}, std::string(Text(kind, "kind")), cel::SchemaOfMessage(*message)};
}

// Expressions against one kind.
class KindCheck {
 public:
  KindCheck(const object::Value* spec, const CheckedKind& kind,
            const std::optional<CheckedKind>& params)
      : compiler_(MakeEnvironment(spec, kind, params)) {
    for (const object::Value& each : Items(spec, "variables")) {
      compiler_.AddVariable(Text(&each, "name"), compiler_.Compile(Text(&each, "expression"),
                                                                   cel::AdmissionResult::kAny, {}));
    }
  }

  // Empty: nothing is wrong.
  std::string Check(std::string_view expression) {
    const cel::AdmissionExpression compiled =
        compiler_.Compile(expression, cel::AdmissionResult::kAny, {});
    if (compiled.error.empty() || compiled.is_internal) return {};
    constexpr std::string_view kPrefix = "compilation failed: ";
    return compiled.error.starts_with(kPrefix) ? compiled.error.substr(kPrefix.size())
                                               : compiled.error;
  }

 private:
  std::shared_ptr<const cel::Environment> MakeEnvironment(
      const object::Value* spec, const CheckedKind& kind,
      const std::optional<CheckedKind>& params) {
    auto out = std::make_shared<cel::Environment>(
        cel::Environment::Admission({.params = false, .authorizer = false}));
    const cel::Type* type = TypeOf(kind, *out);
    out->AddVariable("object", type);
    out->AddVariable("oldObject", type);
    out->AddVariable("authorizer", &cel::types::kAuthorizer);
    if (Member(spec, "paramKind") != nullptr) {
      out->AddVariable("params", params ? TypeOf(*params, *out) : &cel::types::kDyn);
    }
    return out;
  }
  const cel::Type* TypeOf(const CheckedKind& kind, cel::Environment& environment) {
    const cel::SchemaType* declared = types_.Declare(kind.schema, kind.is_custom);
    const cel::Type* type = cel::DeclareType(*declared, kind.kind, environment.types());
    return type == nullptr ? &cel::types::kDyn : type;
  }

  cel::SchemaTypes types_;
  cel::AdmissionCompiler compiler_;
};

}  // namespace

std::vector<RuleResource> RuleResources(const object::Value& policy) {
  std::vector<RuleResource> out;
  const object::Value* match = policy.FindPath({"spec", "matchConstraints"});
  for (const object::Value& rule : Items(match, "resourceRules")) {
    size_t of_rule = 0;
    for (const std::string& group : PlainTexts(rule, "apiGroups")) {
      for (const std::string& version : PlainTexts(rule, "apiVersions")) {
        for (const std::string& resource : PlainResources(rule)) {
          if (++of_rule <= kMaxTypesOfRule) out.push_back({group, version, resource});
        }
      }
    }
  }
  return out;
}

bool FindBuiltInKind(const RuleResource& resource, CheckedKind& out) {
  const object::ResourceDesc* found =
      object::FindResource(resource.group, resource.version, resource.resource);
  if (found == nullptr) return false;
  out = {resource.group, resource.version, std::string(found->kind_name),
         cel::SchemaOfMessage(*found->kind)};
  return true;
}

std::vector<ExpressionWarning> CheckPolicyTypes(const object::Value& policy,
                                                std::vector<CheckedKind> kinds) {
  const auto key = [](const CheckedKind& kind) {
    return std::tie(kind.group, kind.version, kind.kind);
  };
  std::ranges::sort(kinds, {}, key);
  const auto same = std::ranges::unique(kinds, {}, key);
  kinds.erase(same.begin(), same.end());
  const object::Value* spec = policy.Find("spec");
  const std::optional<CheckedKind> params = ParamKindOf(spec);
  std::vector<std::unique_ptr<KindCheck>> checks;
  for (const CheckedKind& kind : kinds) {
    checks.push_back(std::make_unique<KindCheck>(spec, kind, params));
  }
  std::vector<ExpressionWarning> out;
  const auto check = [&](std::string field_ref, std::string_view expression) {
    std::string warning;
    for (size_t i = 0; i < kinds.size(); ++i) {
      const std::string issues = checks[i]->Check(expression);
      if (issues.empty()) continue;
      warning += (warning.empty() ? "" : "\n") + kinds[i].group + "/" + kinds[i].version +
                 ", Kind=" + kinds[i].kind + ": " + issues + "\n";
    }
    if (!warning.empty()) out.push_back({std::move(field_ref), std::move(warning)});
  };
  const std::span<const object::Value> validations = Items(spec, "validations");
  for (size_t i = 0; i < validations.size(); ++i) {
    const std::string place = "spec.validations[" + std::to_string(i) + "].";
    check(place + "expression", Text(&validations[i], "expression"));
    const std::string_view message = Text(&validations[i], "messageExpression");
    if (!message.empty()) check(place + "messageExpression", message);
  }
  return out;
}

}  // namespace skiff::controllers
