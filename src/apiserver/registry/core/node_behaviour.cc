#include "apiserver/registry/core/node_behaviour.h"

#include "views/core/v1.h"

namespace skiff::apiserver {
namespace {

namespace core = views::core_v1;

// Kubelets are not configured this way any more; where it is stored it stays.
void DropNodeConfig(object::Document& object, const core::Node& old) {
  core::MutableNode node(object);
  if (node.Read().spec().has_config_source() && !old.spec().has_config_source()) {
    node.mutable_spec().clear_config_source();
  }
  if (node.Read().status().has_config() && !old.status().has_config()) {
    node.mutable_status().clear_config();
  }
}

void CreateNode(const WriteContext&, object::Document& object) {
  DropNodeConfig(object, core::Node());
}

void UpdateNode(const WriteContext&, const object::Document& old, object::Document& object) {
  DropNodeConfig(object, core::Node(old));
}

}  // namespace

constinit const KindStrategy kNodeStrategy = {"", "nodes", CreateNode, UpdateNode};

}  // namespace skiff::apiserver
