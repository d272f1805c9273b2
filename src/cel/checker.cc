#include "cel/checker.h"

#include <algorithm>
#include <optional>
#include <ranges>

#include "cel/arena_span.h"
#include "cel/unify.h"

namespace skiff::cel {
namespace {

struct Scope {
  std::string_view name;
  const Type* type;
};

// The dotted name that identifiers and selects spell.
std::optional<std::string> QualifiedName(const Expr& expr) {
  if (expr.kind == ExprKind::kIdent) return std::string(expr.name);
  if (expr.kind != ExprKind::kSelect || expr.test_only) return {};
  std::optional<std::string> operand = QualifiedName(*expr.target);
  if (operand) *operand += "." + std::string(expr.name);
  return operand;
}

class Checker {
 public:
  Checker(const Source& source, const Environment& environment, Types& types, Arena& arena,
          std::vector<Issue>& issues)
      : source_(source),
        environment_(environment),
        types_(types),
        arena_(arena),
        issues_(issues),
        bindings_(types) {}

  void Run(Expr* root) {
    Visit(root);
    for (Expr* expr : visited_) expr->type = bindings_.Substitute(expr->type, true);
  }

 private:
  void Report(int32_t position, std::string message) {
    issues_.push_back(source_.At(position, std::move(message)));
  }
  void Undeclared(int32_t position, std::string_view name) {
    Report(position, "undeclared reference to '" + std::string(name) + "' (in container '')");
  }
  void Mismatch(int32_t position, const Type* expected, const Type* actual) {
    Report(position,
           "expected type '" + FormatType(*expected) + "' but found '" + FormatType(*actual) + "'");
  }

  void Visit(Expr* expr) {
    expr->type = &types::kError;
    visited_.push_back(expr);
    switch (expr->kind) {
      case ExprKind::kError:
        break;
      case ExprKind::kLiteral:
        expr->type = RuntimeType(expr->literal);
        break;
      case ExprKind::kIdent:
        VisitIdent(expr);
        break;
      case ExprKind::kSelect:
        VisitSelect(expr);
        break;
      case ExprKind::kCall:
        VisitCall(expr);
        break;
      case ExprKind::kList:
        VisitList(expr);
        break;
      case ExprKind::kMap:
        VisitMap(expr);
        break;
      case ExprKind::kStruct:
        VisitStruct(expr);
        break;
      case ExprKind::kComprehension:
        VisitFold(expr);
        break;
    }
  }

  // A name with a leading dot is the same name: there is no container that it could be within.
  static std::string_view WithoutDot(std::string_view name) {
    return name.starts_with('.') ? name.substr(1) : name;
  }

  struct Named {
    const Type* type = nullptr;
    bool type_name = false;
  };
  Named Lookup(std::string_view name) const {
    name = WithoutDot(name);
    for (const Scope& scope : std::views::reverse(scopes_)) {
      if (scope.name == name) return {scope.type};
    }
    if (const Type* type = environment_.FindVariable(name)) return {type};
    if (const Type* type = environment_.FindTypeName(name)) return {type, true};
    return {};
  }

  void Resolve(Expr* expr, std::string_view name, const Named& named) {
    expr->kind = ExprKind::kIdent;
    expr->name = arena_.Copy(WithoutDot(name));
    expr->target = nullptr;
    expr->type = named.type;
    expr->type_name = named.type_name;
  }

  // Names of constants become literals, but cost what names cost.
  bool ResolveConstant(Expr* expr, std::string_view name) {
    const Environment::Constant* constant = environment_.FindConstant(WithoutDot(name));
    if (constant == nullptr) return false;
    Resolve(expr, name, {constant->type});
    expr->literal = constant->value;
    return true;
  }

  void VisitIdent(Expr* expr) {
    const Named named = Lookup(expr->name);
    if (named.type == nullptr) return Undeclared(expr->position, expr->name);
    Resolve(expr, expr->name, named);
  }

