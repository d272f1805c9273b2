#include "apiserver/tables/cell_program.h"

#include <array>
#include <charconv>
#include <utility>

#include "apiserver/tables/cell_text.h"
#include "base/strings.h"

namespace skiff::apiserver {
namespace {

constexpr std::string_view kOr = " or ";
constexpr int64_t kNanosPerSecond = 1'000'000'000;

Status BadCell(std::string_view notation) {
  return Status(StatusReason::kInternalError,
                "a column has the cell " + std::string(notation) + ", which says nothing");
}

// Quotes hold constants, in which " or " means nothing.
size_t FindOr(std::string_view notation) {
  bool quoted = false;
  for (size_t i = 0; i < notation.size(); ++i) {
    if (notation[i] == '"') quoted = !quoted;
    if (!quoted && notation.substr(i).starts_with(kOr)) return i;
  }
  return std::string_view::npos;
}

int64_t IntegerOf(const object::Value* value) {
  if (value == nullptr) return 0;
  if (value->tag() == object::Tag::kInt) return value->AsInt();
  return value->tag() == object::Tag::kUint ? static_cast<int64_t>(value->AsUint()) : 0;
}

}  // namespace

Result<CellProgram> CellProgram::Compile(std::string_view notation,
                                         const object::MessageDesc* kind) {
  CellProgram program;
  while (true) {
    const size_t end = FindOr(notation);
    SKIFF_ASSIGN_OR_RETURN(Part part, CompilePart(notation.substr(0, end), kind));
    program.parts_.push_back(std::move(part));
    if (end == std::string_view::npos) return program;
    notation.remove_prefix(end + kOr.size());
  }
}

Result<CellProgram::Part> CellProgram::CompilePart(std::string_view notation,
                                                   const object::MessageDesc* kind) {
  if (notation.starts_with('.')) {
    Part part{.op = Op::kText};
    SKIFF_RETURN_IF_ERROR(AddPaths(notation, ",", kind, &part));
    return part;
  }
  if (notation.size() >= 2 && notation.starts_with('"') && notation.ends_with('"')) {
    Part part{.op = Op::kConstant};
    part.text = std::make_shared<const std::string>(notation.substr(1, notation.size() - 2));
    part.constant = Cell::Text(*part.text);
    return part;
  }
  if (notation == "true" || notation == "false") {
    return Part{.op = Op::kConstant, .constant = Cell::Bool(notation == "true")};
  }
  int64_t number = 0;
  const char* const end = notation.data() + notation.size();
  if (const auto [at, error] = std::from_chars(notation.data(), end, number);
      error == std::errc() && at == end) {
    return Part{.op = Op::kConstant, .constant = Cell::Int(number)};
  }
  const size_t bracket = notation.find('(');
  if (bracket == std::string_view::npos || !notation.ends_with(')')) {
    return std::unexpected(BadCell(notation));
  }
  return CompileCall(notation.substr(0, bracket),
                     notation.substr(bracket + 1, notation.size() - bracket - 2), kind);
}

Result<CellProgram::Part> CellProgram::CompileCall(std::string_view name,
                                                   std::string_view arguments,
                                                   const object::MessageDesc* kind) {
  if (name == "code") {
    const CodeCell* const code = FindCodeCell(arguments);
    if (code == nullptr) return std::unexpected(BadCell(arguments));
    return Part{.op = Op::kCode, .code = code};
  }
  if (name == "int" && arguments.starts_with("len(")) {
    Part part{.op = Op::kLength};
    SKIFF_RETURN_IF_ERROR(AddPaths(arguments, " + ", kind, &part));
    return part;
  }
  constexpr auto kCalls = std::to_array<std::pair<std::string_view, Op>>({
      {"int", Op::kInt},
      {"bool", Op::kBool},
      {"age", Op::kAge},
      {"duration", Op::kDuration},
      {"ratio", Op::kRatio},
      {"join", Op::kJoin},
      {"trim", Op::kTrim},
      {"labels", Op::kLabels},
      {"selector", Op::kSelector},
      {"names", Op::kNames},
      {"images", Op::kImages},
      {"access-modes", Op::kAccessModes},
  });
  for (const auto& [call, op] : kCalls) {
    if (call != name) continue;
    Part part{.op = op};
    SKIFF_RETURN_IF_ERROR(AddPaths(arguments, ",", kind, &part));
    if (part.paths.size() != (op == Op::kRatio ? 2 : 1)) break;
    return part;
  }
  return std::unexpected(BadCell(name));
}

Result<void> CellProgram::AddPaths(std::string_view arguments, std::string_view separator,
                                   const object::MessageDesc* kind, Part* part) {
  while (true) {
    const size_t end = arguments.find(separator);
    std::string_view one = arguments.substr(0, end);
    if (one.starts_with("len(") && one.ends_with(')')) one = one.substr(4, one.size() - 5);
    SKIFF_ASSIGN_OR_RETURN(CellPath path, CellPath::Resolve(one, kind));
    part->paths.push_back(std::move(path));
    if (end == std::string_view::npos) return {};
    arguments.remove_prefix(end + separator.size());
  }
}

Result<void> CellProgram::KeepFields(FieldFilter& filter) const {
  for (const Part& part : parts_) {
    for (const CellPath& path : part.paths) {
      std::string wanted = path.text();
      if (part.op == Op::kLength) wanted += '#';
      if (part.op == Op::kNames) wanted += ".name";
      if (part.op == Op::kImages) wanted += ".image";
      SKIFF_RETURN_IF_ERROR(filter.Keep(wanted));
    }
    if (part.code == nullptr) continue;
    for (const std::string_view path : part.code->paths) {
      SKIFF_RETURN_IF_ERROR(filter.Keep(path));
    }
  }
  return {};
}

Cell CellProgram::Run(const CellContext& context) const {
  Cell cell;
  for (const Part& part : parts_) {
    cell = RunPart(part, context);
    if (cell.kind != Cell::Kind::kUnset) return cell;
  }
  // The last alternative is what it would be if it were set.
  switch (parts_.back().op) {
    case Op::kInt:
      return Cell::Int(0);
    case Op::kBool:
      return Cell::Bool(false);
    case Op::kAge:
      return Cell::Text("<unknown>");
    default:
      return Cell::Text("");
  }
}

Cell CellProgram::RunPart(const Part& part, const CellContext& context) {
  switch (part.op) {
    case Op::kConstant:
      return part.constant;
    case Op::kCode:
      return part.code->run(context);
    case Op::kLength: {
      size_t sum = 0;
      for (const CellPath& path : part.paths) {
        const object::Value* const value = path.Follow(context.object).value;
        if (value != nullptr) sum += value->size();
      }
      return Cell::Int(static_cast<int64_t>(sum));
    }
    case Op::kRatio:
      return context.Concat(
          {context.Number(IntegerOf(part.paths[0].Follow(context.object).value)), "/",
           context.Number(IntegerOf(part.paths[1].Follow(context.object).value))});
    default:
      return RunOnValue(part, part.paths[0].Follow(context.object), context);
  }
}

Cell CellProgram::RunOnValue(const Part& part, CellPath::Found found, const CellContext& context) {
  const object::Value* const value = found.value;
  switch (part.op) {
    case Op::kLabels:
      return Cell::Text(LabelsText(value, context));
    case Op::kSelector:
      return Cell::Text(SelectorText(value, context));
    case Op::kAccessModes:
      return Cell::Text(AccessModesText(value, context));
    case Op::kNames:
      return Cell::Text(MembersText(value, "name", context));
    case Op::kImages:
      return Cell::Text(MembersText(value, "image", context));
    default:
      break;
  }
  if (part.op == Op::kText && value == nullptr &&
      part.paths[0].type() == object::FieldType::kQuantity) {
    return Cell::Text("0");
  }
  if (!found.set) return Cell::Unset();
  switch (part.op) {
    case Op::kInt:
      return Cell::Int(IntegerOf(value));
    case Op::kBool:
      return Cell::Bool(value != nullptr && value->AsBool());
    case Op::kAge:
      return Cell::Text(context.Age(value == nullptr ? object::kZeroTimestamp : value->AsTime()));
    case Op::kDuration:
      return Cell::Text(context.HumanDuration(IntegerOf(value) * kNanosPerSecond));
    case Op::kJoin:
      return Cell::Text(MembersText(value, {}, context));
    case Op::kTrim:
      return Cell::Text(TrimSpace(value->AsText()));
    default:
      return Cell::Text(ValueText(value, context));
  }
}

}  // namespace skiff::apiserver
