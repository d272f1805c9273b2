#include "cel/cases/eval_case.h"

#include <map>
#include <memory>
#include <optional>

#include "cel/authorizer.h"
#include "cel/cases/record_text.h"
#include "cel/cases/tagged.h"
#include "cel/cost_estimate.h"
#include "cel/document_view.h"
#include "cel/evaluation.h"
#include "cel/program.h"
#include "cel/schema_types.h"
#include "object/selector/field_selector.h"
#include "object/selector/label_selector.h"

namespace skiff::cel {
namespace {

uint64_t Number(const object::Value* value) {
  if (value == nullptr) return 0;
  if (value->tag() == object::Tag::kUint) return value->AsUint();
  if (value->tag() == object::Tag::kDouble) {
    return value->AsDouble() >= 18446744073709551615.0 ? UINT64_MAX
                                                       : static_cast<uint64_t>(value->AsDouble());
  }
  return static_cast<uint64_t>(value->AsInt());
}

// The one that was recorded.
class RecordedAuthorizer final : public Authorizer {
 public:
  AuthorizerDecision Authorize(const AuthorizerRequest& request) const override {
    AuthorizerDecision decision;
    decision.allowed = request.verb == "get" || request.verb == "list";
    if (request.verb == "fail") decision.error = "fake authorizer error";
    decision.reason = "user=" + request.user.name + " verb=" + request.verb +
                      " group=" + request.group + " resource=" + request.resource +
                      " sub=" + request.subresource + " ns=" + request.resource_namespace +
                      " name=" + request.name + " path=" + request.path +
                      " res=" + (request.is_resource ? "true" : "false") +
                      " fs=" + std::to_string(FieldCount(request.field_selector)) +
                      " ls=" + std::to_string(LabelCount(request.label_selector));
    return decision;
  }

 private:
  static size_t FieldCount(const std::string& text) {
    const auto selector = object::FieldSelector::Parse(text);
    return selector ? selector->terms().size() : 0;
  }
  static size_t LabelCount(const std::string& text) {
    const auto selector = object::LabelSelector::Parse(text);
    return selector ? selector->requirements().size() : 0;
  }
};

std::string ExpressionOf(const object::Value& record) {
  const object::Value* repeat = record.Find("exprRepeat");
  if (repeat == nullptr) return std::string(Text(record, "expr"));
  const auto parts = repeat->items();
  std::string out(parts[0].AsText());
  for (int64_t i = 0; i < parts[2].AsInt(); ++i) out += parts[1].AsText();
  return out + std::string(parts[3].AsText());
}

class EvalCase {
 public:
  EvalCase(const object::Value& record, const object::Value* context)
      : record_(record), expect_(*record.Find("expect")), context_(context) {}

  std::string Run() {
    Declare();
    const CompileResult compiled = Compile(ExpressionOf(record_), environment_);
    const std::string_view outcome = Text(expect_, "outcome");
    if (outcome == "crash") return {};
    if (!compiled.issues.empty()) return CompareIssues(compiled, outcome);
    if (outcome == "compile-error") {
      return "compiled, not: " + std::string(Text(expect_, "text"));
    }
    std::string difference = CompareTypes(compiled);
    if (compiled.program == nullptr) {
      if (outcome != "program-error") {
        return "program error " + compiled.program_error + "; " + difference;
      }
      Expect(difference, "error", compiled.program_error, Text(expect_, "error"));
      return difference;
    }
    if (outcome == "program-error") return "no program error; " + difference;
    return difference + Evaluate(*compiled.program, outcome);
  }

 private:
  const object::Value* Input(std::string_view name) const {
    if (const object::Value* own = record_.Find(name)) return own;
    return context_ == nullptr ? nullptr : context_->Find(name);
  }
  static void Expect(std::string& out, std::string_view what, std::string_view got,
                     std::string_view expected) {
    if (got == expected) return;
    out += std::string(what) + " " + std::string(got) + ", not " + std::string(expected) + "; ";
  }

  void Declare() {
    const object::Value* env = Input("env");
    const std::string_view name = env == nullptr ? "" : env->AsText();
    const auto base = name == "vap"   ? Environment::Admission()
                      : name == "map" ? Environment::Mutation()
                                      : Environment::Base();
    auto environment = std::make_shared<Environment>(base);
    if (const object::Value* vars = Input("vars")) {
      for (const object::MapEntry& entry : vars->entries()) DeclareOne(*environment, entry);
    }
    environment_ = environment;
  }
  void DeclareOne(Environment& environment, const object::MapEntry& entry) {
    Types& types = environment.types();
    const object::Value* schema = entry.value.Find("schema");
    if (schema == nullptr) {
      environment.AddVariable(entry.key, types.Parse(Text(entry.value, "type")));
      return;
    }
    const auto flag = [&](std::string_view name) {
      const object::Value* value = entry.value.Find(name);
      return value != nullptr && value->AsBool();
    };
    const SchemaType* declared = schema_types_.Declare(ReadSchema(*schema), flag("root"));
    schemas_[std::string(entry.key)] = declared;
    if (first_schema_ == nullptr) first_schema_ = declared;
    const Type* type =
        declared->is_visible ? DeclareType(*declared, "selfType", types) : &types::kDyn;
    environment.AddVariable(entry.key, flag("optional") ? types.Optional(type) : type);
  }

