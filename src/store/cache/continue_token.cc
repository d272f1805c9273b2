#include "store/cache/continue_token.h"

#include <algorithm>

#include "base/buffer.h"
#include "base/limits.h"
#include "base/strings.h"
#include "object/json/decode.h"
#include "object/json/text.h"
#include "object/scalar/base64.h"

namespace skiff::store {
namespace {

constexpr std::string_view kVersion = "meta.k8s.io/v1";

std::unexpected<Status> Invalid(std::string_view why) {
  return BadRequest("invalid continue token: continue key is not valid" + std::string(why));
}

std::string ToUrlAlphabet(std::string text) {
  while (text.ends_with('=')) text.pop_back();
  for (char& c : text) c = c == '+' ? '-' : c == '/' ? '_' : c;
  return text;
}

bool IsInUrlAlphabet(char c) {
  return IsDigit(c) || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '-' || c == '_';
}

// Without padding; ends of lines do not count.
Result<std::string> DecodeUrlBase64(std::string_view text) {
  const auto illegal_at = [](size_t offset) {
    return Invalid(": illegal base64 data at input byte " + std::to_string(offset));
  };
  std::string standard;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\r' || c == '\n') continue;
    if (!IsInUrlAlphabet(c)) return illegal_at(i);
    standard += c == '-' ? '+' : c == '_' ? '/' : c;
  }
  if (standard.size() % 4 == 1) return illegal_at(text.size() - 1);
  standard.append((4 - standard.size() % 4) % 4, '=');
  return object::DecodeBase64(standard);
}

// What Go's path.Clean leaves alone: no step that is empty or stands still or goes up, so that the
// key cannot leave the place that it is appended to.
bool IsCleanPath(std::string_view path) {
  if (path == "/") return true;
  while (!path.empty()) {
    path.remove_prefix(1);  // the slash
    const std::string_view step = path.substr(0, path.find('/'));
    if (step.empty() || step == "." || step == "..") return false;
    path.remove_prefix(step.size());
  }
  return true;
}

std::string_view TextAt(const object::Value& map, std::string_view name) {
  const object::Value* value = map.Find(name);
  return value != nullptr && value->is_string() ? value->AsText() : std::string_view();
}

}  // namespace

std::string EncodeContinueToken(const ContinueToken& token) {
  ByteBuffer json;
  json.Append("{\"v\":");
  object::AppendJsonString(json, kVersion);
  json.Append(",\"rv\":");
  object::AppendJsonInt(json, token.revision);
  json.Append(",\"start\":");
  object::AppendJsonString(json, "/" + token.start_key);
  json.Append('}');
  std::string out;
  object::AppendBase64(json.view(), out);
  return ToUrlAlphabet(std::move(out));
}

Result<ContinueToken> DecodeContinueToken(std::string_view text) {
  if (text.size() > limits::kMaxContinueTokenBytes) return Invalid(": too long");
  SKIFF_ASSIGN_OR_RETURN(const std::string json, DecodeUrlBase64(text));
  auto document = object::DecodeJson(json, nullptr);
  if (!document || !document->root().is_map()) return Invalid(": not a JSON object");
  const object::Value& root = document->root();

  const std::string_view version = TextAt(root, "v");
  if (version != kVersion) {
    return Invalid(": server does not recognize this encoded version " + std::string(version));
  }
  const object::Value* revision = root.Find("rv");
  if (revision == nullptr || revision->tag() != object::Tag::kInt || revision->AsInt() == 0) {
    return Invalid(": incorrect encoded start resourceVersion (version meta.k8s.io/v1)");
  }
  const std::string given(TextAt(root, "start"));
  if (given.empty()) return Invalid(": encoded start key empty (version meta.k8s.io/v1)");
  const std::string start = given.starts_with('/') ? given : "/" + given;
  if (!IsCleanPath(start)) return Invalid(": " + given);
  return ContinueToken{.revision = std::max(revision->AsInt(), ContinueToken::kNewest),
                       .start_key = start.substr(1)};
}

}  // namespace skiff::store
