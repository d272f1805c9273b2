#include "apiserver/managed_fields/conflicts.h"

#include <algorithm>
#include <tuple>

#include "base/strings.h"

namespace skiff {
namespace {

std::string OwnerText(const ManagedEntry& owner) {
  std::string out = Quoted(owner.manager);
  if (!owner.subresource.empty()) out += " with subresource " + Quoted(owner.subresource);
  if (!owner.applies) out += " using " + std::string(owner.api_version);
  return out;
}

}  // namespace

Status ConflictError(std::vector<FieldConflict> conflicts) {
  std::sort(conflicts.begin(), conflicts.end(), [](const auto& a, const auto& b) {
    return std::tuple(a.owner.manager, a.owner.applies, a.owner.api_version, a.owner.subresource) <
           std::tuple(b.owner.manager, b.owner.applies, b.owner.api_version, b.owner.subresource);
  });
  std::vector<StatusCause> causes;
  std::string lines;
  for (const FieldConflict& conflict : conflicts) {
    const std::string owner = OwnerText(conflict.owner);
    if (!lines.empty()) lines += '\n';
    lines += "conflicts with " + owner + ":";
    ForEachMember(conflict.fields, [&](std::span<const PathElement> path) {
      lines += "\n- " + PathText(path);
      causes.push_back({"FieldManagerConflict", "conflict with " + owner, PathText(path)});
    });
  }
  std::string message;
  if (causes.size() == 1) {
    message = "Apply failed with 1 conflict: " + causes[0].message + ": " + causes[0].field;
  } else {
    message = "Apply failed with " + std::to_string(causes.size()) + " conflicts: " + lines;
  }
  Status out(StatusReason::kConflict, std::move(message));
  for (StatusCause& cause : causes) out.AddCause(std::move(cause));
  return out;
}

}  // namespace skiff
