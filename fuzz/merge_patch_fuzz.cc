#include <cstddef>
#include <cstdint>

#include "object/patch/merge_patch.h"
#include "patch_input.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  skiff::FuzzPatch(input, [](const skiff::object::Value& patch, skiff::object::Document& document) {
    return skiff::object::ApplyMergePatch(patch, document);
  });
  return 0;
}
