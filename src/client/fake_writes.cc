// The writes of FakeObjects.
#include <algorithm>
#include <utility>

#include "base/random.h"
#include "client/fake_meta.h"
#include "client/fake_objects.h"
#include "client/fake_rules.h"
#include "object/json/decode.h"
#include "object/json/encode.h"
#include "object/patch/json_patch.h"
#include "object/patch/merge_patch.h"
#include "object/patch/strategic_merge_patch.h"
#include "object/resource.h"
#include "object/scalar/generate_name.h"

namespace skiff::client {
namespace {

// Takes the patch from the object as JSON to the patched object.
Result<std::shared_ptr<object::Document>> Patched(const ClientCall& call,
                                                  const object::Document& object) {
  SKIFF_ASSIGN_OR_RETURN(const object::Document patch, object::DecodeJson(call.patch, nullptr));
  SKIFF_ASSIGN_OR_RETURN(object::Document tree,
                         object::DecodeJson(object::EncodeJson(object.root()), nullptr));
  if (call.patch_type == PatchType::kJson) {
    SKIFF_RETURN_IF_ERROR(object::ApplyJsonPatch(patch.root(), tree));
  } else if (call.patch_type == PatchType::kMerge) {
    SKIFF_RETURN_IF_ERROR(object::ApplyMergePatch(patch.root(), tree));
  } else {
    SKIFF_RETURN_IF_ERROR(
        object::ApplyStrategicMergePatch(patch.root(), call.resource->type, tree));
  }
  return InFormOf(*call.resource, tree);
}

void SetTextAt(object::Document& document, std::string_view outer, std::string_view inner,
               std::string_view text) {
  object::Value& root = document.root();
  Arena& arena = document.arena();
  if (root.Find(outer) == nullptr) {
    const object::FieldDesc& field = root.type()->fields[root.type()->FindField(outer)];
    root.Set(arena, outer, object::Value::EmptyObject(arena, field.message));
  }
  root.Find(outer)->Set(arena, inner, object::Value::String(arena.Copy(text)));
}

ClientReply ReplyOf(const ClientCall& call, const ObjectPtr& object, int code = 200) {
  ClientReply reply;
  reply.code = code;
  reply.object = FakeObjects::InForm(*call.resource, call.metadata_only, object);
  return reply;
}

bool IsPart(const ClientCall& call) {
  const ApiResource& resource = *call.resource;
  if (resource.type == nullptr) return call.subresource == "status";
  const object::ResourceDesc* desc =
      object::FindResource(resource.group, resource.version, resource.name);
  const object::SubresourceDesc* part =
      desc != nullptr ? desc->FindSubresource(call.subresource) : nullptr;
  return part != nullptr && part->kind == desc->kind;
}

}  // namespace

Result<void> FakeObjects::CheckNamespace(const ApiResource& resource, const std::string& name_space,
                                         const std::string& name) const {
  if (!resource.namespaced) return {};
  const ApiResource& namespaces = BuiltIn("", "v1", "namespaces");
  const ObjectPtr found = Find(namespaces, {"", name_space});
  if (found == nullptr) {
    if (namespaces_required_) return std::unexpected(FakeNotFound(namespaces, name_space));
    return {};
  }
  if (!IsDeleting(*found)) return {};
  Status status = FakeForbidden(resource, name,
                                "unable to create new content in namespace " + name_space +
                                    " because it is being terminated");
  status.AddCause({"NamespaceTerminating", "namespace " + name_space + " is being terminated",
                   "metadata.namespace"});
  return std::unexpected(std::move(status));
}

Result<ClientReply> FakeObjects::Create(const ClientCall& call) {
  const ApiResource& resource = *call.resource;
  SKIFF_ASSIGN_OR_RETURN(const std::shared_ptr<object::Document> object,
                         InFormOf(resource, *call.body));
  FakeMeta meta(*object);
  if (!meta.Text("resourceVersion").empty()) {
    return BadRequest("resourceVersion should not be set on objects to be created");
  }
  if (resource.namespaced) {
    if (meta.Text("namespace").empty()) meta.SetText("namespace", call.target.name_space);
    if (meta.Text("namespace").empty()) {
      return BadRequest("an empty namespace may not be set during creation");
    }
  } else {
    meta.Erase("namespace");
  }
  if (meta.Text("name").empty()) {
    const std::string base(meta.Text("generateName"));
    if (base.empty()) {
      return std::unexpected(
          FakeInvalid(resource, "",
                      {"FieldValueRequired", "Required value: name or generateName is required",
                       "metadata.name"}));
    }
    meta.SetText("name", object::GenerateName(base, random_));
  }
  const ObjectName name = NameOf(*object);
  SKIFF_RETURN_IF_ERROR(CheckNamespace(resource, name.name_space, name.name));
  if (Find(resource, name) != nullptr) return std::unexpected(FakeExists(resource, name.name));
  for (const std::string_view cleared : {"deletionTimestamp", "deletionGracePeriodSeconds"}) {
    meta.Erase(cleared);
  }
  meta.SetText("uid", NewUuid(random_));
  meta.SetTime("creationTimestamp", Now());
  PrepareForCreate(resource, *object);
  return ReplyOf(call, Write(resource, object), 201);
}

// What is posted to an object: bindings, evictions, requests for tokens.
Result<ClientReply> FakeObjects::CreateWithin(const ClientCall& call) {
  const ApiResource& resource = *call.resource;
  ObjectName name = call.target;
  if (name.name.empty()) name = NameOf(*call.body);
  SKIFF_ASSIGN_OR_RETURN(const ObjectPtr object, Current(resource, name));
  if (resource.name == "pods" && call.subresource == "eviction") {
    ClientCall deletion = call;
    deletion.target = name;
    SKIFF_RETURN_IF_ERROR(Delete(deletion));
    return ClientReply{.code = 201};
  }
  if (resource.name == "pods" && call.subresource == "binding") {
    const object::Value* node = object->root().FindPath({"spec", "nodeName"});
    if (node != nullptr && !node->AsText().empty()) {
      return std::unexpected(FakeConflict(resource, name.name,
                                          "pod " + name.name + " is already assigned to node \"" +
                                              std::string(node->AsText()) + "\""));
    }
    const object::Value* target = call.body->root().FindPath({"target", "name"});
    const std::shared_ptr<object::Document> bound = MutableCopy(*object);
    SetTextAt(*bound, "spec", "nodeName", target != nullptr ? target->AsText() : "");
    Write(resource, bound);
    return ClientReply{.code = 201};
  }
  if (resource.name == "serviceaccounts" && call.subresource == "token") {
    const std::shared_ptr<object::Document> answer = MutableCopy(*call.body);
    if (answer->type() != nullptr) SetTextAt(*answer, "status", "token", "token-of-" + name.name);
    ClientReply reply{.code = 201};
    reply.object = answer;
    return reply;
  }
  return std::unexpected(FakeUnknownResource());
}

Result<ClientReply> FakeObjects::Update(const ClientCall& call) {
  SKIFF_ASSIGN_OR_RETURN(std::shared_ptr<object::Document> object,
                         InFormOf(*call.resource, *call.body));
  return UpdateTo(call, std::move(object));
}

Result<ClientReply> FakeObjects::Patch(const ClientCall& call) {
  const ApiResource& resource = *call.resource;
  const ObjectPtr old = Find(resource, call.target);
  if (old == nullptr && call.patch_type == PatchType::kApply) {
    SKIFF_ASSIGN_OR_RETURN(const ObjectPtr body, ParseObject(resource, call.patch));
    ClientCall create = call;
    create.body = body;
    return Create(create);
  }
  if (old == nullptr) return std::unexpected(FakeNotFound(resource, call.target.name));
  SKIFF_ASSIGN_OR_RETURN(std::shared_ptr<object::Document> object, Patched(call, *old));
  return UpdateTo(call, std::move(object));
}

Result<void> FakeObjects::CheckUpdate(const ClientCall& call, const object::Document& old,
                                      const object::Document& object) const {
  const ApiResource& resource = *call.resource;
  const std::string& name = call.target.name;
  if (!UidOf(object).empty() && UidOf(object) != UidOf(old)) {
    return std::unexpected(
        FakeConflict(resource, name,
                     "Precondition failed: UID in precondition: " + std::string(UidOf(object)) +
                         ", UID in object meta: " + std::string(UidOf(old))));
  }
  const std::string_view version = ResourceVersionOf(object);
  if (version.empty()) {
    const object::ResourceDesc* desc =
        object::FindResource(resource.group, resource.version, resource.name);
    const bool may = desc != nullptr && desc->hub->storage != nullptr &&
                     desc->hub->storage->unconditional_update;
    if (!may) {
      return std::unexpected(
          FakeInvalid(resource, name,
                      {"FieldValueInvalid", "Invalid value: 0: must be specified for an update",
                       "metadata.resourceVersion"}));
    }
  } else if (version != ResourceVersionOf(old)) {
    return std::unexpected(FakeConflict(resource, name,
                                        "the object has been modified; please apply your changes "
                                        "to the latest version and try again"));
  }
  if (!IsDeleting(old)) return {};
  const std::vector<std::string> before = TextsAt(old, "metadata", "finalizers");
  for (const std::string& finalizer : TextsAt(object, "metadata", "finalizers")) {
    if (std::ranges::count(before, finalizer) != 0) continue;
    return std::unexpected(FakeInvalid(
        resource, name,
        {"FieldValueForbidden",
         "Forbidden: no new finalizers can be added if the object is being deleted, found new "
         "finalizers []string{\"" +
             finalizer + "\"}",
         "metadata.finalizers"}));
  }
  return {};
}

Result<ClientReply> FakeObjects::UpdateTo(const ClientCall& call,
                                          std::shared_ptr<object::Document> object) {
  const ApiResource& resource = *call.resource;
  if (!call.subresource.empty() && !IsPart(call)) return std::unexpected(FakeUnknownResource());
  if (NameOf(*object).name != call.target.name) {
    return BadRequest("the name of the object (" + NameOf(*object).name +
                      ") does not match the name on the URL (" + call.target.name + ")");
  }
  SKIFF_ASSIGN_OR_RETURN(const ObjectPtr old, Current(resource, call.target));
  SKIFF_RETURN_IF_ERROR(CheckUpdate(call, *old, *object));
  for (const std::string_view name :
       {"namespace", "generateName", "uid", "creationTimestamp", "deletionTimestamp",
        "deletionGracePeriodSeconds", "generation", "resourceVersion"}) {
    FakeMeta(*object).Take(name, *old);
  }
  PrepareForUpdate(resource, call.subresource, *old, *object);
  if (MayGo(resource, *object)) return ReplyOf(call, Erase(resource, *object));
  if (object::DeepEqual(old->root(), object->root())) return ReplyOf(call, old);
  return ReplyOf(call, Write(resource, std::move(object)));
}

Result<ClientReply> FakeObjects::Delete(const ClientCall& call) {
  const ApiResource& resource = *call.resource;
  SKIFF_ASSIGN_OR_RETURN(const ObjectPtr old, Current(resource, call.target));
  SKIFF_RETURN_IF_ERROR(CheckPreconditions(resource, call.deletion, *old));
  const std::shared_ptr<object::Document> object = MutableCopy(*old);
  SetPropagation(resource, call.deletion.propagation, *object);
  const int64_t grace = GraceSeconds(resource, call.deletion.grace_period_seconds, *object);
  MarkDeleted(*object, grace, Now());
  if (MayGo(resource, *object)) {
    Erase(resource, *object);
    return ClientReply{};
  }
  if (IsNamespace(resource)) SetTextAt(*object, "status", "phase", "Terminating");
  if (object::DeepEqual(old->root(), object->root())) return ReplyOf(call, old);
  return ReplyOf(call, Write(resource, object));
}

Result<ClientReply> FakeObjects::DeleteCollection(const ClientCall& call) {
  SKIFF_ASSIGN_OR_RETURN(const auto matches,
                         Matcher(call.target.name_space, call.label_selector, call.field_selector));
  for (const ObjectPtr& object : All(*call.resource)) {
    if (!matches(*object)) continue;
    ClientCall one = call;
    one.target = NameOf(*object);
    SKIFF_RETURN_IF_ERROR(Delete(one));
  }
  return ClientReply{};
}

}  // namespace skiff::client
