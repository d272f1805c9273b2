#include "object/json/resource_version.h"

#include "base/arena.h"
#include "object/json/cursor.h"

namespace skiff::object {
namespace {

// Where the first member of the metadata stands, or the brace that ends it; zero: nowhere.
size_t MetadataPlace(std::string_view json) {
  Arena arena;
  JsonCursor cursor(json);
  if (!cursor.Expect('{', "expected an object") || cursor.Take('}')) return 0;
  do {
    std::string_view name;
    cursor.SkipSpace();
    if (!cursor.ReadString(arena, &name) || !cursor.Expect(':', kExpectedColon)) return 0;
    if (name == "metadata") {
      if (cursor.Peek() != JsonKind::kObject) return 0;
      cursor.Take('{');
      cursor.SkipSpace();
      return cursor.offset();
    }
    if (!cursor.SkipValue(1)) return 0;
  } while (cursor.Take(','));
  return 0;
}

}  // namespace

bool AppendJsonWithResourceVersion(std::string_view json, std::string_view version,
                                   ByteBuffer& out) {
  while (json.ends_with('\n') || json.ends_with(' ')) json.remove_suffix(1);
  if (version.empty()) {
    out.Append(json);
    return true;
  }
  const size_t place = MetadataPlace(json);
  if (place == 0 || place >= json.size()) return false;
  out.Append(json.substr(0, place));
  out.Append("\"resourceVersion\":\"");
  out.Append(version);
  out.Append(json[place] == '}' ? "\"" : "\",");
  out.Append(json.substr(place));
  return true;
}

}  // namespace skiff::object
