#include "cel/literal_checks.h"

#include <string>

#include "cel/types.h"
#include "cel/values/format.h"
#include "cel/values/regex.h"
#include "cel/values/time.h"

namespace skiff::cel {
namespace {

class LiteralChecker {
 public:
  LiteralChecker(const Source& source, std::vector<Issue>& issues)
      : source_(source), issues_(issues) {}

  void Visit(const Expr& expr, bool in_format) {
    if (expr.kind == ExprKind::kCall) Call(expr);
    if (expr.kind == ExprKind::kList && !in_format) List(expr);
    if (expr.kind == ExprKind::kMap && !in_format) Map(expr);
    const bool below_format = in_format || (expr.kind == ExprKind::kCall && expr.name == "format");
    if (expr.target != nullptr) Visit(*expr.target, below_format);
    for (const Expr* arg : expr.args) Visit(*arg, below_format);
    if (expr.fold != nullptr) {
      for (const Expr* part : {expr.fold->range, expr.fold->init, expr.fold->condition,
                               expr.fold->step, expr.fold->result}) {
        Visit(*part, below_format);
      }
    }
  }

 private:
  void Report(int32_t position, std::string message) {
    issues_.push_back(source_.At(position, std::move(message)));
  }

  void Call(const Expr& expr) {
    if (expr.args.empty()) return;
    const Expr& first = *expr.args[0];
    if (expr.name == "format" && expr.target != nullptr) return Format(expr);
    if (first.kind != ExprKind::kLiteral) return;
    const Val& literal = first.literal;
    const bool text = literal.is_string();
    bool good = true;
    if (expr.name == "duration") {
      good = text && DurationFromText(literal.AsText());
    } else if (expr.name == "timestamp") {
      good =
          text ? TimestampFromText(literal.AsText()).has_value()
               : literal.kind() == Kind::kInt && TimestampFromSeconds(literal.AsInt()).has_value();
    } else if (expr.name == "matches") {
      good = !text || Regex::Compile(literal.AsText());
    } else {
      return;
    }
    if (!good) Report(first.position, "invalid " + std::string(expr.name) + " argument");
  }

  void Mismatch(const Expr& at, const Type& expected, const Type& actual) {
    Report(at.position,
           "expected type '" + FormatType(expected) + "' but found '" + FormatType(actual) + "'");
  }
  static const Type* Unwrapped(const Type* type, bool optional) {
    return optional && !type->params.empty() ? type->params[0] : type;
  }

  void List(const Expr& expr) {
    const Type* items = nullptr;
    for (size_t i = 0; i < expr.args.size(); ++i) {
      const bool optional = i < expr.optionals.size() && expr.optionals[i];
      const Type* type = Unwrapped(expr.args[i]->type, optional);
      if (items == nullptr) {
        items = type;
      } else if (!SameType(*items, *type)) {
        Mismatch(*expr.args[i], *items, *type);
        return;
      }
    }
  }

  void Map(const Expr& expr) {
    const Type* keys = nullptr;
    const Type* values = nullptr;
    for (size_t i = 0; i + 1 < expr.args.size(); i += 2) {
      const bool optional = i / 2 < expr.optionals.size() && expr.optionals[i / 2];
      const Type* key = expr.args[i]->type;
      const Type* value = Unwrapped(expr.args[i + 1]->type, optional);
      if (keys == nullptr) {
        keys = key;
        values = value;
        continue;
      }
      if (!SameType(*keys, *key)) Mismatch(*expr.args[i], *keys, *key);
      if (!SameType(*values, *value)) Mismatch(*expr.args[i + 1], *values, *value);
    }
  }

  // ---- string.format() with a literal text and a literal list.

  static bool IsOneOf(const Type& type, std::initializer_list<TypeKind> kinds) {
    if (type.kind == TypeKind::kDyn) return true;
    for (const TypeKind kind : kinds) {
      if (type.kind == kind) return true;
    }
    return false;
  }
  // Null: all of it can be written as text.
  static const Expr* NotText(const Expr& expr) {
    using K = TypeKind;
    if (!IsOneOf(*expr.type,
                 {K::kList, K::kMap, K::kInt, K::kUint, K::kDouble, K::kBool, K::kString,
                  K::kTimestamp, K::kBytes, K::kDuration, K::kType, K::kNull})) {
      return &expr;
    }
    if (expr.kind != ExprKind::kList && expr.kind != ExprKind::kMap) return nullptr;
    for (const Expr* arg : expr.args) {
      if (const Expr* bad = NotText(*arg)) return bad;
    }
    return nullptr;
  }
  // Null: the clause takes it.
  static const Expr* Refused(const Expr& arg, FormatVerb verb) {
    using K = TypeKind;
    switch (verb) {
      case FormatVerb::kString:
        return NotText(arg);
      case FormatVerb::kDecimal:
      case FormatVerb::kOctal:
        return IsOneOf(*arg.type, {K::kInt, K::kUint}) ? nullptr : &arg;
      case FormatVerb::kFixed:
      case FormatVerb::kScientific:
        return IsOneOf(*arg.type, {K::kDouble, K::kString}) ? nullptr : &arg;
      case FormatVerb::kBinary:
        return IsOneOf(*arg.type, {K::kBool, K::kInt, K::kUint}) ? nullptr : &arg;
      case FormatVerb::kHex:
      case FormatVerb::kUpperHex:
        return IsOneOf(*arg.type, {K::kInt, K::kUint, K::kString, K::kBytes}) ? nullptr : &arg;
    }
    return nullptr;
  }

  void Format(const Expr& expr) {
    const Expr& text = *expr.target;
    const Expr& list = *expr.args[0];
    if (text.kind != ExprKind::kLiteral || !text.literal.is_string() ||
        list.kind != ExprKind::kList) {
      return;
    }
    int32_t position = expr.position;
    std::string out;
    const Result<size_t> used = FormatText(
        text.literal.AsText(), list.args.size(), FormatUse::kCheck,
        [&](size_t index, const FormatClause& clause, std::string&) -> Result<void> {
          if (index >= list.args.size()) return {};
          const Expr* bad = Refused(*list.args[index], clause.verb);
          if (bad == nullptr) return {};
          position = bad->position;
          return BadRequest(FormatTypeFault(clause.verb, bad->type->name));
        },
        out);
    if (!used) {
      Report(position, used.error().message());
    } else if (list.args.size() > *used) {
      Report(expr.position, "too many arguments supplied to string.format (expected " +
                                std::to_string(*used) + ", got " +
                                std::to_string(list.args.size()) + ")");
    }
  }

  const Source& source_;
  std::vector<Issue>& issues_;
};

}  // namespace

void CheckLiterals(const Expr& root, const Source& source, std::vector<Issue>& issues) {
  LiteralChecker(source, issues).Visit(root, false);
}

}  // namespace skiff::cel