  void VisitSelect(Expr* expr) {
    if (const std::optional<std::string> name = QualifiedName(*expr)) {
      if (const Named named = Lookup(*name); named.type != nullptr) {
        return Resolve(expr, *name, named);
      }
      if (ResolveConstant(expr, *name)) return;
    }
    const Type* type = SelectField(expr, expr->target, expr->name, false);
    expr->type = expr->test_only ? &types::kBool : bindings_.Substitute(type, false);
  }

  const Type* SelectField(Expr* expr, Expr* operand, std::string_view field, bool optional) {
    Visit(operand);
    const Type* target = bindings_.Substitute(operand->type, false);
    const bool was_optional = target->is_optional();
    if (was_optional) target = target->params[0];
    const Type* result = &types::kError;
    switch (target->kind) {
      case TypeKind::kMap:
        result = target->params[1];
        break;
      case TypeKind::kStruct:
        if (target->decl == nullptr) {
          Report(expr->position,
                 "unexpected failed resolution of '" + std::string(target->name) + "'");
        } else if (const Type* type = target->decl->Field(field)) {
          result = type;
        } else {
          Report(expr->position, "undefined field '" + std::string(field) + "'");
        }
        break;
      case TypeKind::kTypeParam:
        bindings_.Assignable(&types::kDyn, target);
        result = &types::kDyn;
        break;
      default:
        if (!target->is_dyn() && target->kind != TypeKind::kError) {
          Report(expr->position,
                 "type '" + FormatType(*target) + "' does not support field selection");
        }
        result = &types::kDyn;
    }
    return was_optional || optional ? types_.Optional(result) : result;
  }

  void VisitCall(Expr* expr) {
    if (expr->name == "_?._") {
      const Type* type = SelectField(expr, expr->args[0], expr->args[1]->literal.AsText(), true);
      expr->args[1]->type = &types::kString;
      visited_.push_back(expr->args[1]);
      expr->type = bindings_.Substitute(type, false);
      expr->function = environment_.FindFunction(expr->name);
      SetOverloads(expr, {&expr->function->overloads.front()});
      return;
    }
    for (Expr* arg : expr->args) Visit(arg);
    if (expr->target == nullptr) {
      const FunctionDecl* function = environment_.FindFunction(WithoutDot(expr->name));
      if (function == nullptr) return Undeclared(expr->position, expr->name);
      return ResolveOverload(expr, *function);
    }
    if (const std::optional<std::string> prefix = QualifiedName(*expr->target)) {
      const std::string name = std::string(WithoutDot(*prefix)) + "." + std::string(expr->name);
      if (const FunctionDecl* function = environment_.FindFunction(name)) {
        expr->target = nullptr;
        return ResolveOverload(expr, *function);
      }
    }
    Visit(expr->target);
    const FunctionDecl* function = environment_.FindFunction(expr->name);
    if (function == nullptr) return Undeclared(expr->position, expr->name);
    ResolveOverload(expr, *function);
  }

  void SetOverloads(Expr* expr, const std::vector<const Overload*>& overloads) {
    expr->overloads = CopySpan<const Overload*>(arena_, overloads);
  }

  void ResolveOverload(Expr* expr, const FunctionDecl& function) {
    expr->function = &function;
    expr->name = function.name;
    if (function.name == "_&&_" || function.name == "_||_") return ResolveLogic(expr, function);
    std::vector<const Type*> args;
    if (expr->target != nullptr) args.push_back(expr->target->type);
    for (const Expr* arg : expr->args) args.push_back(arg->type);
    std::vector<const Overload*> matching;
    const Type* result = nullptr;
    for (const Overload& overload : function.overloads) {
      if (overload.member != (expr->target != nullptr)) continue;
      if (const Type* type = Match(overload, args)) {
        matching.push_back(&overload);
        if (result == nullptr) {
          result = type;
        } else if (!result->is_dyn() && !SameType(*type, *result)) {
          result = &types::kDyn;
        }
      }
    }
    if (result == nullptr) return NoMatch(expr, function, args);
    expr->type = result;
    SetOverloads(expr, matching);
  }

