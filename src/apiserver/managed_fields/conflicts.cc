#include "apiserver/managed_fields/conflicts.h"

#include <algorithm>
#include <tuple>

#include "base/limits.h"
#include "base/strings.h"

namespace skiff::apiserver {
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
  Status out(StatusReason::kConflict, "");
  std::string lines;
  size_t count = 0;
  for (const FieldConflict& conflict : conflicts) {
    const std::string owner = OwnerText(conflict.owner);
    const bool tells = lines.size() < limits::kMaxStatusMessageBytes;
    if (tells && !lines.empty()) lines += '\n';
    if (tells) lines += "conflicts with " + owner + ":";
    object::ForEachMember(conflict.fields, [&](std::span<const object::PathElement> path) {
      ++count;
      // What the message has no room for is cut, and only counted here.
      if (lines.size() >= limits::kMaxStatusMessageBytes) return;
      const std::string field = object::PathText(path);
      lines += "\n- " + field;
      out.AddCause({"FieldManagerConflict", "conflict with " + owner, field});
    });
  }
  if (count == 1) {
    const StatusCause& only = out.causes().front();
    out.SetMessage("Apply failed with 1 conflict: " + only.message + ": " + only.field);
  } else {
    out.SetMessage("Apply failed with " + std::to_string(count) + " conflicts: " + lines);
  }
  return out;
}

}  // namespace skiff::apiserver
