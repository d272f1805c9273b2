#include "cel/cost_estimate.h"

#include <map>
#include <unordered_map>

#include "cel/cost_call.h"
#include "cel/cost_range.h"
#include "cel/schema_types.h"
#include "cel/values/strings.h"

namespace skiff::cel {
namespace {

constexpr double kString = 0.1;
constexpr double kRegex = 0.25;

using Path = std::vector<std::string>;

// Sizes of what is in a list or map.
struct EntrySize {
  bool list = false;
  SizeRange key;
  SizeRange value;
};

struct LocalVariable {
  Path path;
  std::optional<SizeRange> size;
  std::optional<EntrySize> entry;
};

bool IsScalar(const Type& type) {
  switch (type.kind) {
    case TypeKind::kBool:
    case TypeKind::kDouble:
    case TypeKind::kDuration:
    case TypeKind::kInt:
    case TypeKind::kTimestamp:
    case TypeKind::kUint:
      return true;
    case TypeKind::kOpaque:
      return type.is_optional() && IsScalar(*type.params[0]);
    default:
      return false;
  }
}

std::optional<SizeRange> LiteralSize(const Expr& expr) {
  switch (expr.kind) {
    case ExprKind::kLiteral:
      if (expr.literal.is_string()) return Exactly(CodePointCount(expr.literal.AsText()));
      if (expr.literal.kind() == Kind::kBytes) return Exactly(expr.literal.AsText().size());
      return Exactly(1);
    case ExprKind::kList:
      return Exactly(expr.args.size());
    case ExprKind::kMap:
      return Exactly(expr.args.size() / 2);
    default:
      return {};
  }
}

std::optional<EntrySize> UnionOf(const std::optional<EntrySize>& a,
                                 const std::optional<EntrySize>& b) {
  if (!a || !b) return {};
  return EntrySize{a->list, Union(a->key, b->key), Union(a->value, b->value)};
}

class Estimator {
 public:
  explicit Estimator(const SizeSource* sizes) : sizes_(sizes) {}

  CostRange Cost(const Expr& expr) {
    switch (expr.kind) {
      case ExprKind::kIdent:
        return Ident(expr);
      case ExprKind::kSelect:
        return Select(expr);
      case ExprKind::kCall:
        return Call(expr);
      case ExprKind::kList:
        return List(expr);
      case ExprKind::kMap:
        return Map(expr);
      case ExprKind::kStruct: {
        CostRange sum;
        for (const Expr* value : expr.args) sum = sum + Cost(*value);
        return sum + Exactly(40);
      }
      case ExprKind::kComprehension:
        return IsLet(*expr.fold) ? Let(expr) : Fold(expr);
      default:
        return {};
    }
  }

 private:
  // ---- What is known of nodes.
  const LocalVariable* Local(std::string_view name) const {
    const auto found = locals_.find(name);
    return found == locals_.end() || found->second.empty() ? nullptr : &found->second.back();
  }
  Path PathOf(const Expr& expr) const {
    if (expr.kind == ExprKind::kIdent) {
      if (const LocalVariable* local = Local(expr.name)) return local->path;
    }
    const auto found = paths_.find(&expr);
    return found == paths_.end() ? Path() : found->second;
  }
  static Path Below(Path path, std::string_view step) {
    path.emplace_back(step);
    return path;
  }

  std::optional<SizeRange> SizeOf(const Expr& expr) {
    if (const auto found = computed_.find(&expr); found != computed_.end()) return found->second;
    if (const std::optional<SizeRange> literal = LiteralSize(expr)) return literal;
    if (sizes_ != nullptr) {
      if (const std::optional<SizeRange> size = sizes_->SizeOf(PathOf(expr))) {
        computed_[&expr] = *size;
        return size;
      }
    }
    if (IsScalar(*expr.type)) return Exactly(1);
    if (expr.kind == ExprKind::kIdent) {
      if (const LocalVariable* local = Local(expr.name)) return local->size;
    }
    return {};
  }
  SizeRange SizeOrUnknown(const Expr& expr) { return SizeOf(expr).value_or(kUnknownSize); }

