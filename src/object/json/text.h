// JSON text as Go's encoding/json writes it, which is what every Kubernetes client has seen:
// `<`, `>`, `&`, U+2028 and U+2029 escaped, invalid UTF-8 replaced by U+FFFD, floats in the
// shortest form.
#pragma once

#include <charconv>
#include <cstdint>
#include <string_view>

#include "base/buffer.h"
#include "base/utf8.h"

namespace skiff::object {

// The string with its quotes.
void AppendJsonString(ByteBuffer& out, std::string_view text);

inline void AppendJsonInt(ByteBuffer& out, int64_t value) {
  char* to = out.Reserve(20);
  out.CommitTo(std::to_chars(to, to + 20, value).ptr);
}
inline void AppendJsonUint(ByteBuffer& out, uint64_t value) {
  char* to = out.Reserve(20);
  out.CommitTo(std::to_chars(to, to + 20, value).ptr);
}
// JSON has no infinities and no NaN; both are written as null.
void AppendJsonDouble(ByteBuffer& out, double value);

// JSON text that is known to be valid, without its white space. Output for clients escapes the
// same characters as AppendJsonString; what is kept at rest stays as it was written.
enum class JsonEscapes : uint8_t { kKeep, kAsGo };
void AppendCompactJson(ByteBuffer& out, std::string_view valid_json, JsonEscapes escapes);

}  // namespace skiff::object
