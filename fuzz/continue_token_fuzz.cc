// Continue tokens, which clients hand back: whatever is taken for one has a start that stays inside
// of what is listed, and is the same when it is written and read again.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/utf8.h"
#include "object/json/text.h"
#include "store/cache/continue_token.h"

namespace {

using namespace skiff;

void Require(bool condition) {
  if (!condition) std::abort();
}

void CheckToken(const store::ContinueToken& token) {
  Require(token.revision > 0 || token.revision == store::ContinueToken::kNewest);
  Require(!token.start_key.starts_with('/') && !token.start_key.ends_with('/'));
  const std::string key = "/" + token.start_key + "/";
  Require(key == "//" || key.find("//") == std::string::npos);
  Require(key.find("/../") == std::string::npos && key.find("/./") == std::string::npos);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  if (const auto token = store::DecodeContinueToken(input)) {
    CheckToken(*token);
    const auto again = store::DecodeContinueToken(store::EncodeContinueToken(*token));
    Require(again.has_value() && again->revision == token->revision &&
            again->start_key == token->start_key);
  }
  // The input as a key: a token that we write ourselves can be read if the key is clean.
  const auto own = store::DecodeContinueToken(
      store::EncodeContinueToken({.revision = 1, .start_key = std::string(input)}));
  if (own) {
    CheckToken(*own);
    if (IsValidUtf8(input)) Require(own->start_key == input);
  }
  return 0;
}
