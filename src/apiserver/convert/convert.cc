#include "apiserver/convert/convert.h"

#include <string>
#include <utility>

#include "apiserver/convert/copier.h"
#include "object/open_kind.h"

namespace skiff::apiserver {
namespace {

bool IsEvent(const object::MessageDesc* type) {
  return (type->name == "Event" || type->name == "EventList") &&
         (type->group_version->path == "core/v1" || type->group_version->group == "events.k8s.io");
}

// Kinds of the group `extensions` have moved to others.
bool HasMoved(const object::MessageDesc* from, const object::MessageDesc* to) {
  const std::string_view group = to->group_version->group;
  return from->group_version->group == "extensions" &&
         (group == "apps" || group == "networking.k8s.io");
}

}  // namespace

bool CanConvert(const object::MessageDesc* from, const object::MessageDesc* to) {
  if (from == to) return true;
  if (from == nullptr || to == nullptr || !from->is_kind || !to->is_kind) return false;
  if (from->name != to->name || (from->open == nullptr) != (to->open == nullptr)) return false;
  if (from->group_version->group == to->group_version->group) return true;
  return (IsEvent(from) && IsEvent(to)) || HasMoved(from, to);
}

Result<object::Document> Convert(const object::Document& object, const object::MessageDesc* to) {
  if (!CanConvert(object.type(), to)) {
    return Fail(StatusReason::kInternalError, "no conversion from " +
                                                  std::string(object.api_version()) + " " +
                                                  std::string(object.kind()) + " to another kind");
  }
  if (to->open != nullptr) return to->open->ConvertFrom(object);
  object::Document out = object::Document::OfType(to);
  Copier copier(out.arena());
  out.root() = copier.Message(object.root(), to);
  copier.PutText(out.root(), "kind", object.kind().empty() ? to->name : object.kind());
  copier.PutText(out.root(), "apiVersion", to->group_version->api_version);
  return out;
}

Result<object::Document> Convert(object::Document&& object, const object::MessageDesc* to) {
  if (object.type() != to || to == nullptr) {
    return Convert(static_cast<const object::Document&>(object), to);
  }
  if (to->open != nullptr) return std::move(object);
  Copier copier(object.arena());
  if (object.kind().empty()) copier.PutText(object.root(), "kind", to->name);
  copier.PutText(object.root(), "apiVersion", to->group_version->api_version);
  return std::move(object);
}

}  // namespace skiff::apiserver
