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

std::string Encode(const Document& document) {
  std::string out;
  EncodeProtobuf(document.root(), &out);
  return out;
}

void CheckStable(const Document& document) {
  const std::string once = Encode(document);
  auto again = DecodeProtobuf(once, document.type(), {.max_bytes = SIZE_MAX});
  if (!again || Encode(*again) != once) std::abort();
}

void Run(std::string_view input) {
  static const MessageDesc* const kTypes[] = {
      FindKind("v1", "Pod"),
      FindKind("v1", "Secret"),
      FindKind("v1", "Service"),
      FindKind("coordination.k8s.io/v1", "Lease"),
      FindKind("apiextensions.k8s.io/v1", "CustomResourceDefinition"),
      FindKind("v1", "APIResourceList"),
      FindKind("authentication.k8s.io/v1", "TokenReview"),
      FindMessage("apiextensions.k8s.io/v1", "JSONSchemaProps"),
  };
  if (input.starts_with('k')) {
    if (auto document = DecodeStorage(input)) CheckStable(*document);
    return;
  }
  if (input.empty()) return;
  const MessageDesc* type = kTypes[static_cast<uint8_t>(input[0]) % std::size(kTypes)];
  std::vector<FieldIssue> issues;
  auto document = DecodeProtobuf(input.substr(1), type, {.issues = &issues});
  if (document) CheckStable(*document);
}

}  // namespace
}  // namespace skiff

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  skiff::Run({reinterpret_cast<const char*>(data), size});
  return 0;
}
