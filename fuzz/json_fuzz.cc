// Any bytes as JSON: the typed and the untyped decoder either refuse them with a message or give a
// document whose text decodes to the same text again.
#include <cstdlib>

#include "object/json/cursor.h"
#include "object/json/decode.h"
#include "object/json/encode.h"

using namespace skiff;

namespace {

void Check(bool holds) {
  if (!holds) std::abort();
}

std::string EncodeAgain(const std::string& text, const object::MessageDesc* type) {
  object::DecodeOptions options;
  options.max_bytes = text.size();
  auto document = object::DecodeJson(text, type, options);
  Check(document.has_value());
  return object::EncodeJson(document->root());
}

void DecodeTwice(std::string_view text, const object::MessageDesc* type) {
  std::vector<object::FieldIssue> issues;
  auto document = object::DecodeJson(text, type, {.issues = &issues});
  if (!document) {
    Check(!document.error().message().empty());
    Check(document.error().position().line != 0);
    return;
  }
  const std::string once = object::EncodeJson(document->root());
  Check(object::IsValidJson(once));
  const std::string twice = EncodeAgain(once, type);
  // A negative zero is written -0, which Go and so we read as the integer 0. Nothing else changes.
  Check(twice == once || once.find("-0") != std::string::npos);
  Check(EncodeAgain(twice, type) == twice);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  static const object::MessageDesc* const kinds[] = {
      nullptr,
      object::FindKind("v1", "Pod"),
      object::FindKind("apps/v1", "Deployment"),
      object::FindKind("apiextensions.k8s.io/v1", "CustomResourceDefinition"),
      object::FindKind("v1", "Event"),
      object::FindKind("v1", "List")};
  for (const object::MessageDesc* kind : kinds) DecodeTwice(text, kind);
  auto meta = object::PeekTypeMeta(text);
  if (meta) {
    if (const object::MessageDesc* kind = object::FindKind(meta->api_version, meta->kind))
      DecodeTwice(text, kind);
  }
  return 0;
}