  void ResolveLogic(Expr* expr, const FunctionDecl& function) {
    bool ok = true;
    for (const Expr* arg : expr->args) {
      if (bindings_.Assignable(arg->type, &types::kBool)) continue;
      Mismatch(arg->position, &types::kBool, arg->type);
      ok = false;
    }
    if (!ok) return;
    expr->type = &types::kBool;
    SetOverloads(expr, {&function.overloads.front()});
  }

  // The type of the result, or null.
  const Type* Match(const Overload& overload, std::span<const Type* const> args) {
    if (overload.args.size() != args.size()) return nullptr;
    if (overload.type_params.empty()) {
      return bindings_.AssignableAll(args, overload.args) ? overload.result : nullptr;
    }
    Bindings fresh(types_);
    for (const std::string_view param : overload.type_params) {
      fresh.Bind(param, bindings_.FreshParam());
    }
    std::vector<const Type*> params;
    for (const Type* arg : overload.args) params.push_back(fresh.Substitute(arg, false));
    if (!bindings_.AssignableAll(args, params)) return nullptr;
    return bindings_.Substitute(fresh.Substitute(overload.result, false), false);
  }

  void NoMatch(Expr* expr, const FunctionDecl& function, std::span<const Type* const> args) {
    std::string signature;
    size_t first = 0;
    if (expr->target != nullptr) {
      signature = FormatType(*bindings_.Substitute(args[0], true)) + ".";
      first = 1;
    }
    signature += '(';
    for (size_t i = first; i < args.size(); ++i) {
      if (i > first) signature += ", ";
      signature += FormatType(*bindings_.Substitute(args[i], true));
    }
    signature += ')';
    Report(expr->position,
           "found no matching overload for '" + function.name + "' applied to '" + signature + "'");
  }

  const Type* Join(const Expr* expr, const Type* before, const Type* now) {
    if (before == nullptr) return now;
    if (bindings_.Assignable(before, now)) return Bindings::MostGeneral(before, now);
    // Items of different types are told by a check of literals that follows this one; here they
    // make the whole dyn.
    (void)expr;
    return &types::kDyn;
  }
  const Type* UnwrapOptional(const Expr* expr) {
    const Type* type = expr->type;
    if (type->is_optional()) return type->params[0];
    if (!type->is_dyn()) Mismatch(expr->position, types_.Optional(type), type);
    return type;
  }

  void VisitList(Expr* expr) {
    const Type* items = nullptr;
    for (size_t i = 0; i < expr->args.size(); ++i) {
      Expr* item = expr->args[i];
      Visit(item);
      const bool optional = i < expr->optionals.size() && expr->optionals[i];
      items = Join(item, items, optional ? UnwrapOptional(item) : item->type);
    }
    if (items == nullptr) items = bindings_.FreshParam();
    expr->type = types_.List(items);
  }

  void VisitMap(Expr* expr) {
    const Type* keys = nullptr;
    const Type* values = nullptr;
    for (size_t i = 0; i < expr->args.size(); i += 2) {
      Expr* key = expr->args[i];
      Visit(key);
      keys = Join(key, keys, key->type);
      Expr* value = expr->args[i + 1];
      Visit(value);
      const bool optional = i / 2 < expr->optionals.size() && expr->optionals[i / 2];
      values = Join(value, values, optional ? UnwrapOptional(value) : value->type);
    }
    if (keys == nullptr) {
      keys = bindings_.FreshParam();
      values = bindings_.FreshParam();
    }
    expr->type = types_.Map(keys, values);
  }

  // Object.spec.template: below a struct that has any field, every name is one of the same kind.
  const StructDecl* OpenStruct(std::string_view name) {
    const StructDecl* outer = environment_.FindStruct(name.substr(0, name.find('.')));
    if (outer == nullptr || !outer->any_field) return nullptr;
    StructDecl& decl = types_.Struct(name);
    decl.any_field = true;
    decl.other_fields = outer->other_fields;
    return &decl;
  }

