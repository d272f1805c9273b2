#include "apiserver/registry/node/runtime_class_conversion.h"

#include "views/node.k8s.io/v1.h"
#include "views/node.k8s.io/v1alpha1.h"

namespace skiff::apiserver {
namespace {

void EmptySpec(const object::Value& from, object::Value& out, Copier& copier) {
  const object::Value* const spec = from.Find("spec");
  if (spec == nullptr) return;
  copier.CopyMembers(*spec, out);
  copier.PutText(out, "handler", TextIn(*spec, "runtimeHandler"));
}

constexpr ConversionRule kConversions[] = {
    {views::node_k8s_io_v1alpha1::RuntimeClass::Type, views::node_k8s_io_v1::RuntimeClass::Type,
     EmptySpec},
};

}  // namespace

std::span<const ConversionRule> RuntimeClassConversions() { return kConversions; }

}  // namespace skiff::apiserver
