// For tests of the loops that see deletions through: a cluster in memory with one of them in it, on
// virtual time, and short ways to write objects with owners.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "controllers/owner_reference.h"
#include "controllers/queue_controller_testing.h"

namespace skiff::controllers {

inline const client::ApiResource& ConfigMaps() { return client::BuiltIn("", "v1", "configmaps"); }
inline const client::ApiResource& Secrets() { return client::BuiltIn("", "v1", "secrets"); }
// A kind that is not in namespaces.
inline const client::ApiResource& Classes() {
  return client::BuiltIn("scheduling.k8s.io", "v1", "priorityclasses");
}
inline const client::ApiResource& Widgets() {
  static const client::ApiResource widgets{
      .group = "example.com", .version = "v1", .name = "widgets", .kind = "Widget"};
  return widgets;
}

// One owner reference as JSON.
inline std::string OwnerJson(const client::ApiResource& kind, std::string_view name,
                             std::string_view uid, bool blocks = false) {
  return R"({"apiVersion":")" + kind.api_version() + R"(","kind":")" + kind.kind + R"(","name":")" +
         std::string(name) + R"(","uid":")" + std::string(uid) +
         (blocks ? R"(","blockOwnerDeletion":true})" : "\"}");
}
inline std::string OwnerJson(const client::ApiResource& kind, const client::ObjectPtr& owner,
                             bool blocks = false) {
  return OwnerJson(kind, client::NameOf(*owner).name, client::UidOf(*owner), blocks);
}

struct NewObject {
  std::string name_space = "default";
  std::string name;
  std::vector<std::string> owners = {};  // JSON
  std::string finalizer = {};
  std::string uid = {};

  std::string Json(const client::ApiResource& resource) const {
    std::string text = R"({"metadata":{"name":")" + name + "\"";
    if (resource.namespaced) text += R"(,"namespace":")" + name_space + "\"";
    if (!uid.empty()) text += R"(,"uid":")" + uid + "\"";
    if (!finalizer.empty()) text += R"(,"finalizers":[")" + finalizer + "\"]";
    std::string list;
    for (const std::string& owner : owners) list += (list.empty() ? "" : ",") + owner;
    if (!list.empty()) text += ",\"ownerReferences\":[" + list + "]";
    return text + "}}";
  }
};

class DeletionTest : public ControllerTest {
 protected:
  client::ObjectPtr Put(const client::ApiResource& resource, const NewObject& object) {
    return api_.objects().Put(resource, object.Json(resource));
  }
  client::ObjectPtr Find(const client::ApiResource& resource, const std::string& name,
                         const std::string& name_space = "default") {
    return api_.objects().Find(resource,
                               {.name_space = resource.namespaced ? name_space : "", .name = name});
  }
  // As a user would.
  Result<client::ClientReply> Delete(const client::ApiResource& resource, const std::string& name,
                                     std::string propagation = {},
                                     const std::string& name_space = "default") {
    client::ClientCall call;
    call.verb = client::ClientVerb::kDelete;
    call.resource = &resource;
    call.target = {.name_space = resource.namespaced ? name_space : "", .name = name};
    call.deletion.propagation = std::move(propagation);
    return api_.objects().Do(call);
  }
  size_t OwnerCount(const client::ApiResource& resource, const std::string& name) {
    return OwnersOf(*Find(resource, name)).size();
  }
};

}  // namespace skiff::controllers
