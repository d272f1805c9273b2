#include "cel/value_text.h"

#include "cel/opaque.h"
#include "cel/types.h"
#include "cel/values/strings.h"

namespace skiff::cel {

std::string ValueText(Arena& arena, const Val& value) {
  switch (value.kind()) {
    case Kind::kUnset:
      return "nothing";
    case Kind::kString:
      return Quote(value.AsText());
    case Kind::kBytes:
      return "b" + Quote(value.AsText());
    case Kind::kUint:
      return GoText(arena, value) + "u";
    case Kind::kTimestamp:
      return "timestamp(" + Quote(GoText(arena, value)) + ")";
    case Kind::kDuration:
      return "duration(" + Quote(GoText(arena, value)) + ")";
    case Kind::kOptional:
      return value.AsOptional() == nullptr
                 ? "optional.none()"
                 : "optional.of(" + ValueText(arena, *value.AsOptional()) + ")";
    case Kind::kOpaque: {
      const std::string text = OpaqueText(*value.AsOpaque());
      return std::string(TypeNameOf(value)) + (text.empty() ? "" : "(" + Quote(text) + ")");
    }
    case Kind::kList: {
      std::string out = "[";
      for (size_t i = 0; i < ListSize(value); ++i) {
        if (i > 0) out += ", ";
        out += ValueText(arena, ListAt(arena, value, i));
      }
      return out + "]";
    }
    case Kind::kMap:
    case Kind::kStruct: {
      const bool is_struct = value.kind() == Kind::kStruct;
      const Val map = is_struct ? Val::Map(value.map_block(), value.raw_size()) : value;
      std::string out = is_struct ? std::string(TypeNameOf(value)) + "{" : "{";
      bool first = true;
      for (size_t i = 0; i < MapSize(map); ++i) {
        const MapItem item = MapAt(arena, map, i);
        if (item.key.kind() == Kind::kUnset) continue;  // not visible
        if (!first) out += ", ";
        first = false;
        out += is_struct ? std::string(item.key.AsText()) : ValueText(arena, item.key);
        out += ": " + ValueText(arena, item.value);
      }
      return out + "}";
    }
    default:
      return GoText(arena, value);
  }
}

}  // namespace skiff::cel
