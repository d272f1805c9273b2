#include "cel/plan.h"

#include <algorithm>
#include <array>
#include <ranges>

#include "cel/arena_span.h"
#include "cel/evaluation.h"

namespace skiff::cel {
namespace {

// Conversions of constants are made once.
constexpr std::array<std::string_view, 10> kConversions{
    "bool", "bytes", "double", "duration", "dyn", "int", "string", "timestamp", "type", "uint"};

bool IsPrimitive(Kind kind) {
  switch (kind) {
    case Kind::kBool:
    case Kind::kInt:
    case Kind::kUint:
    case Kind::kDouble:
    case Kind::kString:
      return true;
    default:
      return false;
  }
}

class Planner {
 public:
  Planner(const Environment& environment, Arena& arena, Plan& plan)
      : environment_(environment), arena_(arena), plan_(plan) {}

  std::string Run(const Expr& root) {
    plan_.root = Make(root);
    if (error_.empty()) plan_.owned = evaluation_.TakeOwned();
    return error_;
  }

 private:
  struct Scope {
    std::string_view name;
    uint32_t slot;
  };

  Node* New(NodeKind kind) {
    return new (arena_.Allocate(sizeof(Node), alignof(Node))) Node{.kind = kind};
  }
  const Node* Constant(const Val& value) {
    Node* node = New(NodeKind::kConstant);
    node->value = value;
    return node;
  }
  const Node* Fail(std::string message) {
    if (error_.empty()) error_ = std::move(message);
    return Constant(Val::Null());
  }
  static bool IsConstant(const Node* node) { return node->kind == NodeKind::kConstant; }

  const Node* Make(const Expr& expr) {
    if (!error_.empty()) return Constant(Val::Null());
    switch (expr.kind) {
      case ExprKind::kError:
        return Fail("unspecified expression");
      case ExprKind::kLiteral:
        return Constant(expr.literal);
      case ExprKind::kIdent:
        return MakeIdent(expr);
      case ExprKind::kSelect:
        return MakeSelect(expr);
      case ExprKind::kCall:
        return MakeCall(expr);
      case ExprKind::kList:
        return MakeList(expr);
      case ExprKind::kMap:
        return MakeMap(expr);
      case ExprKind::kStruct:
        return MakeStruct(expr);
      case ExprKind::kComprehension:
        return MakeFold(expr);
    }
    return nullptr;
  }

  const Node* MakeIdent(const Expr& expr) {
    if (expr.type_name) {
      const Type* type = expr.type->params.empty() ? &types::kTypeType : expr.type->params[0];
      return Constant(Val::OfType(type));
    }
    if (expr.literal.kind() != Kind::kUnset) return Constant(expr.literal);
    Node* node = New(NodeKind::kAttribute);
    for (const Scope& scope : std::views::reverse(scopes_)) {
      if (scope.name != expr.name) continue;
      node->root = Node::Root::kLocal;
      node->slot = scope.slot;
      return node;
    }
    node->root = Node::Root::kVariable;
    const auto known = std::ranges::find(plan_.variables, expr.name);
    node->slot = static_cast<uint32_t>(known - plan_.variables.begin());
    if (known == plan_.variables.end()) plan_.variables.emplace_back(expr.name);
    return node;
  }

  // `operand` with one qualifier more: the same node if it is a chain already.
  Node* Chain(const Node* operand) {
    if (operand->kind == NodeKind::kAttribute && !operand->test_only) {
      return const_cast<Node*>(operand);
    }
    Node* node = New(NodeKind::kAttribute);
    node->args = CopySpan<const Node*>(arena_, std::array{operand});
    node->charge = operand->kind != NodeKind::kTernary;
    return node;
  }
  void AddQualifier(Node* chain, const Qualifier& qualifier) {
    std::vector<Qualifier> all(chain->qualifiers.begin(), chain->qualifiers.end());
    all.push_back(qualifier);
    chain->qualifiers = CopySpan<Qualifier>(arena_, all);
  }

  const Node* MakeSelect(const Expr& expr) {
    const Node* operand = Make(*expr.target);
    Node* chain = Chain(operand);
    AddQualifier(chain, {.key = Val::String(expr.name)});
    if (expr.test_only) {
      chain->test_only = true;
      chain->charge = false;
    }
    return chain;
  }

