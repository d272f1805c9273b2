#include "client/fake_rules.h"

#include <algorithm>
#include <charconv>
#include <utility>
#include <vector>

#include "base/strings.h"
#include "client/fake_meta.h"
#include "object/field_path.h"
#include "object/json/decode.h"
#include "object/resource.h"

namespace skiff::client {
namespace {

constexpr std::string_view kStatusKeeps[] = {"deletionTimestamp", "generation", "labels",
                                             "annotations",       "finalizers", "ownerReferences"};

const object::ResourceDesc* DescOf(const ApiResource& resource) {
  return object::FindResource(resource.group, resource.version, resource.name);
}

const object::StorageDesc* StorageOf(const ApiResource& resource) {
  const object::ResourceDesc* desc = DescOf(resource);
  return desc != nullptr ? desc->hub->storage : nullptr;
}

std::vector<std::string_view> PathsOf(std::string_view text) {
  std::vector<std::string_view> paths;
  while (!text.empty()) {
    const size_t end = std::min(text.find(','), text.size());
    paths.push_back(TrimSpace(text.substr(0, end)));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return paths;
}

const object::Value* Find(const object::FieldPath& path, const object::Document& document) {
  const Result<const object::Value*> found = path.Get(document.root());
  return found ? *found : nullptr;
}

void TakePath(std::string_view text, const object::Document& from, object::Document& to) {
  const Result<object::FieldPath> path = object::FieldPath::Parse(text);
  if (!path) return;
  if (const object::Value* value = Find(*path, from); value != nullptr) {
    const object::Value copy = value->CopyInto(to.arena());
    static_cast<void>(path->Set(to, copy, object::FieldPath::Missing::kCreate));
  } else {
    static_cast<void>(path->Delete(to));
  }
}

void SetConstant(std::string_view assignment, object::Document& object) {
  const size_t equals = assignment.find('=');
  if (equals == std::string_view::npos) return;
  const Result<object::FieldPath> path = object::FieldPath::Parse(assignment.substr(0, equals));
  if (!path) return;
  std::string json, end;
  for (const object::FieldPathStep& step : path->steps()) {
    json += "{\"" + step.name + "\":";
    end += '}';
  }
  json += assignment.substr(equals + 1);
  if (const Result<object::Document> typed = object::DecodeJson(json + end, object.type()); typed) {
    TakePath(assignment.substr(0, equals), *typed, object);
  }
}

bool Differs(std::string_view text, const object::Document& old, const object::Document& object) {
  static constexpr object::Value kAbsent{};
  const Result<object::FieldPath> path = object::FieldPath::Parse(text);
  if (!path) return false;
  const object::Value* before = Find(*path, old);
  const object::Value* after = Find(*path, object);
  if (before == nullptr && after == nullptr) return false;
  return !object::DeepEqual(before != nullptr ? *before : kAbsent,
                            after != nullptr ? *after : kAbsent);
}

void Keep(std::string_view paths, const object::Document& old, object::Document& object) {
  for (const std::string_view path : PathsOf(paths)) {
    if (path == "metadata" || path == "metadata.*") {
      for (const std::string_view name : kStatusKeeps) FakeMeta(object).Take(name, old);
    } else {
      TakePath(path, old, object);
    }
  }
}

void Bump(const object::Document& old, object::Document& object) {
  FakeMeta(object).SetInt("generation", MetaInt(old, "generation") + 1);
}

// Of a custom resource with a status.
void PrepareCustomUpdate(std::string_view subresource, const object::Document& old,
                         object::Document& object) {
  if (subresource.empty()) {
    TakePath("status", old, object);
    for (const object::MapEntry& entry : object.root().entries()) {
      if (entry.key == "metadata" || entry.key == "status") continue;
      if (Differs(entry.key, old, object)) return Bump(old, object);
    }
    return;
  }
  object::Document kept = old.Copy();
  TakePath("status", object, kept);
  object = std::move(kept);
}

std::string Qualified(const ApiResource& resource) {
  return resource.group.empty() ? resource.name : resource.name + "." + resource.group;
}

Status About(const ApiResource& resource, std::string_view name, Status status) {
  status.SetSubject({std::string(name), resource.group, resource.name, {}});
  return status;
}

}  // namespace

void PrepareForCreate(const ApiResource& resource, object::Document& object) {
  const object::StorageDesc* storage = StorageOf(resource);
  if (storage == nullptr) {
    FakeMeta(object).SetInt("generation", 1);
    return;
  }
  for (const object::ActionDesc& action : storage->FindActions("create")) {
    if (action.kind == object::ActionDesc::kClear) {
      for (const std::string_view path : PathsOf(action.text))
        TakePath(path, object::Document(), object);
    } else if (action.kind == object::ActionDesc::kSet) {
      SetConstant(action.text, object);
    } else if (action.kind == object::ActionDesc::kGeneration) {
      int64_t generation = 1;
      std::from_chars(action.text.data(), action.text.data() + action.text.size(), generation);
      FakeMeta(object).SetInt("generation", generation);
    }
  }
  if (IsNamespace(resource) && TextsAt(object, "spec", "finalizers").empty()) {
    SetConstant(R"(spec.finalizers=["kubernetes"])", object);
  }
}

void PrepareForUpdate(const ApiResource& resource, std::string_view subresource,
                      const object::Document& old, object::Document& object) {
  const object::StorageDesc* storage = StorageOf(resource);
  if (storage == nullptr) {
    if (object.root().is_map()) PrepareCustomUpdate(subresource, old, object);
    return;
  }
  const auto actions = storage->FindActions(subresource.empty() ? "update" : subresource);
  for (const object::ActionDesc& action : actions) {
    if (action.kind == object::ActionDesc::kKeep) Keep(action.text, old, object);
    if (action.kind != object::ActionDesc::kClear) continue;
    for (const std::string_view path : PathsOf(action.text))
      TakePath(path, object::Document(), object);
  }
  for (const object::ActionDesc& action : actions) {
    if (action.kind != object::ActionDesc::kBump) continue;
    const auto changed = [&](std::string_view path) { return Differs(path, old, object); };
    if (std::ranges::any_of(PathsOf(action.text), changed)) Bump(old, object);
  }
}

void SetPropagation(const ApiResource& resource, std::string_view propagation,
                    object::Document& object) {
  const object::StorageDesc* storage = StorageOf(resource);
  const auto own =
      storage != nullptr ? storage->propagation : object::DeletePropagation::kBackground;
  if (own == object::DeletePropagation::kUnsupported) return;
  FakeMeta meta(object);
  if (propagation.empty()) {
    if (meta.HasFinalizer("orphan") || meta.HasFinalizer("foregroundDeletion")) return;
    propagation = own == object::DeletePropagation::kOrphan ? "Orphan" : "Background";
  }
  meta.RemoveFinalizer("orphan");
  meta.RemoveFinalizer("foregroundDeletion");
  if (propagation == "Orphan") meta.AddFinalizer("orphan");
  if (propagation == "Foreground") meta.AddFinalizer("foregroundDeletion");
}

int64_t GraceSeconds(const ApiResource& resource, const std::optional<int64_t>& asked,
                     const object::Document& object) {
  const object::StorageDesc* storage = StorageOf(resource);
  if (storage == nullptr || !storage->graceful) return 0;
  const object::Value* own = object.root().FindPath({"spec", "terminationGracePeriodSeconds"});
  int64_t grace = asked.value_or(own != nullptr ? own->AsInt() : 30);
  const object::Value* node = object.root().FindPath({"spec", "nodeName"});
  const object::Value* phase = object.root().FindPath({"status", "phase"});
  const bool ended =
      phase != nullptr && (phase->AsText() == "Succeeded" || phase->AsText() == "Failed");
  if (node == nullptr || node->AsText().empty() || ended) grace = 0;
  if (IsDeleting(object)) grace = std::min(grace, MetaInt(object, "deletionGracePeriodSeconds"));
  return std::max<int64_t>(grace, 0);
}

void MarkDeleted(object::Document& object, int64_t grace, object::Timestamp now) {
  FakeMeta meta(object);
  if (!IsDeleting(object)) {
    meta.SetTime("deletionTimestamp", {now.seconds + grace, 0});
    meta.SetInt("deletionGracePeriodSeconds", grace);
    if (const int64_t generation = MetaInt(object, "generation"); generation > 0) {
      meta.SetInt("generation", generation + 1);
    }
    return;
  }
  const int64_t before = MetaInt(object, "deletionGracePeriodSeconds");
  if (grace >= before) return;
  const int64_t began = meta.Time("deletionTimestamp").value_or(now).seconds - before;
  meta.SetTime("deletionTimestamp", {std::max(now.seconds, began + grace), 0});
  meta.SetInt("deletionGracePeriodSeconds", grace);
}

bool MayGo(const ApiResource& resource, const object::Document& object) {
  if (!IsDeleting(object)) return false;
  if (IsNamespace(resource) && !TextsAt(object, "spec", "finalizers").empty()) return false;
  return MetaInt(object, "deletionGracePeriodSeconds") == 0 &&
         TextsAt(object, "metadata", "finalizers").empty();
}

bool IsNamespace(const ApiResource& resource) {
  return resource.group.empty() && resource.name == "namespaces";
}

Status FakeNotFound(const ApiResource& resource, std::string_view name) {
  return About(resource, name,
               Status(StatusReason::kNotFound,
                      Qualified(resource) + " \"" + std::string(name) + "\" not found"));
}

Status FakeExists(const ApiResource& resource, std::string_view name) {
  return About(resource, name,
               Status(StatusReason::kAlreadyExists,
                      Qualified(resource) + " \"" + std::string(name) + "\" already exists"));
}

Status FakeConflict(const ApiResource& resource, std::string_view name, std::string_view why) {
  return About(
      resource, name,
      Status(StatusReason::kConflict, "Operation cannot be fulfilled on " + Qualified(resource) +
                                          " \"" + std::string(name) + "\": " + std::string(why)));
}

Status FakeInvalid(const ApiResource& resource, std::string_view name, StatusCause cause) {
  Status status(StatusReason::kInvalid, resource.kind + " \"" + std::string(name) +
                                            "\" is invalid: " + cause.field + ": " + cause.message);
  status.AddCause(std::move(cause));
  status.SetSubject({std::string(name), resource.group, resource.kind, {}});
  return status;
}

Status FakeForbidden(const ApiResource& resource, std::string_view name, std::string_view why) {
  return About(resource, name,
               Status(StatusReason::kForbidden, Qualified(resource) + " \"" + std::string(name) +
                                                    "\" is forbidden: " + std::string(why)));
}

Status FakeUnknownResource() {
  return Status(StatusReason::kNotFound, "the server could not find the requested resource");
}

Result<void> CheckPreconditions(const ApiResource& resource, const DeleteChoice& how,
                                const object::Document& object) {
  const std::string name = NameOf(object).name;
  if (!how.uid.empty() && how.uid != UidOf(object)) {
    return std::unexpected(FakeConflict(resource, name,
                                        "Precondition failed: UID in precondition: " + how.uid +
                                            ", UID in object meta: " + std::string(UidOf(object))));
  }
  if (!how.resource_version.empty() && how.resource_version != ResourceVersionOf(object)) {
    return std::unexpected(FakeConflict(
        resource, name,
        "the ResourceVersion in the precondition (" + how.resource_version +
            ") does not match the ResourceVersion in record (" +
            std::string(ResourceVersionOf(object)) + "). The object might have been modified"));
  }
  return {};
}

}  // namespace skiff::client
