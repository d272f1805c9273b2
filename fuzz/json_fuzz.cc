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

std::string EncodeAgain(const std::string& text, const MessageDesc* type) {
  DecodeOptions options;
  options.max_bytes = text.size();
  auto document = DecodeJson(text, type, options);
  Check(document.has_value());
  return EncodeJson(document->root());
}

void DecodeTwice(std::string_view text, const MessageDesc* type) {
  std::vector<FieldIssue> issues;
  auto document = DecodeJson(text, type, {.issues = &issues});
  if (!document) {
    Check(!document.error().message().empty());
    Check(document.error().position().line != 0);
    return;
  }
  const std::string once = EncodeJson(document->root());
  Check(IsValidJson(once));
  const std::string twice = EncodeAgain(once, type);
  // A negative zero is written -0, which Go and so we read as the integer 0. Nothing else changes.
  Check(twice == once || once.find("-0") != std::string::npos);
  Check(EncodeAgain(twice, type) == twice);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  static const MessageDesc* const kinds[] = {
      nullptr,
      FindKind("v1", "Pod"),
      FindKind("apps/v1", "Deployment"),
      FindKind("apiextensions.k8s.io/v1", "CustomResourceDefinition"),
      FindKind("v1", "Event"),
      FindKind("v1", "List")};
  for (const MessageDesc* kind : kinds) DecodeTwice(text, kind);
  auto meta = PeekTypeMeta(text);
  if (meta) {
    if (const MessageDesc* kind = FindKind(meta->api_version, meta->kind)) DecodeTwice(text, kind);
  }
  return 0;
}
