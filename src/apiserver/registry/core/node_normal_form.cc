#include "apiserver/registry/core/node_normal_form.h"

#include "apiserver/convert/normal_bytes.h"
#include "views/core/v1.h"

namespace skiff::apiserver {
namespace {

namespace core = views::core_v1;

std::string_view ValueText(const object::Value* value) {
  return value == nullptr ? std::string_view() : value->AsText();
}

Result<void> NormalizeNode(object::Value& node, Arena& arena) {
  object::Value* const spec = node.Find("spec");
  if (spec == nullptr) return {};
  const std::string_view cidr = ValueText(spec->Find("podCIDR"));
  const object::Value* const cidrs = spec->Find("podCIDRs");
  const bool listed = cidrs != nullptr && cidrs->size() != 0;
  const std::string_view first = listed ? cidrs->items()[0].AsText() : std::string_view();
  if (cidr.empty()) {
    if (!first.empty()) spec->Set(arena, "podCIDR", object::Value::String(first));
  } else if (!listed || cidr != first) {
    const object::Value only = object::Value::String(cidr);
    spec->Set(arena, "podCIDRs", object::Value::List(arena, {&only, 1}));
  }
  return {};
}

bool IsNormalNode(std::string_view node) {
  static const SameAsFirst cidr{object::WirePath::Of(core::Node::Type(), "spec.podCIDR"),
                                object::WirePath::Of(core::Node::Type(), "spec.podCIDRs")};
  return cidr.Holds(node);
}

}  // namespace

constinit const NormalForm kNodeNormalForm = {core::Node::Type, NormalizeNode, IsNormalNode};

}  // namespace skiff::apiserver
