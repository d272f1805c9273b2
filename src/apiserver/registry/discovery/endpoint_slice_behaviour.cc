#include "apiserver/registry/discovery/endpoint_slice_behaviour.h"

#include <set>
#include <string>

#include "apiserver/rest/object_meta.h"
#include "object/scalar/names.h"
#include "views/discovery.k8s.io/v1.h"

namespace skiff::apiserver {
namespace {

namespace discovery = views::discovery_k8s_io_v1;

constexpr std::string_view kHostname = "kubernetes.io/hostname";

bool SameMember(const object::Value* a, const object::Value* b) {
  static constexpr object::Value kAbsent{};
  return object::DeepEqual(a != nullptr ? *a : kAbsent, b != nullptr ? *b : kAbsent);
}

std::set<std::string> NodesOfTopology(const object::Document& slice) {
  std::set<std::string> out;
  for (const discovery::Endpoint& each : discovery::EndpointSlice(slice).endpoints()) {
    const auto node = each.deprecated_topology().Find(kHostname);
    if (node) out.emplace(*node);
  }
  return out;
}

// Topology is a field of versions that are gone. A client that copies it from a stored slice means
// the node that it names.
void DropTopology(const std::set<std::string>& old_nodes, object::Document& object) {
  discovery::MutableEndpointSlice slice(object);
  for (size_t i = 0; i < slice.Read().endpoints().size(); ++i) {
    const discovery::Endpoint endpoint = slice.Read().endpoints()[i];
    const std::string node(endpoint.deprecated_topology().Get(kHostname));
    const bool is_node =
        !endpoint.node_name() && object::IsDns1123Subdomain(node) && old_nodes.contains(node);
    discovery::MutableEndpoint change = slice.mutable_endpoints(i);
    if (is_node) change.set_node_name(node);
    change.clear_deprecated_topology();
  }
}

}  // namespace

Result<void> EndpointSliceBehaviour::PrepareForCreate(WriteContext&, object::Document& object) {
  DropTopology({}, object);
  return {};
}

Result<void> EndpointSliceBehaviour::PrepareForUpdate(WriteContext&, object::Document& old,
                                                      object::Document& object) {
  bool changed = !SameMember(MetaOf(old).Find("labels"), MetaOf(object).Find("labels"));
  for (const std::string_view name : {"addressType", "endpoints", "ports"}) {
    changed |= !SameMember(old.root().Find(name), object.root().Find(name));
  }
  if (changed) MetaOf(object).SetGeneration(MetaOf(old).generation() + 1);
  if (!SameMember(old.root().Find("endpoints"), object.root().Find("endpoints"))) {
    DropTopology(NodesOfTopology(old), object);
  }
  return {};
}

}  // namespace skiff::apiserver
