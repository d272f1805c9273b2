#include "store/cache/fact_path.h"

#include <charconv>

namespace skiff::store {
namespace {

constexpr std::string_view kOr = " or ";

std::unexpected<Status> BadCell(std::string_view cell) {
  return Fail(StatusReason::kInternalError,
              "the cell " + std::string(cell) + " of a field selector is not understood");
}

// ".status.podIPs[0].ip"
Result<std::vector<FactStep>> ParseSteps(std::string_view path) {
  std::vector<FactStep> steps;
  for (std::string_view rest = path; !rest.empty();) {
    if (rest[0] != '.') return BadCell(path);
    const std::string_view part = rest.substr(1, rest.find('.', 1) - 1);
    rest.remove_prefix(1 + part.size());
    FactStep& step = steps.emplace_back(std::string(part.substr(0, part.find('['))));
    const std::string_view index = part.substr(step.name.size());
    if (step.name.empty()) return BadCell(path);
    if (index.empty()) continue;
    const char* const end = index.data() + index.size() - 1;
    const auto parsed = std::from_chars(index.data() + 1, end, step.item);
    if (index.size() < 3 || *end != ']' || parsed.ptr != end || parsed.ec != std::errc() ||
        step.item < 0) {
      return BadCell(path);
    }
  }
  if (steps.empty()) return BadCell(path);
  return steps;
}

Result<FactPath> ParseTerm(std::string_view term) {
  if (term.size() >= 2 && term.starts_with('"') && term.ends_with('"')) {
    return FactPath{.steps = {}, .absent = std::string(term.substr(1, term.size() - 2))};
  }
  FactPath path;
  for (const auto& [function, absent] : {std::pair("bool(", "false"), std::pair("int(", "0")}) {
    if (!term.starts_with(function) || !term.ends_with(')')) continue;
    term = term.substr(std::string_view(function).size());
    term.remove_suffix(1);
    path.absent = absent;
    break;
  }
  SKIFF_ASSIGN_OR_RETURN(path.steps, ParseSteps(term));
  return path;
}

}  // namespace

std::string FactPath::ToString() const {
  std::string out;
  for (const FactStep& step : steps) {
    if (!out.empty()) out += '.';
    out += step.name;
    if (step.item >= 0) out += "[" + std::to_string(step.item) + "]";
  }
  return out;
}

Result<std::vector<FactPath>> ParseFactCell(std::string_view cell) {
  std::vector<FactPath> paths;
  while (true) {
    const size_t end = cell.find(kOr);
    SKIFF_ASSIGN_OR_RETURN(FactPath path, ParseTerm(cell.substr(0, end)));
    paths.push_back(std::move(path));
    if (end == std::string_view::npos) return paths;
    cell.remove_prefix(end + kOr.size());
  }
}

std::string ResolveFieldAlias(const object::ResourceHub& hub, std::string_view label) {
  for (const object::FieldAlias& alias : hub.field_aliases) {
    if (alias.label == label) return std::string(alias.target);
    if (!alias.label.ends_with(".*") || !alias.target.ends_with(".*")) continue;
    const std::string_view below = alias.label.substr(0, alias.label.size() - 1);
    if (!label.starts_with(below)) continue;
    return std::string(alias.target.substr(0, alias.target.size() - 1)) +
           std::string(label.substr(below.size()));
  }
  return std::string(label);
}

}  // namespace skiff::store
