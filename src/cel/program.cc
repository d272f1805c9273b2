#include "cel/program.h"

#include "cel/checker.h"
#include "cel/literal_checks.h"
#include "cel/parser.h"

namespace skiff::cel {

struct Compiler {
  static CompileResult Run(std::string_view text, std::shared_ptr<const Environment> environment) {
    CompileResult result;
    const std::shared_ptr<Program> program(new Program(std::move(environment), text));
    const auto failed = [&] {
      SortIssues(result.issues);
      result.display = DisplayIssues(program->source_, result.issues);
      return !result.issues.empty();
    };
    program->root_ =
        Parse(program->source_, program->environment_->options(), program->arena_, result.issues);
    if (failed()) return result;
    Check(program->root_, program->source_, *program->environment_, program->types_,
          program->arena_, result.issues);
    if (failed()) return result;
    CheckLiterals(*program->root_, program->source_, result.issues);
    if (failed()) return result;
    result.type_text = TypeText(*program->root_->type);
    result.program_error =
        MakePlan(*program->root_, *program->environment_, program->arena_, program->plan_);
    result.display = result.program_error;
    result.checked = program;
    if (result.program_error.empty()) result.program = program;
    return result;
  }
};

CompileResult Compile(std::string_view text, std::shared_ptr<const Environment> environment) {
  return Compiler::Run(text, std::move(environment));
}

}  // namespace skiff::cel
