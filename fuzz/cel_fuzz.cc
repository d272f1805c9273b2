// CEL: whatever is written as an expression is compiled or told apart, what compiles has a cost
// estimate and runs within its budget, and a second run of the same program gives the same value at
// the same cost, which is never below the least estimated if it has a value.
//
// The first line is a JSON value, the variable `object` of type dyn; the rest is the expression.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cel/cost_estimate.h"
#include "cel/document_view.h"
#include "cel/evaluation.h"
#include "cel/program.h"
#include "cel/value_text.h"
#include "object/json/decode.h"

namespace {

using namespace skiff;

constexpr uint64_t kBudget = 20'000;
constexpr size_t kMaxBytes = 4096;

void Require(bool condition) {
  if (!condition) std::abort();
}

struct Outcome {
  std::string text;
  uint64_t cost;
};

Outcome Run(const cel::Program& program, const object::Document& document) {
  cel::Evaluation evaluation(kBudget);
  std::vector<cel::Val> values;
  for (const std::string& name : program.variables()) {
    values.push_back(name == "object"
                         ? cel::FromDocument(evaluation.arena(), document.root(), nullptr)
                         : cel::Val::Null());
  }
  const cel::Val value = evaluation.Run(program, values);
  return {cel::ValueText(evaluation.arena(), value), evaluation.cost()};
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size > kMaxBytes) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const size_t line = text.find('\n');
  if (line == std::string_view::npos) return 0;
  Result<object::Document> document = object::DecodeJson(text.substr(0, line), nullptr);
  if (!document) document = object::Document();
  const cel::CompileResult compiled =
      cel::Compile(text.substr(line + 1), cel::Environment::Mutation());
  Require(compiled.program != nullptr || !compiled.display.empty());
  if (compiled.program == nullptr) return 0;
  const cel::CostRange estimate = cel::EstimateCost(*compiled.program);
  Require(estimate.min <= estimate.max);
  const Outcome first = Run(*compiled.program, *document);
  const Outcome second = Run(*compiled.program, *document);
  Require(first.text == second.text && first.cost == second.cost);
  return 0;
}
