#include "object/patch/go_text.h"

#include <charconv>
#include <utility>

namespace skiff::object {
namespace {

void AppendDouble(double number, std::string& out) {
  char buffer[32];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, number);
  out.append(buffer, end.ptr);
}

// Values nest at most limits::kMaxDepth deep, so the recursion is bounded.
void Append(const Value& value, std::string& out) {
  if (out.size() > kMaxValueTextBytes) return;
  switch (value.tag()) {
    case Tag::kBool:
      out += value.AsBool() ? "true" : "false";
      break;
    case Tag::kInt:
      out += std::to_string(value.AsInt());
      break;
    case Tag::kUint:
      out += std::to_string(value.AsUint());
      break;
    case Tag::kDouble:
      AppendDouble(value.AsDouble(), out);
      break;
    case Tag::kString:
    case Tag::kBytes:
    case Tag::kRawJson:
      out += value.AsText().substr(0, kMaxValueTextBytes + 1);
      break;
    case Tag::kList:
      out += '[';
      for (bool first = true; const Value& item : value.items()) {
        if (!std::exchange(first, false)) out += ' ';
        Append(item, out);
        if (out.size() > kMaxValueTextBytes) return;
      }
      out += ']';
      break;
    case Tag::kMap:
      out += "map[";
      for (bool first = true; const MapEntry& entry : value.entries()) {
        if (!std::exchange(first, false)) out += ' ';
        out += entry.key.substr(0, kMaxValueTextBytes);
        out += ':';
        Append(entry.value, out);
        if (out.size() > kMaxValueTextBytes) return;
      }
      out += ']';
      break;
    default:
      out += "<nil>";
      break;
  }
}

}  // namespace

std::string GoText(const Value& value) {
  std::string out;
  Append(value, out);
  if (out.size() > kMaxValueTextBytes) {
    size_t size = kMaxValueTextBytes;
    // A character of several bytes is kept or dropped as a whole.
    while (size > 0 && (static_cast<unsigned char>(out[size]) & 0xc0) == 0x80) --size;
    out.resize(size);
    out += "...";
  }
  return out;
}

std::string_view GoTypeName(const Value& value) {
  switch (value.tag()) {
    case Tag::kNull:
      return "%!s(<nil>)";
    case Tag::kBool:
      return "bool";
    case Tag::kInt:
      return "int64";
    case Tag::kUint:
    case Tag::kDouble:
      return "float64";
    case Tag::kList:
      return "[]interface {}";
    case Tag::kMap:
      return "map[string]interface {}";
    default:
      return "string";
  }
}

std::string_view JsonTypeName(const Value& value) {
  switch (value.tag()) {
    case Tag::kNull:
      return "null";
    case Tag::kBool:
      return "bool";
    case Tag::kInt:
    case Tag::kUint:
    case Tag::kDouble:
      return "number";
    case Tag::kList:
      return "array";
    case Tag::kMap:
      return "object";
    default:
      return "string";
  }
}

}  // namespace skiff::object
