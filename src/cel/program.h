// Compiled expressions.
//
// Compile() parses, checks and plans: names become slots, calls the functions they mean, constant
// lists and conversions their values, constant patterns compiled ones. A program is immutable and
// any number of threads evaluate it; what an evaluation needs lies in its Evaluation.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cel/ast.h"
#include "cel/environment.h"
#include "cel/opaque.h"
#include "cel/plan.h"
#include "cel/source.h"

namespace skiff::cel {

// What Kubernetes lets one evaluation cost.
inline constexpr uint64_t kPerCallCostLimit = 1'000'000;

class Program {
 public:
  const Type& type() const { return *root_->type; }
  // The variables that it reads, by slot.
  const std::vector<std::string>& variables() const { return plan_.variables; }
  const Source& source() const { return source_; }
  const Expr& root() const { return *root_; }
  const Plan& plan() const { return plan_; }
  const Environment& environment() const { return *environment_; }

 private:
  friend struct Compiler;
  Program(std::shared_ptr<const Environment> environment, std::string_view text)
      : environment_(std::move(environment)), source_(text) {}

  std::shared_ptr<const Environment> environment_;
  Source source_;
  Types types_;
  Arena arena_;
  Expr* root_ = nullptr;
  Plan plan_;
};

struct CompileResult {
  std::shared_ptr<const Program> program;  // null: see the others
  std::vector<Issue> issues;               // of the text, in order
  std::string program_error;               // a constant part failed when the program was made
  std::string display;                     // the issues, or the error, as people read them
  // The type, also if only the making of the program failed.
  std::string type_text;
  // The same as `program`, or one that was checked but cannot run: its cost can be estimated.
  std::shared_ptr<const Program> checked;
};

CompileResult Compile(std::string_view text, std::shared_ptr<const Environment> environment);

}  // namespace skiff::cel