  const Node* MakeIndex(const Expr& expr, bool optional) {
    const Node* operand = Make(*expr.args[0]);
    const Node* index = Make(*expr.args[1]);
    Node* chain = Chain(operand);
    if (IsConstant(index)) {
      if (!IsPrimitive(index->value.kind())) {
        return Fail("invalid qualifier type: " + std::string(GoTypeNameOf(index->value)));
      }
      AddQualifier(chain, {.key = index->value, .optional = optional});
    } else {
      Uncharged(index);
      AddQualifier(chain, {.index = index, .optional = optional});
    }
    return chain;
  }
  // An attribute that is part of another one is not counted by itself.
  static void Uncharged(const Node* node) {
    if (node->kind == NodeKind::kAttribute) const_cast<Node*>(node)->charge = false;
  }

  std::vector<const Node*> MakeAll(const Expr& expr) {
    std::vector<const Node*> args;
    if (expr.target != nullptr) args.push_back(Make(*expr.target));
    for (const Expr* arg : expr.args) args.push_back(Make(*arg));
    return args;
  }
  Node* With(NodeKind kind, std::span<const Node* const> args) {
    Node* node = New(kind);
    node->args = CopySpan<const Node*>(arena_, args);
    return node;
  }

  const Node* MakeCall(const Expr& expr) {
    const std::string_view name = expr.name;
    if (name == "_[_]") return MakeIndex(expr, false);
    if (name == "_[?_]" || name == "_?._") return MakeIndex(expr, true);
    const std::vector<const Node*> args = MakeAll(expr);
    if (!error_.empty()) return args.empty() ? Constant(Val::Null()) : args[0];
    if (name == "_&&_") return With(NodeKind::kAnd, args);
    if (name == "_||_") return With(NodeKind::kOr, args);
    if (name == "_==_") return With(NodeKind::kEqual, args);
    if (name == "_!=_") return With(NodeKind::kNotEqual, args);
    if (name == "@not_strictly_false") return With(NodeKind::kNotStrictlyFalse, args);
    if (name == "_?_:_") {
      Uncharged(args[1]);
      Uncharged(args[2]);
      return With(NodeKind::kTernary, args);
    }
    if (name == "or" && args.size() == 2) return With(NodeKind::kOptionalOr, args);
    if (name == "orValue" && args.size() == 2) return With(NodeKind::kOptionalOrValue, args);
    return MakePlainCall(expr, args);
  }

  const Node* MakePlainCall(const Expr& expr, std::span<const Node* const> args) {
    Node* node = With(NodeKind::kCall, args);
    node->function = expr.function;
    node->overload = expr.overloads.size() == 1 ? expr.overloads[0] : nullptr;
    node->cost = CallCostOf(expr.name, node->overload == nullptr ? "" : node->overload->id);
    node->stop_at_error =
        args.size() > 2 || (node->overload == nullptr && node->function->impl == nullptr &&
                            node->function->overloads.size() > 1);
    if (node->overload != nullptr && node->overload->id == "in_list" && IsConstant(args[1])) {
      if (const Node* set = MakeSet(args)) return set;
    }
    if (args.size() == 1 && IsConstant(args[0]) &&
        std::ranges::find(kConversions, expr.name) != kConversions.end()) {
      const Val value = evaluation_.EvaluateConstant(*node);
      return value.is_error() ? Fail(std::string(value.AsText())) : Constant(Copy(value));
    }
    const bool pattern = expr.name == "matches" || expr.name == "find" || expr.name == "findAll";
    if (pattern && args.size() >= 2 && IsConstant(args[1]) && args[1]->value.is_string()) {
      Result<Regex> regex = Regex::Compile(args[1]->value.AsText());
      if (!regex) return Fail(regex.error().message());
      node->regex = &plan_.regexes.emplace_back(std::move(*regex));
      node->stop_at_error = true;
    }
    return node;
  }

  // `in` a constant list, without comparing one by one; null: not possible.
  const Node* MakeSet(std::span<const Node* const> args) {
    const Val& list = args[1]->value;
    if (list.kind() != Kind::kList) return nullptr;
    const size_t size = ListSize(list);
    if (size == 0) return Constant(Val::Bool(false));
    MapBuilder set(arena_, size);
    for (size_t i = 0; i < size; ++i) {
      const Val item = ListAt(arena_, list, i);
      if (!IsPrimitive(item.kind())) return nullptr;
      set.Set(item, Val::Bool(true));
    }
    Node* node = With(NodeKind::kInSet, args.first(1));
    node->value = set.Done();
    return node;
  }