  std::optional<EntrySize> EntryOf(const Expr& expr) const {
    if (const auto found = entries_.find(&expr); found != entries_.end()) return found->second;
    if (expr.kind == ExprKind::kIdent) {
      if (const LocalVariable* local = Local(expr.name)) return local->entry;
    }
    return {};
  }
  void SetEntry(const Expr& expr, const std::optional<EntrySize>& entry) {
    if (entry) entries_[&expr] = *entry;
  }
  void SetSize(const Expr& expr, const std::optional<SizeRange>& size) {
    if (size) computed_[&expr] = *size;
  }

  // ---- Nodes.
  CostRange Ident(const Expr& expr) {
    const LocalVariable* local = Local(expr.name);
    paths_[&expr] = local != nullptr ? local->path : Path{std::string(expr.name)};
    return Exactly(1);
  }

  CostRange Select(const Expr& expr) {
    CostRange sum = Cost(*expr.target);
    if (expr.test_only) return sum;
    switch (expr.target->type->kind) {
      case TypeKind::kMap:
      case TypeKind::kStruct:
      case TypeKind::kTypeParam:
        sum = sum + Exactly(1);
        break;
      default:
        break;
    }
    paths_[&expr] = Below(PathOf(*expr.target), expr.name);
    return sum;
  }

  CostRange List(const Expr& expr) {
    CostRange sum;
    SizeRange items{expr.args.empty() ? 0 : UINT64_MAX, 0};
    for (const Expr* item : expr.args) {
      sum = sum + Cost(*item);
      items = Union(items, SizeOrUnknown(*item));
    }
    SetEntry(expr, EntrySize{true, Exactly(1), items});
    return sum + Exactly(10);
  }

  CostRange Map(const Expr& expr) {
    CostRange sum;
    const uint64_t least = expr.args.empty() ? 0 : UINT64_MAX;
    EntrySize entry{false, {least, 0}, {least, 0}};
    for (size_t i = 0; i < expr.args.size(); i += 2) {
      sum = sum + Cost(*expr.args[i]) + Cost(*expr.args[i + 1]);
      entry.key = Union(entry.key, SizeOrUnknown(*expr.args[i]));
      entry.value = Union(entry.value, SizeOrUnknown(*expr.args[i + 1]));
    }
    SetEntry(expr, entry);
    return sum + Exactly(30);
  }

  CostArgument Argument(const Expr& expr) {
    CostArgument out{&expr, expr.type, PathOf(expr), SizeOf(expr)};
    if (!out.path.empty() && (out.path[0] == kAccumulator || out.path[0] == kOldAccumulator)) {
      out.path.clear();
    }
    return out;
  }

  CostRange Call(const Expr& expr) {
    if (expr.name == "dyn") {
      const CostRange argument = Cost(*expr.args[0]);
      SetSize(expr, SizeOf(*expr.args[0]));
      SetEntry(expr, EntryOf(*expr.args[0]));
      return Exactly(1) + argument;
    }
    std::vector<CostArgument> args;
    std::vector<CostRange> costs;
    for (const Expr* arg : expr.args) {
      costs.push_back(Cost(*arg));
      args.push_back(Argument(*arg));
    }
    if (expr.overloads.empty()) return {};
    CostRange sum;
    std::optional<CostArgument> target;
    if (expr.target != nullptr) {
      sum = Cost(*expr.target);
      target = Argument(*expr.target);
    }
    CostRange all{UINT64_MAX, 0};
    std::optional<SizeRange> size;
    for (const Overload* overload : expr.overloads) {
      const CallEstimate call =
          Overloaded(expr, overload->id, target ? &*target : nullptr, args, costs);
      all = Union(all, call.cost);
      if (call.result_size) size = size ? Union(*size, *call.result_size) : *call.result_size;
      if (overload->id == "index_list" || overload->id == "index_map") {
        const std::optional<EntrySize> entry = EntryOf(*expr.args[0]);
        size.reset();
        if (entry) size = entry->value;
        paths_[&expr] =
            Below(PathOf(*expr.args[0]), overload->id == "index_list" ? "@items" : "@values");
      }
      if (!size) size = SizeOf(expr);
    }
    SetSize(expr, size);
    return sum + all;
  }

