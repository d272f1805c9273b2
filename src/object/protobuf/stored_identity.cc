#include "object/protobuf/stored_identity.h"

#include "base/arena.h"
#include "object/json/cursor.h"
#include "object/protobuf/envelope.h"
#include "object/protobuf/wire.h"

namespace skiff::object {
namespace {

constexpr uint32_t kMetadataKey = WireKey(1, WireType::kBytes);
constexpr uint32_t kNameKey = WireKey(1, WireType::kBytes);
constexpr uint32_t kNamespaceKey = WireKey(3, WireType::kBytes);

std::unexpected<Status> Broken(std::string_view what) {
  return BadRequest("the bytes of a stored object are broken in " + std::string(what));
}

// The last of a field that is there several times counts, and a message in pieces is one.
Result<void> ReadMetadata(std::string_view metadata, StoredIdentity& out) {
  for (WireReader fields(metadata); !fields.done();) {
    uint32_t key = 0;
    std::string_view text;
    if (fields.ReadKey(&key) != WireError::kNone) return Broken("metadata");
    if (key != kNameKey && key != kNamespaceKey) {
      if (fields.Skip(key) != WireError::kNone) return Broken("metadata");
      continue;
    }
    if (fields.ReadBytes(&text) != WireError::kNone) return Broken("metadata");
    (key == kNameKey ? out.name : out.name_space) = text;
  }
  return {};
}

Result<StoredIdentity> OfProtobuf(std::string_view stored) {
  SKIFF_ASSIGN_OR_RETURN(const ProtobufEnvelope envelope, OpenProtobufEnvelope(stored));
  StoredIdentity out{.api_version = std::string(envelope.api_version),
                     .kind = std::string(envelope.kind),
                     .name_space = {},
                     .name = {}};
  for (WireReader object(envelope.raw); !object.done();) {
    uint32_t key = 0;
    std::string_view metadata;
    if (object.ReadKey(&key) != WireError::kNone) return Broken("their fields");
    if (key != kMetadataKey) {
      if (object.Skip(key) != WireError::kNone) return Broken("their fields");
      continue;
    }
    if (object.ReadBytes(&metadata) != WireError::kNone) return Broken("metadata");
    SKIFF_RETURN_IF_ERROR(ReadMetadata(metadata, out));
  }
  return out;
}

// The members of one JSON object; `take` is asked for each name, and passes the value if it says
// yes.
template <typename TakeMember>
bool ForEachMember(JsonCursor& cursor, Arena& arena, TakeMember take) {
  if (!cursor.Expect('{', "expected an object")) return false;
  if (cursor.Take('}')) return true;
  do {
    std::string_view name;
    cursor.SkipSpace();
    if (!cursor.ReadString(arena, &name) || !cursor.Expect(':', "expected a colon")) return false;
    if (!take(name) && !cursor.SkipValue(1)) return false;
    if (cursor.error().message != nullptr) return false;
  } while (cursor.Take(','));
  return cursor.Expect('}', "expected the end of an object");
}

Result<StoredIdentity> OfJson(std::string_view stored) {
  StoredIdentity out;
  Arena arena;
  JsonCursor cursor(stored);
  const auto take_text = [&](std::string& into) {
    std::string_view text;
    if (cursor.Peek() != JsonKind::kString) return false;
    if (cursor.ReadString(arena, &text)) into = text;
    return true;
  };
  const auto take_metadata = [&](std::string_view name) {
    if (name == "name") return take_text(out.name);
    return name == "namespace" && take_text(out.name_space);
  };
  const bool read = ForEachMember(cursor, arena, [&](std::string_view name) {
    if (name == "kind") return take_text(out.kind);
    if (name == "apiVersion") return take_text(out.api_version);
    if (name != "metadata" || cursor.Peek() != JsonKind::kObject) return false;
    // What is wrong below stays in the cursor.
    ForEachMember(cursor, arena, take_metadata);
    return true;
  });
  if (!read) return Broken("their JSON text");
  return out;
}

}  // namespace

std::string StoredIdentity::KeyEnd() const {
  return name_space.empty() ? name : name_space + "/" + name;
}

Result<StoredIdentity> ReadStoredIdentity(std::string_view stored) {
  return HasProtobufPrefix(stored) ? OfProtobuf(stored) : OfJson(stored);
}

}  // namespace skiff::object