  // What was computed for the plan lives as long as it: texts and blocks are in the arena of the
  // evaluation, which is thrown away.
  Val Copy(const Val& value) {
    switch (value.kind()) {
      case Kind::kString:
        return Val::String(arena_.Copy(value.AsText()));
      case Kind::kBytes:
        return Val::Bytes(arena_.Copy(value.AsText()));
      case Kind::kList: {
        const size_t size = ListSize(value);
        ListBuilder copy(arena_, size);
        for (size_t i = 0; i < size; ++i) copy.Add(Copy(ListAt(arena_, value, i)));
        return copy.Done();
      }
      case Kind::kMap: {
        const size_t size = MapSize(value);
        MapBuilder copy(arena_, size);
        for (size_t i = 0; i < size; ++i) {
          const MapItem item = MapAt(arena_, value, i);
          copy.Set(Copy(item.key), Copy(item.value));
        }
        return copy.Done();
      }
      case Kind::kOptional:
        return value.AsOptional() == nullptr ? value
                                             : Val::OptionalOf(arena_, Copy(*value.AsOptional()));
      default:
        return value;
    }
  }
  const Node* Folded(const Node* node) {
    if (!std::ranges::all_of(node->args, IsConstant)) return node;
    const Val value = evaluation_.EvaluateConstant(*node);
    // An error of a constant is one only when it is evaluated.
    return value.is_error() ? node : Constant(Copy(value));
  }

  const Node* MakeList(const Expr& expr) {
    const std::vector<const Node*> items = MakeAll(expr);
    Node* node = With(NodeKind::kList, items);
    if (std::ranges::find(expr.optionals, true) != expr.optionals.end()) {
      node->optionals = expr.optionals;
    }
    return error_.empty() ? Folded(node) : node;
  }

  const Node* MakeMap(const Expr& expr) {
    const std::vector<const Node*> entries = MakeAll(expr);
    Node* node = With(NodeKind::kMap, entries);
    if (std::ranges::find(expr.optionals, true) != expr.optionals.end()) {
      node->optionals = expr.optionals;
    }
    return error_.empty() ? Folded(node) : node;
  }

  const Node* MakeStruct(const Expr& expr) {
    const std::vector<const Node*> values = MakeAll(expr);
    Node* node = With(NodeKind::kStruct, values);
    node->fields = expr.fields;
    node->optionals = expr.optionals;
    node->struct_decl = expr.struct_decl;
    return node;
  }

  const Node* MakeFold(const Expr& expr) {
    const Comprehension& from = *expr.fold;
    FoldNode* fold = new (arena_.Allocate(sizeof(FoldNode), alignof(FoldNode))) FoldNode{};
    fold->init = Make(*from.init);
    fold->range = Make(*from.range);
    fold->two_variables = !from.iter_var2.empty();
    fold->accu_slot = NewSlot();
    fold->iter_slot = NewSlot();
    fold->iter2_slot = fold->two_variables ? NewSlot() : fold->iter_slot;
    // The accumulator is found before the items, whatever their names.
    if (fold->two_variables) scopes_.push_back({from.iter_var2, fold->iter2_slot});
    scopes_.push_back({from.iter_var, fold->iter_slot});
    scopes_.push_back({from.accu_var, fold->accu_slot});
    fold->condition = Make(*from.condition);
    fold->step = Make(*from.step);
    scopes_.resize(scopes_.size() - (fold->two_variables ? 3 : 2));
    scopes_.push_back({from.accu_var, fold->accu_slot});
    fold->result = Make(*from.result);
    scopes_.pop_back();
    Node* node = New(NodeKind::kFold);
    node->fold = fold;
    return node;
  }
  // Every fold has slots of its own, so that an evaluation needs no stack of frames.
  uint32_t NewSlot() { return plan_.locals++; }

  [[maybe_unused]] const Environment& environment_;
  Arena& arena_;
  Plan& plan_;
  Evaluation evaluation_{UINT64_MAX};
  std::vector<Scope> scopes_;
  std::string error_;
};

}  // namespace

std::string MakePlan(const Expr& root, const Environment& environment, Arena& arena, Plan& plan) {
  return Planner(environment, arena, plan).Run(root);
}

}  // namespace skiff::cel