  CallEstimate Overloaded(const Expr& expr, std::string_view overload, const CostArgument* target,
                          std::span<const CostArgument> args, std::span<const CostRange> costs) {
    CostRange before;
    for (const CostRange& cost : costs) before = before + cost;
    if (std::optional<CallEstimate> library =
            EstimateLibraryCall(expr.name, overload, target, args, sizes_)) {
      library->cost = library->cost + before;
      return *library;
    }
    if (overload == "logical_and" || overload == "logical_or") {
      return {{costs[0].min, (costs[0] + costs[1]).max}, {}};
    }
    if (overload == "conditional") {
      SetEntry(expr, UnionOf(EntryOf(*expr.args[1]), EntryOf(*expr.args[2])));
      return {costs[0] + Union(costs[1], costs[2]), Union(Size(args[1]), Size(args[2]))};
    }
    CallEstimate call = Standard(expr, overload, target, args);
    call.cost = call.cost + before;
    return call;
  }

  static SizeRange Size(const CostArgument& argument) {
    return argument.size.value_or(kUnknownSize);
  }

  // CEL's own functions, without their arguments.
  CallEstimate Standard(const Expr& expr, std::string_view overload, const CostArgument* target,
                        std::span<const CostArgument> args) {
    if (overload == "string_format" && target != nullptr) return {Size(*target) * kString, {}};
    if (args.size() == 1) {
      const SizeRange size = Size(args[0]);
      if (overload == "string_to_bytes") return {size * kString, SizeRange{size.min, size.max * 4}};
      if (overload == "bytes_to_string") return {size * kString, SizeRange{size.min / 4, size.max}};
      if (overload == "strings_quote") {
        return {size * kString, SizeRange{size.min + 2, size.max * 2 + 2}};
      }
      if (overload == "starts_with_string" || overload == "ends_with_string") {
        return {size * kString, {}};
      }
      if (overload == "matches_string" && target != nullptr) {
        return {((Size(*target) + Exactly(1)) * kString) * (size * kRegex), {}};
      }
      if (overload == "contains_string" && target != nullptr) {
        return {(Size(*target) * kString) * (size * kString), {}};
      }
    }
    if (overload == "in_list") return {Size(args[1]) * 1.0, {}};
    if (overload == "add_string" || overload == "add_bytes" || overload == "add_list") {
      const SizeRange size = Size(args[0]) + Size(args[1]);
      SetEntry(expr, UnionOf(EntryOf(*expr.args[0]), EntryOf(*expr.args[1])));
      if (overload == "add_list") return {Exactly(1), size};
      return {size * kString, size};
    }
    if (overload == "equals" || overload == "not_equals" ||
        ((overload.ends_with("_string") || overload.ends_with("_bytes")) &&
         (overload.starts_with("less_") || overload.starts_with("greater_")))) {
      const uint64_t most = std::min(Size(args[0]).max, Size(args[1]).max);
      return {CostRange{most > 0 ? uint64_t{1} : uint64_t{0}, most} * kString, {}};
    }
    return {Exactly(1), {}};
  }

  // ---- Folds.
  static bool IsLet(const Comprehension& fold) {
    return fold.range->kind == ExprKind::kList && fold.range->args.empty() &&
           fold.condition->kind == ExprKind::kLiteral && fold.condition->literal.is_false() &&
           fold.accu_var != kOldAccumulator;
  }

