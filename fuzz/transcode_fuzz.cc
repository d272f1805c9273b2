// The transcoders against the tree: whatever the bytes, going straight between JSON and protobuf
// gives what decoding and encoding give, down to the last byte, and fails where they fail.
#include <cstdlib>

#include "object/json/cursor.h"
#include "object/json/decode.h"
#include "object/json/encode.h"
#include "object/protobuf/decode.h"
#include "object/protobuf/encode.h"
#include "object/transcode/json_to_protobuf.h"
#include "object/transcode/protobuf_to_json.h"

using namespace skiff;

namespace {

void Check(bool holds) {
  if (!holds) std::abort();
}

void FromJson(std::string_view text, const object::MessageDesc& type) {
  std::vector<object::FieldIssue> tree_issues, direct_issues;
  auto document = object::DecodeJson(text, &type, {.issues = &tree_issues});
  ByteBuffer direct;
  auto done = object::JsonToProtobuf(text, type, direct, {.issues = &direct_issues});
  Check(document.has_value() == done.has_value());
  Check(tree_issues.size() == direct_issues.size());
  if (!document) {
    Check(document.error().ToString() == done.error().ToString());
    return;
  }
  std::string message;
  object::EncodeProtobuf(document->root(), &message);
  Check(message == direct.view());
}

void FromProtobuf(std::string_view bytes, const object::MessageDesc& type) {
  auto document = object::DecodeProtobuf(bytes, &type);
  ByteBuffer direct;
  auto done = object::ProtobufToJson(bytes, type, {}, {}, direct);
  // The tree also refuses strings that are not UTF-8 and raw values that are not JSON.
  if (!document) return;
  Check(done.has_value());
  Check(object::EncodeJson(document->root()) == direct.view());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  static const object::MessageDesc* const kinds[] = {
      object::FindKind("v1", "Pod"),
      object::FindKind("v1", "Secret"),
      object::FindKind("v1", "Event"),
      object::FindKind("apiextensions.k8s.io/v1", "CustomResourceDefinition"),
      object::FindKind("admissionregistration.k8s.io/v1", "ValidatingAdmissionPolicy"),
      object::FindKind("autoscaling/v2", "HorizontalPodAutoscaler")};
  const object::MessageDesc& type = *kinds[(data[0] >> 1) % std::size(kinds)];
  const std::string_view input(reinterpret_cast<const char*>(data) + 1, size - 1);
  if (data[0] & 1) {
    FromJson(input, type);
  } else {
    FromProtobuf(input, type);
  }
  return 0;
}
