#include <cstddef>
#include <cstdint>

#include "object/patch/json_patch.h"
#include "patch_input.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  skiff::FuzzPatch(input, [](const skiff::object::Value& patch, skiff::object::Document& document) {
    skiff::object::UnknownJsonPatchMembers(patch);
    return skiff::object::ApplyJsonPatch(patch, document);
  });
  return 0;
}
