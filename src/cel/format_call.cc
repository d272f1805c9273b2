#include "cel/format_call.h"

#include <algorithm>

#include "cel/values/format.h"
#include "cel/values/numbers.h"
#include "cel/values/time.h"

namespace skiff::cel {
namespace {

// One evaluation's values, and the first thing that is wrong with one.
class Formatter {
 public:
  explicit Formatter(Arena& arena) : arena_(arena) {}

  Result<void> Clause(const FormatClause& clause, const Val& value, std::string& out) {
    switch (clause.verb) {
      case FormatVerb::kString:
        return String(value, out);
      case FormatVerb::kDecimal:
        if (value.kind() == Kind::kInt) {
          out += Text(value.AsInt());
          return {};
        }
        if (value.kind() == Kind::kUint) {
          out += Text(value.AsUint());
          return {};
        }
        break;
      case FormatVerb::kFixed:
      case FormatVerb::kScientific:
        return Float(clause, value, out);
      case FormatVerb::kBinary:
        if (value.is_bool()) {
          out += value.AsBool() ? '1' : '0';
          return {};
        }
        return Base(clause, value, 2, out);
      case FormatVerb::kOctal:
        return Base(clause, value, 8, out);
      case FormatVerb::kHex:
      case FormatVerb::kUpperHex:
        if (value.is_string() || value.kind() == Kind::kBytes) {
          AppendHexBytes(value.AsText(), clause.verb == FormatVerb::kUpperHex, out);
          return {};
        }
        return Base(clause, value, 16, out);
    }
    return Fault(clause.verb, value);
  }

 private:
  static Result<void> Fault(FormatVerb verb, const Val& value) {
    return BadRequest(FormatTypeFault(verb, TypeNameOf(value)));
  }

  static Result<void> Base(const FormatClause& clause, const Val& value, int base,
                           std::string& out) {
    const bool upper = clause.verb == FormatVerb::kUpperHex;
    if (value.kind() == Kind::kInt) {
      AppendInBase(value.AsInt(), base, upper, out);
    } else if (value.kind() == Kind::kUint) {
      AppendInBase(value.AsUint(), base, upper, out);
    } else {
      return Fault(clause.verb, value);
    }
    return {};
  }

  static Result<void> Float(const FormatClause& clause, const Val& value, std::string& out) {
    double number = 0;
    if (value.kind() == Kind::kDouble) {
      number = value.AsDouble();
    } else if (value.is_string() && (value.AsText() == "NaN" || value.AsText() == "Infinity" ||
                                     value.AsText() == "-Infinity")) {
      number = DoubleFromText(value.AsText()).value_or(0);
    } else {
      return Fault(clause.verb, value);
    }
    if (clause.verb == FormatVerb::kFixed) {
      AppendFixed(number, clause.precision, out);
    } else {
      AppendScientific(number, clause.precision, out);
    }
    return {};
  }

  // By itself, as string() writes it.
  Result<void> String(const Val& value, std::string& out) {
    switch (value.kind()) {
      case Kind::kList:
        return List(value, out);
      case Kind::kMap:
        return Map(value, out);
      case Kind::kInt:
      case Kind::kUint:
      case Kind::kDouble:
      case Kind::kBool:
      case Kind::kString:
      case Kind::kBytes:
      case Kind::kTimestamp:
      case Kind::kDuration:
      case Kind::kType:
      case Kind::kNull:
        out += GoText(arena_, value);
        return {};
      default:
        return Fault(FormatVerb::kString, value);
    }
  }

  // Within a list or map, as a literal.
  Result<void> Item(const Val& value, std::string& out) {
    switch (value.kind()) {
      case Kind::kString:
        AppendStringItem(value.AsText(), out);
        return {};
      case Kind::kBytes:
        AppendBytesItem(value.AsText(), out);
        return {};
      case Kind::kDouble:
        AppendDoubleItem(value.AsDouble(), out);
        return {};
      case Kind::kTimestamp:
        AppendTimestampItem(GoText(arena_, value), out);
        return {};
      case Kind::kDuration:
        AppendDurationItem(GoText(arena_, value), out);
        return {};
      case Kind::kInt:
      case Kind::kUint:
      case Kind::kBool:
      case Kind::kNull:
      case Kind::kType:
        out += GoText(arena_, value);
        return {};
      case Kind::kList:
        return List(value, out);
      case Kind::kMap:
        return Map(value, out);
      default:
        return BadRequest(FormatItemFault(TypeNameOf(value)));
    }
  }

  Result<void> List(const Val& list, std::string& out) {
    out += '[';
    for (size_t i = 0; i < ListSize(list); ++i) {
      if (i > 0) out += ", ";
      SKIFF_RETURN_IF_ERROR(Item(ListAt(arena_, list, i), out));
    }
    out += ']';
    return {};
  }

  Result<void> Map(const Val& map, std::string& out) {
    std::vector<std::pair<std::string, std::string>> pairs;
    for (size_t i = 0; i < MapSize(map); ++i) {
      const MapItem item = MapAt(arena_, map, i);
      switch (item.key.kind()) {
        case Kind::kString:
        case Kind::kBool:
        case Kind::kInt:
        case Kind::kUint:
          break;
        default:
          return BadRequest(FormatKeyFault(TypeNameOf(item.key)));
      }
      auto& [key, value] = pairs.emplace_back();
      SKIFF_RETURN_IF_ERROR(Item(item.key, key));
      SKIFF_RETURN_IF_ERROR(Item(item.value, value));
    }
    std::ranges::stable_sort(pairs, {}, &std::pair<std::string, std::string>::first);
    out += '{';
    for (size_t i = 0; i < pairs.size(); ++i) {
      if (i > 0) out += ", ";
      out += pairs[i].first + ":" + pairs[i].second;
    }
    out += '}';
    return {};
  }

  Arena& arena_;
};

}  // namespace

Val FormatCall(Evaluation& evaluation, std::string_view format, const Val& arguments) {
  Formatter formatter(evaluation.arena());
  std::string out;
  const Result<size_t> used = FormatText(
      format, ListSize(arguments), FormatUse::kRun,
      [&](size_t index, const FormatClause& clause, std::string& to) {
        return formatter.Clause(clause, ListAt(evaluation.arena(), arguments, index), to);
      },
      out);
  return used ? evaluation.String(out) : evaluation.Error(used.error().message());
}

}  // namespace skiff::cel