  Val ValueOf(const std::string& name) {
    if (name == "authorizer") return AuthorizerVal(evaluation_, authorizer_, "alice");
    if (name == "authorizer.requestResource") {
      AuthorizerRequest request;
      request.user.name = "alice";
      request.is_resource = true;
      request.group = "apps";
      request.resource = "deployments";
      request.resource_namespace = "myns";
      request.name = "myname";
      return ResourceCheckVal(evaluation_, authorizer_, request);
    }
    const object::Value* values = Input("values");
    const object::Value* given = values == nullptr ? nullptr : values->Find(name);
    if (given == nullptr) return Input("env") != nullptr ? Val::Null() : Val();
    if (given->Find("none") != nullptr) return Val::OptionalNone();
    const auto schema = schemas_.find(name);
    Val value;
    if (const object::Value* json = given->Find("json")) {
      value = FromDocument(evaluation_.arena(), *json,
                           schema == schemas_.end() ? nullptr : schema->second);
    } else {
      value = FromTagged(evaluation_.arena(), *given->Find("val"));
    }
    const Type* type = environment_->FindVariable(name);
    if (schema != schemas_.end() && type != nullptr && type->is_optional()) {
      value = Val::OptionalOf(evaluation_.arena(), value);
    }
    return value;
  }

  std::string CompareIssues(const CompileResult& compiled, std::string_view outcome) const {
    if (outcome != "compile-error") return "does not compile: " + compiled.display;
    const std::string_view kind = Text(expect_, "class");
    const object::Value& expected = *expect_.Find("errors");
    if (kind == "limit") return {};
    const auto number = [](const object::Value& issue, std::string_view name) {
      return issue.Find(name)->AsInt();
    };
    if (kind == "syntax") {
      const object::Value& first = expected.items()[0];
      if (compiled.issues[0].line == number(first, "line") &&
          compiled.issues[0].column == number(first, "col")) {
        return {};
      }
      return "issues " + compiled.display + ", not " + std::string(Text(expect_, "text"));
    }
    bool same = compiled.issues.size() == expected.size();
    for (size_t i = 0; same && i < expected.size(); ++i) {
      const object::Value& one = expected.items()[i];
      const Issue& issue = compiled.issues[i];
      const std::string_view message = Text(one, "msg");
      same = issue.line == number(one, "line") && issue.column == number(one, "col") &&
             (issue.message == message || (message.starts_with("Syntax error: ") &&
                                           issue.message.starts_with("Syntax error: ")));
    }
    if (same) return {};
    return "issues " + compiled.display + ", not " + std::string(Text(expect_, "text"));
  }

  std::string CompareTypes(const CompileResult& compiled) const {
    std::string out;
    Expect(out, "type", compiled.type_text, Text(expect_, "type"));
    if (const object::Value* estimate = expect_.Find("estimate")) {
      std::optional<SchemaSizes> sizes;
      if (first_schema_ != nullptr) sizes.emplace(*first_schema_);
      const CostRange cost = EstimateCost(*compiled.checked, sizes ? &*sizes : nullptr);
      const auto text = [](uint64_t min, uint64_t max) {
        return std::to_string(min) + ".." + std::to_string(max);
      };
      const auto same = [](uint64_t got, const object::Value* expected) {
        // JSON numbers beyond int are doubles, which are not exact.
        if (expected->tag() == object::Tag::kDouble)
          return static_cast<double>(got) == expected->AsDouble();
        return got == Number(expected);
      };
      const object::Value* min = estimate->Find("min");
      const object::Value* max = estimate->Find("max");
      if (!same(cost.min, min) || !same(cost.max, max)) {
        Expect(out, "estimate", text(cost.min, cost.max), text(Number(min), Number(max)));
      }
    }
    return out;
  }

  std::string Evaluate(const Program& program, std::string_view outcome) {
    if (const object::Value* limit = Input("limit")) evaluation_.SetLimit(Number(limit));
    std::vector<Val> variables;
    for (const std::string& name : program.variables()) variables.push_back(ValueOf(name));
    const Val result = evaluation_.Run(program, variables);
    std::string out;
    const object::Value* value = expect_.Find("value");
    if (value != nullptr && outcome == "value") {
      if (!SameAsTagged(evaluation_.arena(), result, *value)) {
        out += "value " + GoText(evaluation_.arena(), result) + "; ";
      }
    } else if (!result.is_error()) {
      out += "value " + GoText(evaluation_.arena(), result) + ", not the error " +
             std::string(Text(expect_, "error")) + "; ";
    } else {
      Expect(out, "error", result.AsText(), Text(expect_, "error"));
    }
    if (const object::Value* cost = expect_.Find("cost")) {
      Expect(out, "cost", std::to_string(evaluation_.cost()), std::to_string(Number(cost)));
    }
    return out;
  }

  const object::Value& record_;
  const object::Value& expect_;
  const object::Value* context_;
  RecordedAuthorizer authorizer_;
  Evaluation evaluation_;
  SchemaTypes schema_types_;
  std::map<std::string, const SchemaType*> schemas_;
  const SchemaType* first_schema_ = nullptr;
  std::shared_ptr<const Environment> environment_;
};

}  // namespace

std::string RunEvalCase(const object::Value& record, const object::Value* context) {
  return EvalCase(record, context).Run();
}

}  // namespace skiff::cel
