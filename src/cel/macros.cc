#include "cel/macros.h"

#include <initializer_list>

#include "cel/arena_span.h"

namespace skiff::cel {
namespace {

constexpr std::string_view kUnused = "#unused";
constexpr std::string_view kSortByInput = "@__sortBy_input__";

class Expander {
 public:
  explicit Expander(const MacroCall& call) : call_(call), args_(call.args) {}

  Expr* Run() {
    const std::string_view name = call_.function;
    const size_t count = args_.size();
    if (call_.target == nullptr) return name == "has" && count == 1 ? Has() : nullptr;
    if (count == 2) {
      if (name == "all") return Quantifier(OneVariable("argument must be a simple name"));
      if (name == "exists") return Quantifier(OneVariable("argument must be a simple name"));
      if (name == "exists_one") return Quantifier(OneVariable("argument must be a simple name"));
      if (name == "map") return Map(call_.target);
      if (name == "filter") return Filter();
      if (name == "optMap") return OptMap(false);
      if (name == "optFlatMap") return OptMap(true);
      if (name == "sortBy") return SortBy();
    }
    if (count == 3) {
      if (name == "map") return Map(call_.target);
      if (name == "all" || name == "exists" || name == "exists_one" || name == "existsOne") {
        return Quantifier(TwoVariables());
      }
      if (name == "bind" && call_.options.bind_macro && call_.target->kind == ExprKind::kIdent &&
          call_.target->name == "cel") {
        return Bind();
      }
    }
    if (count == 3 || count == 4) {
      if (name == "transformList") return TransformList(TwoVariables());
      if (name == "transformMap") return TransformMap(TwoVariables(), false);
      if (name == "transformMapEntry") return TransformMap(TwoVariables(), true);
    }
    return nullptr;
  }

 private:
  struct Variables {
    bool ok = false;
    std::string_view first;
    std::string_view second;
  };

  Expr* New(ExprKind kind) {
    Expr* expr = new (call_.arena.Allocate(sizeof(Expr), alignof(Expr))) Expr;
    expr->kind = kind;
    expr->position = call_.position;
    return expr;
  }
  Expr* Fail(int32_t position, std::string message) {
    call_.report(position, std::move(message));
    return New(ExprKind::kError);
  }
  Expr* Literal(Val value) {
    Expr* expr = New(ExprKind::kLiteral);
    expr->literal = value;
    return expr;
  }
  Expr* Ident(std::string_view name) {
    Expr* expr = New(ExprKind::kIdent);
    expr->name = name;
    return expr;
  }
  Expr* Accumulator() { return Ident(kAccumulator); }
  Expr* Call(std::string_view function, std::initializer_list<Expr*> args) {
    Expr* expr = New(ExprKind::kCall);
    expr->name = function;
    expr->args = CopySpan<Expr*>(call_.arena, {args.begin(), args.size()});
    return expr;
  }
  Expr* MemberCall(std::string_view function, Expr* target, std::initializer_list<Expr*> args) {
    Expr* expr = Call(function, args);
    expr->target = target;
    return expr;
  }
  Expr* List(std::initializer_list<Expr*> items) {
    Expr* expr = New(ExprKind::kList);
    expr->args = CopySpan<Expr*>(call_.arena, {items.begin(), items.size()});
    return expr;
  }
  Expr* Fold(Comprehension fold) {
    Expr* expr = New(ExprKind::kComprehension);
    expr->fold = new (call_.arena.Allocate(sizeof(Comprehension), alignof(Comprehension)))
        Comprehension(fold);
    return expr;
  }
  // A copy of a tree whose nodes stand where the originals do.
  Expr* Copy(const Expr* from) {
    if (from == nullptr) return nullptr;
    if (++call_.copies > kMaxCopiedNodes) return New(ExprKind::kError);
    Expr* expr = New(from->kind);
    *expr = *from;
    expr->target = Copy(from->target);
    expr->args = CopySpan<Expr*>(call_.arena, from->args);
    for (Expr*& arg : expr->args) arg = Copy(arg);
    if (from->fold != nullptr) {
      const Comprehension& fold = *from->fold;
      expr->fold = Fold({fold.iter_var, fold.iter_var2, fold.accu_var, Copy(fold.range),
                         Copy(fold.init), Copy(fold.condition), Copy(fold.step), Copy(fold.result)})
                       ->fold;
    }
    return expr;
  }

  static bool IsAccumulator(std::string_view name) {
    return name == kAccumulator || name == kOldAccumulator;
  }

  Variables OneVariable(std::string_view message) {
    const Expr& arg = *args_[0];
    if (arg.kind != ExprKind::kIdent) {
      call_.report(arg.position, std::string(message));
      return {};
    }
    if (IsAccumulator(arg.name)) {
      call_.report(arg.position, "iteration variable overwrites accumulator variable");
      return {};
    }
    return {true, arg.name, {}};
  }
  Variables TwoVariables() {
    for (size_t i = 0; i < 2; ++i) {
      if (args_[i]->kind != ExprKind::kIdent) {
        call_.report(args_[i]->position, "argument must be a simple name");
        return {};
      }
    }
    if (args_[0]->name == args_[1]->name) {
      call_.report(args_[1]->position, "duplicate variable name: " + std::string(args_[0]->name));
      return {};
    }
    for (size_t i = 0; i < 2; ++i) {
      if (IsAccumulator(args_[i]->name)) {
        call_.report(args_[i]->position, "iteration variable overwrites accumulator variable");
        return {};
      }
    }
    return {true, args_[0]->name, args_[1]->name};
  }

