#include "apiserver/registry/discovery/endpoint_slice_conversion.h"

#include "views/discovery.k8s.io/v1.h"
#include "views/discovery.k8s.io/v1beta1.h"

namespace skiff::apiserver {
namespace {

void TakeTopology(const object::Value& from, object::Value& out, Copier& copier) {
  constexpr std::string_view kZone = "topology.kubernetes.io/zone";
  constexpr std::string_view kHostname = "kubernetes.io/hostname";
  const object::Value* const topology = from.Find("topology");
  if (topology == nullptr || !topology->is_map()) return;
  object::Value rest = topology->CopyInto(copier.arena());
  if (topology->Find(kZone) != nullptr) {
    copier.PutText(out, "zone", TextIn(*topology, kZone));
    rest.Erase(kZone);
  }
  const object::Value* const node = from.Find("nodeName");
  if (node != nullptr && topology->Find(kHostname) != nullptr &&
      node->AsText() == TextIn(*topology, kHostname)) {
    rest.Erase(kHostname);
  }
  if (rest.size() != 0) copier.Put(out, "deprecatedTopology", &rest);
}

constexpr ConversionRule kConversions[] = {
    {views::discovery_k8s_io_v1beta1::Endpoint::Type, views::discovery_k8s_io_v1::Endpoint::Type,
     TakeTopology},
};

}  // namespace

std::span<const ConversionRule> EndpointSliceConversions() { return kConversions; }

}  // namespace skiff::apiserver
