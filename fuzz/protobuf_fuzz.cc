// Bytes as protobuf: messages of several kinds, told by the first byte, and stored envelopes. What
// decodes must encode to bytes that decode to the same bytes again.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "object/protobuf/encode.h"
#include "object/protobuf/envelope.h"

namespace skiff {
namespace {

std::string Encode(const object::Document& document) {
  std::string out;
  object::EncodeProtobuf(document.root(), &out);
  return out;
}

void CheckStable(const object::Document& document) {
  const std::string once = Encode(document);
  auto again = object::DecodeProtobuf(once, document.type(), {.max_bytes = SIZE_MAX});
  if (!again || Encode(*again) != once) std::abort();
}

void Run(std::string_view input) {
  static const object::MessageDesc* const kTypes[] = {
      object::FindKind("v1", "Pod"),
      object::FindKind("v1", "Secret"),
      object::FindKind("v1", "Service"),
      object::FindKind("coordination.k8s.io/v1", "Lease"),
      object::FindKind("apiextensions.k8s.io/v1", "CustomResourceDefinition"),
      object::FindKind("v1", "APIResourceList"),
      object::FindKind("authentication.k8s.io/v1", "TokenReview"),
      object::FindMessage("apiextensions.k8s.io/v1", "JSONSchemaProps"),
  };
  if (input.starts_with('k')) {
    if (auto document = object::DecodeStorage(input)) CheckStable(*document);
    return;
  }
  if (input.empty()) return;
  const object::MessageDesc* type = kTypes[static_cast<uint8_t>(input[0]) % std::size(kTypes)];
  std::vector<object::FieldIssue> issues;
  auto document = object::DecodeProtobuf(input.substr(1), type, {.issues = &issues});
  if (document) CheckStable(*document);
}

}  // namespace
}  // namespace skiff

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  skiff::Run({reinterpret_cast<const char*>(data), size});
  return 0;
}
