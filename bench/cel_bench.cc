// Evaluation of a rule, as a custom resource has them: an object of a schema, read in place, by a
// program that was compiled before. The limit is 2 µs for each of a few usual rules, and for each
// when all of them are validated as a write does it.
#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "apiserver/extensions/schema/compiled_schema.h"
#include "apiserver/extensions/schema/pattern_cache.h"
#include "apiserver/extensions/schema/rule_validation.h"
#include "bench/benches.h"
#include "cel/document_view.h"
#include "cel/evaluation.h"
#include "cel/program.h"
#include "cel/schema_types.h"
#include "object/json/decode.h"

namespace skiff::bench {
namespace {

constexpr double kSeconds = 1.0;
constexpr int kRunsAtOnce = 1000;
constexpr double kRuleMicroseconds = 2;

constexpr std::string_view kSchema =
    R"({"type":"object","properties":{"min":{"type":"integer"},"replicas":{"type":"integer"},
        "name":{"type":"string","maxLength":63},"ports":{"type":"array","items":{"type":"object",
        "properties":{"port":{"type":"integer"}}}}}})";
constexpr std::string_view kObject =
    R"({"min":1,"replicas":3,"name":"web-front","ports":[{"port":80},{"port":443},{"port":8080}]})";
constexpr std::string_view kRules[] = {
    "self.min <= self.replicas",
    "self.name.startsWith('web') && self.replicas in [1, 3, 5]",
    "self.name.matches('^[a-z-]+$')",
    "self.ports.all(p, p.port > 0 && p.port < 65536)",
};

// All rules of a definition with these and some below them, by what a write calls.
void BenchValidation(Report& report) {
  std::string rules;
  for (const std::string_view rule : kRules) {
    rules += std::string(rules.empty() ? "" : ",") + "{\"rule\":\"" + std::string(rule) + "\"}";
  }
  std::string schema(kSchema);
  schema.insert(1, "\"x-kubernetes-validations\":[" + rules + "],");
  constexpr std::string_view kPort = R"("port":{"type":"integer")";
  schema.insert(schema.find(kPort) + kPort.size(),
                R"(,"x-kubernetes-validations":[{"rule":"self != 22"}])");
  constexpr int kPorts = 3;
  const auto typed =
      object::DecodeJson(schema, object::FindMessage("apiextensions.k8s.io/v1", "JSONSchemaProps"));
  const Result<object::Document> object = object::DecodeJson(kObject, nullptr);
  if (!typed || !object) std::abort();
  const auto compiled = apiserver::CompiledSchema::Compile(
      typed->root(), std::make_shared<apiserver::PatternCache>());
  if (!compiled) std::abort();
  const auto [seconds] = BestSecondsEach(kSeconds, [&] {
    for (int i = 0; i < kRunsAtOnce; ++i) {
      apiserver::FieldErrors errors(apiserver::kDefaultSettings);
      apiserver::EvaluateRules(**compiled, object->root(), &object->root(), {}, errors);
      if (!errors.empty()) std::abort();
    }
  });
  const double each = seconds / kRunsAtOnce * 1e6 / (std::size(kRules) + kPorts);
  report.Figure("validation_rule", each, "us", each / kRuleMicroseconds, "the_limit_2_us",
                AtMost(1));
}

}  // namespace

void BenchCel(Report& report) {
  const Result<object::Document> schema = object::DecodeJson(kSchema, nullptr);
  const Result<object::Document> object = object::DecodeJson(kObject, nullptr);
  if (!schema || !object) std::abort();
  auto environment = std::make_shared<cel::Environment>(cel::Environment::Base());
  cel::SchemaTypes types;
  const cel::SchemaType* self = types.Declare(cel::ReadSchema(schema->root()), false);
  environment->AddVariable("self", cel::DeclareType(*self, "selfType", environment->types()));
  double slowest = 0;
  for (const std::string_view rule : kRules) {
    const cel::CompileResult compiled = cel::Compile(rule, environment);
    if (compiled.program == nullptr) std::abort();
    cel::Evaluation evaluation;
    const auto [seconds] = BestSecondsEach(kSeconds, [&] {
      for (int i = 0; i < kRunsAtOnce; ++i) {
        evaluation.Reset();
        const cel::Val value = cel::FromDocument(evaluation.arena(), object->root(), self);
        if (!evaluation.Run(*compiled.program, std::span(&value, 1)).is_true()) std::abort();
      }
    });
    slowest = std::max(slowest, seconds / kRunsAtOnce * 1e6);
  }
  BenchValidation(report);
  report.Figure("cel_rule", slowest, "us", slowest / kRuleMicroseconds, "the_limit_2_us",
                AtMost(1));
}

}  // namespace skiff::bench
