// Macros: calls that the parser turns into other expressions.
#pragma once

#include <functional>

#include "cel/parser.h"

namespace skiff::cel {

// Nodes that macros may copy in one expression: a chain of optMap() doubles its target each time.
inline constexpr size_t kMaxCopiedNodes = 100'000;

struct MacroCall {
  Arena& arena;
  const ParseOptions& options;
  int32_t position;  // of the call; nodes that a macro makes stand there
  std::string_view function;
  Expr* target;  // null: none
  std::span<Expr*> args;
  size_t& copies;  // nodes that were copied in all, which is bounded
  // Says what is wrong with an argument.
  std::function<void(int32_t position, std::string message)> report;
};

// Null: the call is no macro. After a report the node is of kind kError.
Expr* ExpandMacro(const MacroCall& call);

}  // namespace skiff::cel
