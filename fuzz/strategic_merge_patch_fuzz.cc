// The first byte of the input chooses the type that the patch is applied with.
#include <cstddef>
#include <cstdint>

#include "object/descriptor.h"
#include "object/patch/strategic_merge_patch.h"
#include "patch_input.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const skiff::object::MessageDesc* const types[] = {
      skiff::object::FindKind("v1", "Pod"), skiff::object::FindKind("apps/v1", "Deployment"),
      skiff::object::FindKind("v1", "Service"), nullptr};
  const skiff::object::MessageDesc* const type = types[data[0] % 4];
  const std::string_view input(reinterpret_cast<const char*>(data) + 1, size - 1);
  skiff::FuzzPatch(input,
                   [type](const skiff::object::Value& patch, skiff::object::Document& document) {
                     return skiff::object::ApplyStrategicMergePatch(patch, type, document);
                   });
  return 0;
}
