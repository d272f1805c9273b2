// How the patch targets split their input: the document, a NUL, the patch.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <string_view>

#include "base/limits.h"
#include "base/status.h"
#include "object/json/decode.h"
#include "object/json/encode.h"
#include "object/value.h"

namespace skiff {

// Decodes both parts, applies the patch twice, and aborts unless both times give the same result,
// the patch is unchanged, and a result stays within what the codecs accept.
inline void FuzzPatch(
    std::string_view input,
    const std::function<Result<void>(const object::Value&, object::Document&)>& apply) {
  const auto require = [](bool holds, const char* what) {
    if (holds) return;
    std::fprintf(stderr, "%s\n", what);
    std::abort();
  };
  const size_t middle = input.find('\0');
  if (middle == input.npos) return;
  const std::string_view document_text = input.substr(0, middle);
  const auto patch = object::DecodeJson(input.substr(middle + 1), nullptr);
  auto first = object::DecodeJson(document_text, nullptr);
  auto second = object::DecodeJson(document_text, nullptr);
  if (!patch.has_value() || !first.has_value()) return;
  const std::string patch_before = object::EncodeJson(patch->root());

  const auto applied = apply(patch->root(), *first);
  const auto again = apply(patch->root(), *second);
  require(object::EncodeJson(patch->root()) == patch_before, "the patch was changed");
  require(applied.has_value() == again.has_value(), "applied once only");
  if (!applied.has_value()) {
    require(applied.error().message() == again.error().message(), "two different errors");
    require(applied.error().message().size() < 64 * 1024, "an endless message");
    return;
  }
  const std::string text = object::EncodeJson(first->root());
  require(text == object::EncodeJson(second->root()), "two different results");
  object::DecodeOptions options;
  options.max_bytes = 8 * limits::kMaxDocumentBytes;  // escapes make text longer than its value
  const auto decoded = object::DecodeJson(text, nullptr, options);
  require(decoded.has_value(), "the result does not decode");
  require(object::EncodeJson(decoded->root()) == text, "the result does not survive a round trip");
}

}  // namespace skiff
