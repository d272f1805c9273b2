// Any bytes as YAML: they are refused with a position, or become JSON that decodes and prints as
// YAML that means the same. Streams give up or come to their end.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "object/json/decode.h"
#include "object/yaml/emit.h"
#include "object/yaml/to_json.h"

namespace {

using namespace skiff;

// What is read again may be longer than what was read first.
constexpr size_t kMaxBytes = size_t{64} << 20;

void Require(bool condition) {
  if (!condition) std::abort();
}

std::string YamlOf(const object::YamlJson& converted) {
  const Result<object::Document> document = object::DecodeJson(
      converted.json(), nullptr, {.positions = &converted, .max_bytes = kMaxBytes});
  Require(document.has_value());
  ByteBuffer out;
  object::AppendYaml(out, document->root());
  return out.ToString();
}

void CheckRoundTrip(const object::YamlJson& converted) {
  Require(converted.PositionOf(0).line != 0 || converted.json() == "null");
  const std::string yaml = YamlOf(converted);
  const Result<object::YamlJson> again = object::YamlToJson(yaml, {.max_bytes = kMaxBytes});
  Require(again.has_value());
  Require(YamlOf(*again) == yaml);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const Result<object::YamlJson> converted = object::YamlToJson(text)) {
    CheckRoundTrip(*converted);
  } else {
    Require(!converted.error().message().empty());
  }
  object::YamlStreamReader reader(text);
  while (true) {
    const Result<std::optional<object::YamlJson>> document = reader.Next();
    if (!document || !document->has_value()) break;
    CheckRoundTrip(**document);
  }
  return 0;
}
