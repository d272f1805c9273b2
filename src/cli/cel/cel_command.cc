#include "cli/cel/cel_command.h"

#include <cstdio>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/strings.h"
#include "cel/cases/case_runner.h"
#include "cel/cost_estimate.h"
#include "cel/document_view.h"
#include "cel/evaluation.h"
#include "cel/program.h"
#include "cel/schema_types.h"
#include "cel/value_text.h"
#include "cli/common/input.h"
#include "object/json/decode.h"

namespace skiff::cli {
namespace {

enum class CelEnvironment : uint8_t { kBase, kAdmission, kMutation };
constexpr FlagChoice<CelEnvironment> kEnvironments[] = {{"base", CelEnvironment::kBase},
                                                        {"admission", CelEnvironment::kAdmission},
                                                        {"mutation", CelEnvironment::kMutation}};

constexpr size_t kAnyNumberOfFiles = SIZE_MAX;

// NAME=VALUE, of which there may be several.
FlagValue NamedTexts(std::map<std::string, std::string>* target) {
  FlagValue value;
  value.set = [target](std::string_view text) -> Result<void> {
    const size_t equals = text.find('=');
    if (equals == std::string_view::npos || equals == 0) {
      return BadRequest(Quoted(text) + " is not NAME=VALUE");
    }
    (*target)[std::string(text.substr(0, equals))] = text.substr(equals + 1);
    return {};
  };
  return value;
}

class CelRun final : public CommandRun {
 public:
  void Declare(FlagSet& flags) override {
    flags.Add({.name = "var",
               .placeholder = "NAME=JSON",
               .help = "a variable and its value; may be given several times",
               .value = NamedTexts(&variables_)});
    flags.Add({.name = "schema",
               .placeholder = "NAME=FILE",
               .help = "the OpenAPI schema that a variable is of, as JSON",
               .completes = Completes::kFiles,
               .value = NamedTexts(&schemas_)});
    flags.Add({.name = "env",
               .placeholder = "ENVIRONMENT",
               .help = "which variables and types there are besides",
               .value = OneOf(&environment_name_, kEnvironments)});
    flags.Add({.name = "limit",
               .placeholder = "COST",
               .help = "what the evaluation may cost",
               .value = WholeNumber(&limit_, 0)});
    flags.Add({.name = "cases",
               .help = "the arguments are files of recorded cases",
               .value = Switch(&cases_)});
    flags.Take({.placeholder = "EXPRESSION",
                .min = 1,
                .max = kAnyNumberOfFiles,
                .completes = Completes::kFiles,
                .target = &arguments_});
  }

  Result<void> Check() override {
    if (!cases_ && arguments_.size() > 1) {
      return BadRequest("more than one expression; --cases takes files");
    }
    return {};
  }

  int Run() override { return cases_ ? RunCases() : RunExpression(); }

 private:
  int RunCases() const {
    cel::CaseRunner runner([](std::string_view id, std::string_view what) {
      std::printf("%.*s: %.*s\n", static_cast<int>(id.size()), id.data(),
                  static_cast<int>(what.size()), what.data());
    });
    cel::CaseCounts all;
    for (const std::string& file : arguments_) {
      const Result<cel::CaseCounts> counts = runner.RunFile(file);
      if (!counts) return ReportFailure("skiff cel", counts.error().ToString(), kExitFailure);
      all.passed += counts->passed;
      all.failed += counts->failed;
    }
    const std::string last =
        std::to_string(all.passed) + " passed, " + std::to_string(all.failed) + " failed\n";
    const int written = PrintText(last);
    return written != kExitSuccess ? written : all.failed > 0 ? kExitFailure : kExitSuccess;
  }

  Result<void> Prepare(cel::Environment& environment) {
    for (const auto& [name, file] : schemas_) {
      SKIFF_ASSIGN_OR_RETURN(const std::string text, ReadInput(file));
      SKIFF_ASSIGN_OR_RETURN(const object::Document document, object::DecodeJson(text, nullptr));
      const cel::SchemaType* type = schema_types_.Declare(cel::ReadSchema(document.root()), false);
      if (!type->is_visible) return BadRequest(file + " declares no type");
      types_[name] = type;
      environment.AddVariable(name, cel::DeclareType(*type, "selfType", environment.types()));
    }
    for (const auto& [name, json] : variables_) {
      Result<object::Document> document = object::DecodeJson(json, nullptr);
      if (!document) return BadRequest("--var " + name + ": " + document.error().ToString());
      documents_.emplace(name, std::move(*document));
      if (!types_.contains(name) && environment.FindVariable(name) == nullptr) {
        environment.AddVariable(name, &cel::types::kDyn);
      }
    }
    return {};
  }

  std::shared_ptr<const cel::Environment> BaseEnvironment() const {
    switch (environment_name_) {
      case CelEnvironment::kAdmission:
        return cel::Environment::Admission();
      case CelEnvironment::kMutation:
        return cel::Environment::Mutation();
      default:
        return cel::Environment::Base();
    }
  }

  int RunExpression() {
    const auto environment = std::make_shared<cel::Environment>(BaseEnvironment());
    if (const Result<void> prepared = Prepare(*environment); !prepared) {
      return ReportFailure("skiff cel", prepared.error().ToString(), kExitFailure);
    }
    const cel::CompileResult compiled = cel::Compile(arguments_[0], environment);
    if (compiled.program == nullptr) {
      std::fprintf(stderr, "%s\n", compiled.display.c_str());
      return kExitFailure;
    }
    return Evaluate(*compiled.program);
  }

  int Evaluate(const cel::Program& program) {
    cel::Evaluation evaluation(static_cast<uint64_t>(limit_));
    std::vector<cel::Val> values;
    for (const std::string& name : program.variables()) {
      const auto document = documents_.find(name);
      if (document == documents_.end()) {
        values.emplace_back();
        continue;
      }
      const auto type = types_.find(name);
      values.push_back(cel::FromDocument(evaluation.arena(), document->second.root(),
                                         type == types_.end() ? nullptr : type->second));
    }
    const cel::Val result = evaluation.Run(program, values);
    std::optional<cel::SchemaSizes> sizes;
    if (!types_.empty()) sizes.emplace(*types_.begin()->second);
    const cel::CostRange estimate = cel::EstimateCost(program, sizes ? &*sizes : nullptr);
    std::string out;
    if (result.is_error()) {
      std::fprintf(stderr, "error: %s\n", std::string(result.AsText()).c_str());
    } else {
      out = cel::ValueText(evaluation.arena(), result) + '\n';
    }
    out += "type: " + cel::TypeText(program.type()) + '\n';
    out += "cost: " + std::to_string(evaluation.cost()) + ", estimated " +
           std::to_string(estimate.min) + " to " +
           (estimate.max == UINT64_MAX ? "any number" : std::to_string(estimate.max)) + '\n';
    const int written = PrintText(out);
    return written != kExitSuccess ? written : result.is_error() ? kExitFailure : kExitSuccess;
  }

  std::map<std::string, std::string> variables_;
  std::map<std::string, std::string> schemas_;
  CelEnvironment environment_name_ = CelEnvironment::kBase;
  int64_t limit_ = static_cast<int64_t>(cel::kPerCallCostLimit);
  bool cases_ = false;
  std::vector<std::string> arguments_;

  cel::SchemaTypes schema_types_;
  std::map<std::string, const cel::SchemaType*> types_;
  std::map<std::string, object::Document> documents_;
};

}  // namespace

std::unique_ptr<CommandRun> MakeCel() { return std::make_unique<CelRun>(); }

}  // namespace skiff::cli