  Expr* Has() {
    const Expr& arg = *args_[0];
    if (arg.kind != ExprKind::kSelect || arg.test_only) {
      return Fail(arg.position, "invalid argument to has() macro");
    }
    Expr* expr = New(ExprKind::kSelect);
    expr->test_only = true;
    expr->target = arg.target;
    expr->name = arg.name;
    return expr;
  }

  Expr* Quantifier(const Variables& variables) {
    if (!variables.ok) return New(ExprKind::kError);
    Expr* predicate = args_.back();
    Comprehension fold{variables.first, variables.second, kAccumulator, call_.target,
                       nullptr,         nullptr,          nullptr,      nullptr};
    if (call_.function == "all") {
      fold.init = Literal(Val::Bool(true));
      fold.condition = Call("@not_strictly_false", {Accumulator()});
      fold.step = Call("_&&_", {Accumulator(), predicate});
      fold.result = Accumulator();
    } else if (call_.function == "exists") {
      fold.init = Literal(Val::Bool(false));
      fold.condition = Call("@not_strictly_false", {Call("!_", {Accumulator()})});
      fold.step = Call("_||_", {Accumulator(), predicate});
      fold.result = Accumulator();
    } else {
      fold.init = Literal(Val::Int(0));
      fold.condition = Literal(Val::Bool(true));
      fold.step = Call(
          "_?_:_", {predicate, Call("_+_", {Accumulator(), Literal(Val::Int(1))}), Accumulator()});
      fold.result = Call("_==_", {Accumulator(), Literal(Val::Int(1))});
    }
    return Fold(fold);
  }

  Expr* Map(Expr* range) {
    const Variables variables = OneVariable("argument is not an identifier");
    if (!variables.ok) return New(ExprKind::kError);
    Expr* step = Call("_+_", {Accumulator(), List({args_.back()})});
    if (args_.size() == 3) step = Call("_?_:_", {args_[1], step, Accumulator()});
    return Fold({variables.first,
                 {},
                 kAccumulator,
                 range,
                 List({}),
                 Literal(Val::Bool(true)),
                 step,
                 Accumulator()});
  }

  Expr* Filter() {
    const Variables variables = OneVariable("argument is not an identifier");
    if (!variables.ok) return New(ExprKind::kError);
    Expr* step =
        Call("_?_:_", {args_[1], Call("_+_", {Accumulator(), List({args_[0]})}), Accumulator()});
    return Fold({variables.first,
                 {},
                 kAccumulator,
                 call_.target,
                 List({}),
                 Literal(Val::Bool(true)),
                 step,
                 Accumulator()});
  }

  Expr* TransformList(const Variables& variables) {
    if (!variables.ok) return New(ExprKind::kError);
    Expr* step = Call("_+_", {Accumulator(), List({args_.back()})});
    if (args_.size() == 4) step = Call("_?_:_", {args_[2], step, Accumulator()});
    return Fold({variables.first, variables.second, kAccumulator, call_.target, List({}),
                 Literal(Val::Bool(true)), step, Accumulator()});
  }

  Expr* TransformMap(const Variables& variables, bool entries) {
    if (!variables.ok) return New(ExprKind::kError);
    Expr* step =
        entries ? Call("cel.@mapInsert", {Accumulator(), args_.back()})
                : Call("cel.@mapInsert", {Accumulator(), Ident(variables.first), args_.back()});
    if (args_.size() == 4) step = Call("_?_:_", {args_[2], step, Accumulator()});
    return Fold({variables.first, variables.second, kAccumulator, call_.target, New(ExprKind::kMap),
                 Literal(Val::Bool(true)), step, Accumulator()});
  }

  // name := init; result. No item is folded: the variable is the accumulator.
  Expr* Let(std::string_view name, Expr* init, Expr* result) {
    return Fold(
        {kUnused, {}, name, List({}), init, Literal(Val::Bool(false)), Ident(name), result});
  }

  Expr* OptMap(bool flat) {
    const Expr& variable = *args_[0];
    if (variable.kind != ExprKind::kIdent) {
      return Fail(variable.position, flat ? "optFlatMap() variable name must be a simple identifier"
                                          : "optMap() variable name must be a simple identifier");
    }
    Expr* mapped = Let(variable.name, MemberCall("value", Copy(call_.target), {}), args_[1]);
    if (call_.copies > kMaxCopiedNodes) {
      return Fail(call_.position, "expression is too large after its macros are expanded");
    }
    if (!flat) mapped = Call("optional.of", {mapped});
    return Call("_?_:_",
                {MemberCall("hasValue", call_.target, {}), mapped, Call("optional.none", {})});
  }

  Expr* SortBy() {
    switch (call_.target->kind) {
      case ExprKind::kList:
      case ExprKind::kSelect:
      case ExprKind::kIdent:
      case ExprKind::kComprehension:
      case ExprKind::kCall:
        break;
      default:
        return Fail(call_.target->position,
                    "sortBy can only be applied to a list, identifier, comprehension, call or "
                    "select expression");
    }
    Expr* keys = Map(Ident(kSortByInput));
    if (keys->kind == ExprKind::kError) return keys;
    return Let(kSortByInput, call_.target,
               MemberCall("@sortByAssociatedKeys", Ident(kSortByInput), {keys}));
  }

  Expr* Bind() {
    if (args_[0]->kind != ExprKind::kIdent) {
      return Fail(args_[0]->position, "cel.bind() variable names must be simple identifiers");
    }
    return Let(args_[0]->name, args_[1], args_[2]);
  }

  const MacroCall& call_;
  std::span<Expr*> args_;
};

}  // namespace

Expr* ExpandMacro(const MacroCall& call) { return Expander(call).Run(); }

}  // namespace skiff::cel
