// Short ways to expressions, for tests.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cel/cost_estimate.h"
#include "cel/document_view.h"
#include "cel/evaluation.h"
#include "cel/program.h"
#include "cel/value_text.h"
#include "object/json/decode.h"

namespace skiff::cel {

// What an expression is, as text: its value, "error: …", or the faults of its text.
struct Evaluated {
  std::string text;
  std::string type;
  uint64_t cost = 0;
  CostRange estimate = {};
};

// Variables are JSON, of type dyn.
inline Evaluated EvaluateText(
    std::string_view expression,
    const std::vector<std::pair<std::string, std::string>>& variables = {},
    uint64_t limit = kPerCallCostLimit) {
  auto environment = std::make_shared<Environment>(Environment::Base());
  for (const auto& [name, json] : variables) environment->AddVariable(name, &types::kDyn);
  const CompileResult compiled = Compile(expression, environment);
  if (compiled.program == nullptr) return {compiled.display, compiled.type_text};
  std::vector<object::Document> documents;
  documents.reserve(variables.size());
  Evaluation evaluation(limit);
  std::vector<Val> values;
  for (const std::string& name : compiled.program->variables()) {
    for (const auto& [given, json] : variables) {
      if (given != name) continue;
      documents.push_back(std::move(*object::DecodeJson(json, nullptr)));
      values.push_back(FromDocument(evaluation.arena(), documents.back().root(), nullptr));
    }
  }
  const Val value = evaluation.Run(*compiled.program, values);
  Evaluated out{value.is_error() ? "error: " + std::string(value.AsText())
                                 : ValueText(evaluation.arena(), value),
                compiled.type_text, evaluation.cost()};
  out.estimate = EstimateCost(*compiled.program);
  return out;
}

}  // namespace skiff::cel