  CostRange Let(const Expr& expr) {
    const Comprehension& fold = *expr.fold;
    CostRange sum = Cost(*fold.range) + Cost(*fold.init);
    PushLocal(fold.accu_var, *fold.init);
    sum = sum + Cost(*fold.result);
    // The sizes of the result are looked at when the variable is gone, as cel-go has it.
    locals_[fold.accu_var].pop_back();
    SetSize(expr, SizeOf(*fold.result));
    SetEntry(expr, EntryOf(*fold.result));
    return sum;
  }

  void PushLocal(std::string_view name, const Expr& value) {
    LocalVariable local{PathOf(value), SizeOf(value), EntryOf(value)};
    locals_[name].push_back(std::move(local));
  }
  void PushIteration(std::string_view name, const Expr& range, bool key) {
    const std::optional<EntrySize> entry = EntryOf(range);
    const bool list = entry ? entry->list : range.type->kind == TypeKind::kList;
    LocalVariable local;
    if (entry) local.size = key ? entry->key : entry->value;
    const std::string_view step =
        list ? (key ? "@indices" : "@items") : (key ? "@keys" : "@values");
    local.path = Below(PathOf(range), step);
    locals_[name].push_back(std::move(local));
  }

  CostRange Fold(const Expr& expr) {
    const Comprehension& fold = *expr.fold;
    CostRange sum = Cost(*fold.range) + Cost(*fold.init);
    PushLocal(fold.accu_var, *fold.init);
    const std::optional<EntrySize> entry = EntryOf(*fold.range);
    const bool list = entry ? entry->list : fold.range->type->kind == TypeKind::kList;
    const bool two = !fold.iter_var2.empty();
    // The one variable is an item of a list or a key of a map.
    PushIteration(fold.iter_var, *fold.range, two || !list);
    if (two) PushIteration(fold.iter_var2, *fold.range, false);
    const CostRange condition = Cost(*fold.condition);
    const CostRange step = Cost(*fold.step);
    locals_[fold.iter_var].pop_back();
    if (two) locals_[fold.iter_var2].pop_back();
    sum = sum + Cost(*fold.result);
    locals_[fold.accu_var].pop_back();
    const SizeRange count = SizeOrUnknown(*fold.range);
    sum = sum + count * (step + condition);
    if (fold.init->kind == ExprKind::kLiteral) {
      SetSize(expr, SizeOf(*fold.init));
    } else if (fold.init->kind == ExprKind::kList || fold.init->kind == ExprKind::kMap) {
      SetSize(expr, count);
      SetEntry(expr, EntryOf(*fold.step));
    }
    return sum;
  }

  const SizeSource* sizes_;
  std::unordered_map<const Expr*, Path> paths_;
  std::unordered_map<const Expr*, SizeRange> computed_;
  std::unordered_map<const Expr*, EntrySize> entries_;
  std::map<std::string_view, std::vector<LocalVariable>> locals_;
};

}  // namespace

std::optional<SizeRange> SchemaSizes::SizeOf(std::span<const std::string> path) const {
  if (path.empty()) return {};
  const SchemaType* now = &root_;
  for (const std::string& step : path.subspan(1)) {
    if (step == "@items" || step == "@values") {
      const bool goes = step == "@items" ? now->read == SchemaType::Read::kList
                                         : now->read == SchemaType::Read::kMap;
      if (!goes || now->items == nullptr) return {};
      now = now->items;
    } else if (step == "@keys") {
      if (now->read != SchemaType::Read::kMap) return {};
      // Nothing is known of keys but that they are text: the size of the unknown key is 0.
      static const SchemaType kKey;
      now = &kKey;
    } else if (const SchemaType::Property* property = now->Find(step);
               property != nullptr && property->type->is_visible) {
      now = property->type;
    } else {
      return {};
    }
  }
  return SizeRange{0, static_cast<uint64_t>(now->max_elements)};
}

CostRange EstimateCost(const Program& program, const SizeSource* sizes) {
  return Estimator(sizes).Cost(program.root());
}

}  // namespace skiff::cel
