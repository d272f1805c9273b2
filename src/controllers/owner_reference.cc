#include "controllers/owner_reference.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/buffer.h"
#include "object/json/text.h"

namespace skiff::controllers {
namespace {

std::string Text(const object::Value& object, std::string_view name) {
  const object::Value* value = object.Find(name);
  return value != nullptr && value->is_string() ? std::string(value->AsText()) : std::string();
}

std::optional<bool> Flag(const object::Value& object, std::string_view name) {
  const object::Value* value = object.Find(name);
  if (value == nullptr || value->tag() != object::Tag::kBool) return std::nullopt;
  return value->AsBool();
}

const object::Value* MetadataList(const object::Document& object, std::string_view name) {
  const object::Value* list = object.root().FindPath({"metadata", name});
  return list != nullptr && list->is_list() ? list : nullptr;
}

// One member after the other of the metadata in a patch.
class MetadataPatch {
 public:
  MetadataPatch() { out_.Append(R"({"metadata":{)"); }

  void Add(std::string_view name, std::string_view text) {
    Name(name);
    object::AppendJsonString(out_, text);
  }
  template <typename Items, typename Write>
  void AddList(std::string_view name, const Items& items, Write write) {
    Name(name);
    out_.Append('[');
    bool first = true;
    for (const auto& item : items) {
      if (!std::exchange(first, false)) out_.Append(',');
      write(out_, item);
    }
    out_.Append(']');
  }
  std::string Done() {
    out_.Append("}}");
    return out_.ToString();
  }

 private:
  void Name(std::string_view name) {
    if (!std::exchange(first_, false)) out_.Append(',');
    object::AppendJsonString(out_, name);
    out_.Append(':');
  }

  ByteBuffer out_;
  bool first_ = true;
};

void AppendReference(ByteBuffer& out, const OwnerReference& reference) {
  out.Append(R"({"apiVersion":)");
  object::AppendJsonString(out, reference.api_version);
  out.Append(R"(,"kind":)");
  object::AppendJsonString(out, reference.kind);
  out.Append(R"(,"name":)");
  object::AppendJsonString(out, reference.name);
  out.Append(R"(,"uid":)");
  object::AppendJsonString(out, reference.uid);
  if (reference.controller) {
    out.Append(R"(,"controller":)");
    out.Append(*reference.controller ? "true" : "false");
  }
  if (reference.block_owner_deletion) {
    out.Append(R"(,"blockOwnerDeletion":)");
    out.Append(*reference.block_owner_deletion ? "true" : "false");
  }
  out.Append('}');
}

}  // namespace

std::string ObjectIdentity::ToString() const {
  return "[" + api_version + "/" + kind + ", namespace: " + name_space + ", name: " + name +
         ", uid: " + uid + "]";
}

ObjectIdentity IdentityOf(const OwnerReference& reference, std::string_view name_space) {
  return {.kind = reference.kind,
          .api_version = reference.api_version,
          .name_space = std::string(name_space),
          .name = reference.name,
          .uid = reference.uid};
}

bool Means(const OwnerReference& reference, const ObjectIdentity& owner) {
  return reference.uid == owner.uid && reference.name == owner.name &&
         reference.kind == owner.kind && reference.api_version == owner.api_version;
}

std::vector<OwnerReference> OwnersOf(const object::Document& object) {
  std::vector<OwnerReference> owners;
  const object::Value* list = MetadataList(object, "ownerReferences");
  if (list == nullptr) return owners;
  owners.reserve(list->size());
  for (const object::Value& item : list->items()) {
    owners.push_back({.api_version = Text(item, "apiVersion"),
                      .kind = Text(item, "kind"),
                      .name = Text(item, "name"),
                      .uid = Text(item, "uid"),
                      .controller = Flag(item, "controller"),
                      .block_owner_deletion = Flag(item, "blockOwnerDeletion")});
  }
  return owners;
}

std::vector<std::string> FinalizersOf(const object::Document& object) {
  std::vector<std::string> finalizers;
  const object::Value* list = MetadataList(object, "finalizers");
  if (list == nullptr) return finalizers;
  for (const object::Value& item : list->items()) {
    if (item.is_string()) finalizers.emplace_back(item.AsText());
  }
  return finalizers;
}

bool SameOwnership(const object::Document& a, const object::Document& b) {
  constexpr std::array<std::string_view, 4> kNames = {"uid", "deletionTimestamp", "finalizers",
                                                      "ownerReferences"};
  return std::ranges::all_of(kNames, [&](std::string_view name) {
    const object::Value* left = a.root().FindPath({"metadata", name});
    const object::Value* right = b.root().FindPath({"metadata", name});
    if (left == nullptr || right == nullptr) return left == right;
    return object::DeepEqual(*left, *right);
  });
}

std::string DisownPatch(std::string_view uid, std::span<const std::string> owners) {
  MetadataPatch patch;
  patch.AddList("ownerReferences", owners, [](ByteBuffer& out, const std::string& owner) {
    out.Append(R"({"$patch":"delete","uid":)");
    object::AppendJsonString(out, owner);
    out.Append('}');
  });
  patch.Add("uid", uid);
  return patch.Done();
}

std::string OwnersPatch(std::string_view uid, std::string_view resource_version,
                        std::span<const OwnerReference> owners) {
  MetadataPatch patch;
  patch.AddList("ownerReferences", owners, AppendReference);
  patch.Add("resourceVersion", resource_version);
  patch.Add("uid", uid);
  return patch.Done();
}

std::string FinalizersPatch(std::string_view uid, std::string_view resource_version,
                            std::span<const std::string> finalizers) {
  MetadataPatch patch;
  patch.AddList("finalizers", finalizers, [](ByteBuffer& out, const std::string& finalizer) {
    object::AppendJsonString(out, finalizer);
  });
  patch.Add("resourceVersion", resource_version);
  patch.Add("uid", uid);
  return patch.Done();
}

}  // namespace skiff::controllers
