#include "cel/evaluation.h"

#include "cel/overloads_regex.h"
#include "cel/schema_types.h"
#include "cel/values/numbers.h"
#include "cel/values/time_zones.h"

namespace skiff::cel {
namespace {

constexpr std::string_view kNoOverload = "no such overload";
constexpr std::string_view kOverBudget = "operation cancelled: actual cost limit exceeded";

}  // namespace

bool MatchesAtRunTime(Arena& arena, const Type& type, const Val& value) {
  if (type.kind == TypeKind::kTypeParam || type.is_dyn()) return true;
  if (type.name != TypeNameOf(value)) return false;
  if (type.kind == TypeKind::kList) {
    return ListSize(value) == 0 ||
           MatchesAtRunTime(arena, *type.params[0], ListAt(arena, value, 0));
  }
  if (type.kind == TypeKind::kMap) {
    if (MapSize(value) == 0) return true;
    const MapItem first = MapAt(arena, value, 0);
    return MatchesAtRunTime(arena, *type.params[0], first.key) &&
           MatchesAtRunTime(arena, *type.params[1], first.value);
  }
  return true;
}

TimeZones& Evaluation::time_zones() {
  static TimeZones zones;  // The database of the machine: the same for all.
  return zones;
}

void Evaluation::Reset() {
  arena_ = Arena();
  owned_.clear();
  cost_ = 0;
  stopped_ = false;
  interrupted_ = false;
}

Val Evaluation::Run(const Program& program, std::span<const Val> variables) {
  variables_ = variables;
  source_ = nullptr;
  return RunPlan(program);
}

Val Evaluation::Run(const Program& program, VariableSource& source) {
  variables_ = {};
  source_ = &source;
  return RunPlan(program);
}

Val Evaluation::RunWithin(const Program& program, VariableSource& source, uint64_t& cost) {
  const uint64_t outer_cost = cost_;
  const std::span<const Val> outer_variables = variables_;
  VariableSource* const outer_source = source_;
  const Plan* const outer_plan = plan_;
  std::vector<Local> outer_locals = std::move(locals_);
  const Val result = Run(program, source);
  cost = cost_;
  cost_ = outer_cost;
  // Who was interrupted, or has no memory left, stays so.
  stopped_ = interrupted_;
  variables_ = outer_variables;
  source_ = outer_source;
  plan_ = outer_plan;
  locals_ = std::move(outer_locals);
  return result;
}

Val Evaluation::RunPlan(const Program& program) {
  plan_ = &program.plan();
  locals_.assign(plan_->locals, {});
  cost_ = 0;
  stopped_ = false;
  const Val result = Evaluate(*plan_->root);
  return stopped_ ? Stopped() : result;
}

Val Evaluation::Stopped() const {
  return Val::ErrorLiteral(interrupted_ ? std::string_view("operation interrupted") : kOverBudget);
}

Val Evaluation::Evaluate(const Node& node) {
  if (stopped_) return Stopped();
  switch (node.kind) {
    case NodeKind::kConstant:
      return node.value;
    case NodeKind::kAttribute:
      return EvaluateAttribute(node);
    case NodeKind::kCall:
      return EvaluateCall(node);
    case NodeKind::kAnd:
      return EvaluateLogic(node, false);
    case NodeKind::kOr:
      return EvaluateLogic(node, true);
    case NodeKind::kTernary:
      return EvaluateTernary(node);
    case NodeKind::kEqual:
    case NodeKind::kNotEqual:
      return EvaluateEqual(node);
    case NodeKind::kInSet: {
      const Val value = Evaluate(*node.args[0]);
      if (value.is_error()) return value;
      return Val::Bool(MapFind(arena_, node.value, value).kind() != Kind::kUnset);
    }
    case NodeKind::kNotStrictlyFalse: {
      const Val value = Evaluate(*node.args[0]);
      Charge(1);
      return value.is_bool() ? value : Val::Bool(true);
    }
    case NodeKind::kOptionalOr:
    case NodeKind::kOptionalOrValue: {
      const Val value = Evaluate(*node.args[0]);
      if (value.kind() != Kind::kOptional) return value;
      if (value.AsOptional() == nullptr) return Evaluate(*node.args[1]);
      return node.kind == NodeKind::kOptionalOr ? value : *value.AsOptional();
    }
    case NodeKind::kList:
      return EvaluateList(node);
    case NodeKind::kMap:
      return EvaluateMap(node);
    case NodeKind::kStruct:
      return EvaluateStruct(node);
    case NodeKind::kFold:
      return EvaluateFold(node);
  }
  return {};
}

Val Evaluation::EvaluateLogic(const Node& node, bool decides) {
  Val error;
  for (const Node* term : node.args) {
    const Val value = Evaluate(*term);
    if (value.is_bool()) {
      if (value.AsBool() == decides) return value;
    } else if (error.kind() == Kind::kUnset) {
      error = value.is_error() ? value : Val::ErrorLiteral(kNoOverload);
    }
  }
  return error.kind() == Kind::kUnset ? Val::Bool(!decides) : error;
}

namespace {

// An optional within an optional, read as an attribute, is one: cel-go unwraps all of it and wraps
// it once.
Val Flattened(Arena& arena, const Val& value) {
  if (value.kind() != Kind::kOptional || value.AsOptional() == nullptr) return value;
  const Val* inner = value.AsOptional();
  if (inner->kind() != Kind::kOptional || inner->AsOptional() == nullptr) return value;
  while (inner->kind() == Kind::kOptional && inner->AsOptional() != nullptr) {
    inner = inner->AsOptional();
  }
  return Val::OptionalOf(arena, *inner);
}

}  // namespace

Val Evaluation::EvaluateTernary(const Node& node) {
  const Val condition = Evaluate(*node.args[0]);
  if (condition.is_bool()) {
    return Flattened(arena_, Evaluate(*node.args[condition.AsBool() ? 1 : 2]));
  }
  return condition.is_error() ? condition : Val::ErrorLiteral(kNoOverload);
}

Val Evaluation::EvaluateEqual(const Node& node) {
  const Val left = Evaluate(*node.args[0]);
  const Val right = Evaluate(*node.args[1]);
  Val result;
  if (left.is_error()) {
    result = left;
  } else if (right.is_error()) {
    result = right;
  } else {
    result = EqualVals(arena_, left, right);
    if (node.kind == NodeKind::kNotEqual) result = Val::Bool(!result.is_true());
  }
  if (stopped_) return Stopped();
  Charge(EqualCost(left, right));
  return result;
}

Val Evaluation::EvaluateCall(const Node& node) {
  constexpr size_t kFew = 4;
  Val few[kFew];
  const size_t count = node.args.size();
  Val* args = count <= kFew ? few : arena_.AllocateArray<Val>(count);
  Val error;
  size_t done = 0;
  while (done < count) {
    new (&args[done]) Val(Evaluate(*node.args[done]));
    const bool failed = args[done].is_error();
    if (failed && error.kind() == Kind::kUnset) error = args[done];
    ++done;
    if (failed && node.stop_at_error) break;
  }
  if (stopped_) return Stopped();
  const std::span<const Val> values(args, count);
  if (error.kind() != Kind::kUnset) {
    if (done == count) Charge(node.cost == nullptr ? 1 : node.cost(arena_, values, error));
    return error;
  }
  const Val result = Invoke(node, values);
  Charge(node.cost == nullptr ? 1 : node.cost(arena_, values, result));
  return stopped_ ? Stopped() : result;
}

Val Evaluation::Invoke(const Node& node, std::span<const Val> args) {
  const FunctionDecl& function = *node.function;
  if (node.regex != nullptr) return InvokeRegex(*this, *node.regex, function.name, args);
  if (function.impl != nullptr) {
    if (function.applies == nullptr || function.applies(args[0])) return function.impl(*this, args);
    switch (args[0].kind()) {
      // These answer for themselves in cel-go, with fewer words.
      case Kind::kString:
      case Kind::kTimestamp:
      case Kind::kDuration:
        return Val::ErrorLiteral(kNoOverload);
      default:
        return Error("no such overload: " + function.name);
    }
  }
  const auto matches = [&](const Overload& overload) {
    if (overload.impl == nullptr || overload.args.size() != args.size()) return false;
    for (size_t i = 0; i < args.size(); ++i) {
      if (!MatchesAtRunTime(arena_, *overload.args[i], args[i])) return false;
    }
    return true;
  };
  if (node.overload != nullptr) {
    if (matches(*node.overload)) return node.overload->impl(*this, args);
  } else {
    for (const Overload& overload : function.overloads) {
      if (matches(overload)) return overload.impl(*this, args);
    }
  }
  std::string message = "no such overload: " + function.name + "(";
  for (size_t i = 0; i < args.size(); ++i) {
    if (i > 0) message += ", ";
    message += TypeNameOf(args[i]);
  }
  return Error(message + ")");
}

Val Evaluation::EvaluateList(const Node& node) {
  ListBuilder list(arena_, node.args.size());
  for (size_t i = 0; i < node.args.size(); ++i) {
    Val item = Evaluate(*node.args[i]);
    if (item.is_error()) {
      Charge(10);
      return item;
    }
    if (!node.optionals.empty() && node.optionals[i]) {
      if (item.kind() != Kind::kOptional) {
        Charge(10);
        return Error("cannot initialize optional list element from non-optional value " +
                     GoText(arena_, item));
      }
      if (item.AsOptional() == nullptr) continue;
      item = *item.AsOptional();
    }
    list.Add(item);
  }
  Charge(10);
  return list.Done();
}

Val Evaluation::EvaluateMap(const Node& node) {
  MapBuilder map(arena_, node.args.size() / 2);
  for (size_t i = 0; i < node.args.size(); i += 2) {
    const Val key = Evaluate(*node.args[i]);
    if (key.is_error()) {
      Charge(30);
      return key;
    }
    Val value = Evaluate(*node.args[i + 1]);
    if (value.is_error()) {
      Charge(30);
      return value;
    }
    if (!node.optionals.empty() && node.optionals[i / 2]) {
      if (value.kind() != Kind::kOptional) {
        Charge(30);
        return Error("cannot initialize optional entry '" + GoText(arena_, key) +
                     "' from non-optional value " + GoText(arena_, value));
      }
      if (value.AsOptional() == nullptr) {
        map.Erase(key);
        continue;
      }
      value = *value.AsOptional();
    }
    map.Set(key, value);
  }
  Charge(30);
  return map.Done();
}

Val Evaluation::EvaluateStruct(const Node& node) {
  MapBuilder map(arena_, node.args.size());
  Val error;
  for (size_t i = 0; i < node.args.size() && !error.is_error(); ++i) {
    Val value = Evaluate(*node.args[i]);
    const Val name = Val::String(node.fields[i]);
    if (value.is_error()) {
      error = value;
    } else if (node.optionals[i]) {
      if (value.kind() != Kind::kOptional) {
        error = Error("cannot initialize optional entry '" + std::string(node.fields[i]) +
                      "' from non-optional value " + GoText(arena_, value));
      } else if (value.AsOptional() == nullptr) {
        map.Erase(name);
      } else {
        map.Set(name, *value.AsOptional());
      }
    } else {
      map.Set(name, value);
    }
  }
  if (stopped_) return Stopped();
  Charge(40);
  if (error.is_error()) return error;
  const StructDecl& decl = *node.struct_decl;
  return decl.make == nullptr ? Val::Struct(map.block(), decl.type)
                              : decl.make(*this, decl, *map.block());
}

bool Evaluation::FoldStep(const FoldNode& fold) {
  const Val condition = Evaluate(*fold.condition);
  if (stopped_ || condition.is_false()) return false;
  const Val value = Evaluate(*fold.step);
  Local& accu = locals_[fold.accu_slot];
  accu.value = value;
  accu.pending = nullptr;
  if (interrupt_ != nullptr && interrupt_->load(std::memory_order_relaxed)) {
    interrupted_ = true;
    stopped_ = true;
  }
  return !stopped_;
}

Val Evaluation::EvaluateFold(const Node& node) {
  const FoldNode& fold = *node.fold;
  const Val range = Evaluate(*fold.range);
  if (range.is_error()) return range;
  locals_[fold.accu_slot] = {{}, fold.init};
  if (range.kind() == Kind::kList) {
    const size_t size = ListSize(range);
    for (size_t i = 0; i < size; ++i) {
      const Val item = ListAt(arena_, range, i);
      locals_[fold.iter_slot].value = fold.two_variables ? Val::Int(static_cast<int64_t>(i)) : item;
      if (fold.two_variables) locals_[fold.iter2_slot].value = item;
      if (!FoldStep(fold)) break;
    }
  } else if (range.kind() == Kind::kMap) {
    const size_t size = MapSize(range);
    for (size_t i = 0; i < size; ++i) {
      const MapItem item = MapAt(arena_, range, i);
      if (item.key.kind() == Kind::kUnset) continue;
      locals_[fold.iter_slot].value = item.key;
      if (fold.two_variables) locals_[fold.iter2_slot].value = item.value;
      if (!FoldStep(fold)) break;
    }
  } else if (fold.two_variables) {
    return Error("unsupported comprehension range type: " + std::string(GoTypeNameOf(range)));
  } else {
    return Error("got '" + std::string(GoTypeNameOf(range)) + "', expected iterable type");
  }
  return Evaluate(*fold.result);
}

// ---- Attributes.

Val Evaluation::RootOf(const Node& node) {
  switch (node.root) {
    case Node::Root::kOperand:
      return Evaluate(*node.args[0]);
    case Node::Root::kLocal: {
      Local& local = locals_[node.slot];
      if (local.pending != nullptr) {
        // The first use computes it, and where it is used pays for it.
        const Node* init = local.pending;
        local.pending = nullptr;
        const Val value = Evaluate(*init);
        locals_[node.slot].value = value;
        return value;
      }
      return local.value;
    }
    case Node::Root::kVariable: {
      const std::string& name = plan_->variables[node.slot];
      Val value;
      if (source_ != nullptr) {
        value = source_->Get(name, arena_);
      } else if (node.slot < variables_.size()) {
        value = variables_[node.slot];
      }
      return value.kind() == Kind::kUnset ? Error("no such attribute(s): " + name) : value;
    }
  }
  return {};
}

Val Evaluation::EvaluateAttribute(const Node& node) {
  Val value = RootOf(node);
  if (stopped_) return Stopped();
  bool optional = false;
  if (!node.qualifiers.empty() && value.kind() == Kind::kOptional) {
    if (value.AsOptional() == nullptr) {
      if (node.charge) Charge(1);
      return node.test_only ? Val::Bool(false) : value;
    }
    value = *value.AsOptional();
    optional = true;
  }
  for (size_t i = 0; i < node.qualifiers.size() && !value.is_error(); ++i) {
    const Qualifier& qualifier = node.qualifiers[i];
    const bool tested = node.test_only && i + 1 == node.qualifiers.size();
    optional |= qualifier.optional;
    const Val key = qualifier.index == nullptr ? qualifier.key : Evaluate(*qualifier.index);
    if (stopped_) return Stopped();
    if (key.is_error()) {
      value = key;
    } else {
      value = Qualify(value, key, optional || tested, tested);
    }
    const bool absent = value.kind() == Kind::kUnset;
    // What is looked for and not there costs nothing, but a test does.
    if (!(optional && (absent || value.is_error()))) Charge(1);
    if (tested && !value.is_error()) {
      value = Val::Bool(!absent);
    } else if (absent) {
      if (node.charge) Charge(1);
      return node.test_only ? Val::Bool(false) : Val::OptionalNone();
    }
  }
  if (node.charge) Charge(1);
  if (stopped_) return Stopped();
  if (!optional || value.is_error() || node.test_only) return value;
  return Val::OptionalOf(arena_, value);
}

namespace {

// The index that a key of a list stands for; -1: none.
Val ListIndex(Arena& arena, const Val& key, int64_t& index) {
  switch (key.kind()) {
    case Kind::kInt:
      index = key.AsInt();
      return {};
    case Kind::kUint:
      index =
          key.AsUint() > static_cast<uint64_t>(INT64_MAX) ? -1 : static_cast<int64_t>(key.AsUint());
      return {};
    case Kind::kDouble:
      if (const std::optional<int64_t> exact = ExactInt(key.AsDouble())) {
        index = *exact;
        return {};
      }
      return Val::Error(arena, "unsupported index value " + GoText(arena, key) + " in list");
    default:
      return Val::Error(arena,
                        "unsupported index type '" + std::string(TypeNameOf(key)) + "' in list");
  }
}

}  // namespace

Val Evaluation::Qualify(const Val& object, const Val& key, bool presence, bool presence_only) {
  switch (key.kind()) {
    case Kind::kString:
    case Kind::kInt:
    case Kind::kUint:
    case Kind::kDouble:
    case Kind::kBool:
      break;
    default:
      return Error("invalid qualifier type: " + std::string(GoTypeNameOf(key)));
  }
  switch (object.kind()) {
    case Kind::kMap:
    case Kind::kStruct: {
      const Val map =
          object.kind() == Kind::kMap ? object : Val::Map(object.map_block(), object.raw_size());
      const Val value = MapFind(arena_, map, key);
      if (value.kind() != Kind::kUnset) {
        return presence_only && !value.is_error() ? Val::Bool(true) : value;
      }
      if (!map.in_document() && map.map_block()->fallback != nullptr) {
        return *map.map_block()->fallback;
      }
      break;
    }
    case Kind::kList: {
      int64_t index = -1;
      if (const Val error = ListIndex(arena_, key, index); error.is_error()) return error;
      if (index >= 0 && static_cast<uint64_t>(index) < ListSize(object)) {
        return ListAt(arena_, object, static_cast<size_t>(index));
      }
      if (presence) return {};
      return Error("index out of bounds: " + GoText(arena_, key));
    }
    default:
      break;
  }
  if (presence) return {};
  return Error("no such key: " + GoText(arena_, key));
}

}  // namespace skiff::cel
