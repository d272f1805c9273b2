// The tree of an expression, after its macros were expanded.
//
// Nodes lie in the arena of their Ast. The parser makes them; the checker adds their types and
// what names mean; after that they do not change.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "base/arena.h"
#include "cel/value.h"

namespace skiff::cel {

struct Type;
struct StructDecl;
struct Overload;
struct FunctionDecl;

enum class ExprKind : uint8_t {
  kError,  // a syntax error stands here
  kLiteral,
  kIdent,
  kSelect,
  kCall,
  kList,
  kMap,
  kStruct,
  kComprehension,
};

struct Expr;

// Fold: `accu` begins as `init`; for each item of `range`, while `condition` holds, it becomes
// `step`; the value is `result`.
struct Comprehension {
  std::string_view iter_var;
  std::string_view iter_var2;  // empty: one variable
  std::string_view accu_var;
  Expr* range;
  Expr* init;
  Expr* condition;
  Expr* step;
  Expr* result;
};

struct Expr {
  ExprKind kind = ExprKind::kError;
  bool test_only = false;  // a select in has()
  int32_t position = -1;
  std::string_view name;  // of an identifier, field, function, struct type
  Val literal;
  Expr* target = nullptr;           // the operand of a select, the receiver of a call
  std::span<Expr*> args;            // arguments, items, values of a struct; keys and values
  std::span<const bool> optionals;  // which items or entries begin with '?'
  std::span<const std::string_view> fields;  // of a struct
  std::span<const int32_t> entry_positions;  // of a map and a struct: their colons
  Comprehension* fold = nullptr;

  // From the checker.
  const Type* type = nullptr;
  const FunctionDecl* function = nullptr;
  std::span<const Overload* const> overloads;  // which may be meant
  const StructDecl* struct_decl = nullptr;
  bool type_name = false;  // an identifier that names the type `type` is of
};

inline constexpr std::string_view kAccumulator = "@result";
inline constexpr std::string_view kOldAccumulator = "__result__";

}  // namespace skiff::cel
