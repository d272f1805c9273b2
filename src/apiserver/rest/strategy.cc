#include "apiserver/rest/strategy.h"

#include <charconv>
#include <utility>

#include "apiserver/rest/object_meta.h"
#include "base/strings.h"
#include "object/json/decode.h"

namespace skiff::apiserver {
namespace {

// Of metadata, what an update of the status leaves alone.
constexpr std::string_view kStatusKeeps[] = {
    "deletionTimestamp", "generation", "selfLink",       "labels",
    "annotations",       "finalizers", "ownerReferences"};
constexpr std::string_view kAllMetadata[] = {"name",
                                             "generateName",
                                             "namespace",
                                             "selfLink",
                                             "uid",
                                             "generation",
                                             "creationTimestamp",
                                             "deletionTimestamp",
                                             "deletionGracePeriodSeconds",
                                             "labels",
                                             "annotations",
                                             "ownerReferences",
                                             "finalizers"};

// The value at the path, or null; a path that the type does not have was refused in Make().
const object::Value* Find(const object::FieldPath& path, const object::Document& document) {
  const Result<const object::Value*> found = path.Get(document.root());
  return found ? *found : nullptr;
}

// The constant is read as part of an object of the same type, so that it is typed like one.
void SetConstant(const object::FieldPath& path, std::string_view value_json,
                 object::Document& object) {
  std::string json;
  std::string end;
  for (const object::FieldPathStep& step : path.steps()) {
    json += "{\"" + step.name + "\":";
    end += '}';
  }
  const Result<object::Document> typed =
      object::DecodeJson(json + std::string(value_json) + end, object.type());
  if (!typed) return;
  if (const object::Value* value = Find(path, *typed); value != nullptr) {
    static_cast<void>(
        path.Set(object, value->CopyInto(object.arena()), object::FieldPath::Missing::kCreate));
  }
}

}  // namespace

Result<Strategy> Strategy::Make(const object::StorageDesc& storage) {
  Strategy out;
  for (const object::EventActions& event : storage.actions) {
    Event& made = out.events_.emplace_back();
    made.name = event.event;
    for (const object::ActionDesc& desc : event.actions) {
      SKIFF_ASSIGN_OR_RETURN(Action action, ReadAction(desc));
      made.actions.push_back(std::move(action));
    }
  }
  return out;
}

Result<Strategy::Action> Strategy::ReadAction(const object::ActionDesc& desc) {
  Action action{.kind = desc.kind, .paths = {}, .value_json = {}};
  std::string_view text = desc.text;
  if (desc.kind == object::ActionDesc::kCode) return action;
  if (desc.kind == object::ActionDesc::kGeneration) {
    std::from_chars(text.data(), text.data() + text.size(), action.generation);
    return action;
  }
  if (desc.kind == object::ActionDesc::kSet) {
    const size_t equals = text.find('=');
    if (equals == std::string_view::npos) {
      return Fail(StatusReason::kInternalError, "an action sets nothing: " + Quoted(text));
    }
    action.value_json = text.substr(equals + 1);
    text = text.substr(0, equals);
  }
  while (!text.empty()) {
    const size_t end = std::min(text.find(','), text.size());
    const std::string_view path = TrimSpace(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (path == "metadata") {
      action.keeps_metadata = true;
    } else if (path == "metadata.*") {
      action.keeps_all_metadata = true;
    } else {
      SKIFF_ASSIGN_OR_RETURN(object::FieldPath parsed, object::FieldPath::Parse(path));
      action.paths.push_back(std::move(parsed));
    }
  }
  return action;
}

const Strategy::Event* Strategy::Find(std::string_view event) const {
  for (const Event& each : events_) {
    if (each.name == event) return &each;
  }
  return nullptr;
}

void Strategy::PrepareForCreate(object::Document& object) const {
  const Event* event = Find("create");
  if (event == nullptr) return;
  for (const Action& action : event->actions) {
    switch (action.kind) {
      case object::ActionDesc::kClear:
        for (const object::FieldPath& path : action.paths) static_cast<void>(path.Delete(object));
        break;
      case object::ActionDesc::kSet:
        SetConstant(action.paths[0], action.value_json, object);
        break;
      case object::ActionDesc::kGeneration:
        MetaOf(object).SetGeneration(action.generation);
        break;
      case object::ActionDesc::kKeep:
      case object::ActionDesc::kBump:
      case object::ActionDesc::kCode:
        break;
    }
  }
}

void Strategy::Keep(const Action& action, object::Document& old, object::Document& object) {
  if (action.keeps_metadata || action.keeps_all_metadata) {
    const MetaOf from(old);
    MetaOf to(object);
    if (action.keeps_all_metadata) {
      for (const std::string_view name : kAllMetadata) to.Take(name, from);
    } else {
      for (const std::string_view name : kStatusKeeps) to.Take(name, from);
    }
  }
  for (const object::FieldPath& path : action.paths) {
    if (const object::Value* value = apiserver::Find(path, old); value != nullptr) {
      static_cast<void>(
          path.Set(object, value->CopyInto(object.arena()), object::FieldPath::Missing::kCreate));
    } else {
      static_cast<void>(path.Delete(object));
    }
  }
}

bool Strategy::Changed(const Action& action, const object::Document& old,
                       const object::Document& object) {
  static constexpr object::Value kAbsent{};
  for (const object::FieldPath& path : action.paths) {
    const object::Value* before = apiserver::Find(path, old);
    const object::Value* after = apiserver::Find(path, object);
    if (before == nullptr && after == nullptr) continue;
    if (!object::DeepEqual(before != nullptr ? *before : kAbsent,
                           after != nullptr ? *after : kAbsent)) {
      return true;
    }
  }
  return false;
}

void Strategy::PrepareForUpdate(std::string_view subresource, object::Document& old,
                                object::Document& object) const {
  // A scale is another way to write the object, and no part of it.
  const bool whole = subresource.empty() || subresource == "scale";
  const Event* event = Find(whole ? "update" : subresource);
  if (event == nullptr) return;
  for (const Action& action : event->actions) {
    if (action.kind == object::ActionDesc::kKeep) Keep(action, old, object);
    if (action.kind == object::ActionDesc::kClear) {
      for (const object::FieldPath& path : action.paths) static_cast<void>(path.Delete(object));
    }
  }
  for (const Action& action : event->actions) {
    if (action.kind != object::ActionDesc::kBump || !Changed(action, old, object)) continue;
    MetaOf(object).SetGeneration(MetaOf(old).generation() + 1);
  }
}

}  // namespace skiff::apiserver