  void VisitStruct(Expr* expr) {
    const std::string_view name = WithoutDot(expr->name);
    const StructDecl* decl = environment_.FindStruct(name);
    if (decl == nullptr) decl = OpenStruct(name);
    if (decl == nullptr) {
      const Named named = Lookup(name);
      if (named.type == nullptr) return Undeclared(expr->position, expr->name);
      if (named.type_name) {
        Report(expr->position,
               "'" + std::string(named.type->params[0]->name) + "' is not a message type");
      } else if (named.type->kind != TypeKind::kError) {
        Report(expr->position, "'" + std::string(named.type->name) + "' is not a type");
      }
    } else {
      expr->type = decl->type;
      expr->struct_decl = decl;
    }
    for (size_t i = 0; i < expr->args.size(); ++i) {
      Expr* value = expr->args[i];
      Visit(value);
      if (decl == nullptr) continue;
      const Type* type = value->type;
      if (expr->optionals[i]) type = UnwrapOptional(value);
      const Type* field = decl->Field(expr->fields[i]);
      if (field == nullptr && decl->unknown_fields_mismatch) {
        Report(expr->entry_positions[i], "expected type of field '" + std::string(expr->fields[i]) +
                                             "' is '' but provided type is '" + FormatType(*type) +
                                             "'");
      } else if (field == nullptr) {
        Report(expr->entry_positions[i], "undefined field '" + std::string(expr->fields[i]) + "'");
      } else if (!bindings_.Assignable(field, type)) {
        Report(expr->entry_positions[i], "expected type of field '" + std::string(expr->fields[i]) +
                                             "' is '" + FormatType(*field) +
                                             "' but provided type is '" + FormatType(*type) + "'");
      }
    }
  }

  void VisitFold(Expr* expr) {
    const Comprehension& fold = *expr->fold;
    Visit(fold.range);
    Visit(fold.init);
    const Type* range = bindings_.Substitute(fold.range->type, false);
    const Type* accu = fold.init->type;
    const bool two = !fold.iter_var2.empty();
    const Type* first = &types::kDyn;
    const Type* second = &types::kDyn;
    switch (range->kind) {
      case TypeKind::kList:
        first = two ? &types::kInt : range->params[0];
        second = range->params[0];
        break;
      case TypeKind::kMap:
        first = range->params[0];
        second = range->params[1];
        break;
      case TypeKind::kDyn:
      case TypeKind::kError:
      case TypeKind::kTypeParam:
        bindings_.Assignable(&types::kDyn, range);
        break;
      default:
        Report(fold.range->position,
               "expression of type '" + FormatType(*range) +
                   "' cannot be range of a comprehension (must be list, map, or dynamic)");
        first = second = &types::kError;
    }
    scopes_.push_back({fold.accu_var, accu});
    scopes_.push_back({fold.iter_var, first});
    if (two) scopes_.push_back({fold.iter_var2, second});
    Visit(fold.condition);
    Assert(fold.condition, &types::kBool);
    Visit(fold.step);
    Assert(fold.step, accu);
    scopes_.resize(scopes_.size() - (two ? 2 : 1));
    Visit(fold.result);
    scopes_.pop_back();
    expr->type = bindings_.Substitute(fold.result->type, false);
  }
  void Assert(const Expr* expr, const Type* type) {
    if (!bindings_.Assignable(type, expr->type)) Mismatch(expr->position, type, expr->type);
  }

  const Source& source_;
  const Environment& environment_;
  Types& types_;
  Arena& arena_;
  std::vector<Issue>& issues_;
  Bindings bindings_;
  std::vector<Scope> scopes_;
  std::vector<Expr*> visited_;
};

}  // namespace

void Check(Expr* root, const Source& source, const Environment& environment, Types& types,
           Arena& arena, std::vector<Issue>& issues) {
  Checker(source, environment, types, arena, issues).Run(root);
}

}  // namespace skiff::cel
