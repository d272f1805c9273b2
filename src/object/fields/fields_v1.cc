#include "object/fields/fields_v1.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <utility>

#include "base/hex.h"
#include "base/limits.h"
#include "object/json/cursor.h"
#include "object/json/decode.h"
#include "object/json/encode.h"
#include "object/json/text.h"

namespace skiff::object {
namespace {

class FieldsV1Parser {
 public:
  FieldsV1Parser(Arena& arena, std::string_view text)
      : arena_(arena), cursor_(text), builder_(arena) {}

  Result<FieldSet> Parse() {
    bool member = false;
    FieldSet set;
    if (!ReadSteps(0, &set, &member)) return Failed();
    cursor_.SkipSpace();
    if (!cursor_.AtEnd()) {
      fault_ = "text after the set of fields";
      return Failed();
    }
    return set;
  }

 private:
  enum class Step : uint8_t { kKnown, kUnknown, kFault };

  std::unexpected<Status> Failed() const {
    const char* reason = cursor_.error().message;
    return BadRequest("fieldsV1: " + std::string(reason != nullptr ? reason : fault_));
  }
  bool Fault(const char* why) {
    fault_ = why;
    return false;
  }

  // An object of steps; null stands for an empty one.
  bool ReadSteps(int depth, FieldSet* out, bool* member) {
    if (depth > limits::kMaxDepth) return Fault("steps are nested too deeply");
    *member = false;
    if (cursor_.Peek() == JsonKind::kNull) {
      *member = true;
      return cursor_.ReadNull();
    }
    if (!cursor_.Expect('{', "expected an object of steps")) return false;
    const size_t mark = builder_.Mark();
    if (!cursor_.Take('}')) {
      do {
        if (!ReadStep(depth, member)) return false;
      } while (cursor_.Take(','));
      if (!cursor_.Expect('}', kExpectedObjectEnd)) return false;
    }
    *out = builder_.Close(mark);
    if (out->empty()) *member = true;
    return true;
  }

  bool ReadStep(int depth, bool* parent_is_member) {
    std::string_view key;
    cursor_.SkipSpace();
    if (!cursor_.ReadString(arena_, &key) || !cursor_.Expect(':', kExpectedColon)) return false;
    if (key == ".") {
      *parent_is_member = true;
      return cursor_.SkipValue(depth + 1);
    }
    PathElement element;
    switch (ReadElement(key, &element)) {
      case Step::kFault:
        return false;
      case Step::kUnknown:
        return cursor_.SkipValue(depth + 1);
      case Step::kKnown:
        break;
    }
    FieldSet children;
    bool member = false;
    if (!ReadSteps(depth + 1, &children, &member)) return false;
    builder_.Add(element, member, children);
    return true;
  }

  Step ReadElement(std::string_view key, PathElement* out) {
    if (key.size() < 2 || key[1] != ':') {
      fault_ = "a step has no kind";
      return Step::kFault;
    }
    const std::string_view content = key.substr(2);
    switch (key[0]) {
      case 'f':
        *out = PathElement::Field(content);
        return Step::kKnown;
      case 'k':
        return ReadKeys(content, out);
      case 'v': {
        JsonCursor cursor(content);
        Value* value = arena_.AllocateArray<Value>(1);
        if (!ReadValue(cursor, value)) return Step::kFault;
        *out = PathElement::Item(value);
        return Step::kKnown;
      }
      case 'i': {
        int64_t index = 0;
        const auto [end, error] =
            std::from_chars(content.data(), content.data() + content.size(), index);
        if (error != std::errc() || end != content.data() + content.size()) {
          fault_ = "a place in a list is no number";
          return Step::kFault;
        }
        *out = PathElement::Index(index);
        return Step::kKnown;
      }
      default:
        return Step::kUnknown;
    }
  }

  Step ReadKeys(std::string_view content, PathElement* out) {
    JsonCursor cursor(content);
    keys_.clear();
    if (!cursor.Take('{')) return KeyFault();
    if (!cursor.Take('}')) {
      do {
        KeyField& field = keys_.emplace_back();
        cursor.SkipSpace();
        if (!cursor.ReadStringCopy(arena_, &field.name) || !cursor.Take(':')) return KeyFault();
        if (!ReadValue(cursor, &field.value)) return Step::kFault;
      } while (cursor.Take(','));
      if (!cursor.Take('}')) return KeyFault();
    }
    std::stable_sort(keys_.begin(), keys_.end(),
                     [](const KeyField& a, const KeyField& b) { return a.name < b.name; });
    KeyField* fields = arena_.AllocateArray<KeyField>(keys_.size());
    std::copy(keys_.begin(), keys_.end(), fields);
    *out = PathElement::Key({fields, keys_.size()});
    return Step::kKnown;
  }
  Step KeyFault() {
    fault_ = "the keys of a list item are no JSON object";
    return Step::kFault;
  }

  bool ReadValue(JsonCursor& cursor, Value* out) {
    switch (cursor.Peek()) {
      case JsonKind::kString: {
        std::string_view text;
        if (!cursor.ReadStringCopy(arena_, &text)) break;
        *out = Value::String(text);
        return true;
      }
      case JsonKind::kNumber: {
        std::string_view text;
        int64_t integer = 0;
        double number = 0;
        if (!cursor.ReadNumber(&text)) break;
        if (ParseJsonInt(text, &integer)) {
          *out = Value::Int(integer);
          return true;
        }
        if (!ParseJsonDouble(text, &number)) break;
        *out = Value::Double(number);
        return true;
      }
      case JsonKind::kInvalid:
        break;
      default: {
        const size_t start = cursor.offset();
        if (!cursor.SkipValue(0)) break;
        const Result<Document> value = DecodeJson(cursor.TextFrom(start), nullptr);
        if (!value) break;
        *out = value->root().CopyInto(arena_);
        return true;
      }
    }
    return Fault("the value of a list item is no JSON");
  }

  Arena& arena_;
  JsonCursor cursor_;
  FieldSetBuilder builder_;
  std::vector<KeyField> keys_;
  const char* fault_ = "no set of fields";
};

// Whether one of eight bytes needs an escape in JSON.
bool NeedsEscape(uint64_t eight) {
  constexpr uint64_t kOnes = 0x0101010101010101;
  constexpr uint64_t kHighs = 0x8080808080808080;
  const auto has_zero = [](uint64_t x) { return (x - kOnes) & ~x & kHighs; };
  const uint64_t below_space = (eight - kOnes * ' ') & ~eight & kHighs;
  return (below_space | has_zero(eight ^ kOnes * '"') | has_zero(eight ^ kOnes * '\\')) != 0;
}

// How many bytes from the start need no escape. Most texts need none at all.
size_t PlainPrefix(std::string_view text) {
  size_t at = 0;
  uint64_t eight = 0x2e2e2e2e2e2e2e2e;
  for (; at + 8 <= text.size(); at += 8) {
    std::memcpy(&eight, text.data() + at, 8);
    if (NeedsEscape(eight)) break;
  }
  if (at < text.size() && at + 8 > text.size()) {
    // What is left, before bytes that were found plain or always are.
    std::memcpy(&eight, text.data() + at, text.size() - at);
    if (!NeedsEscape(eight)) return text.size();
  }
  while (at < text.size() && static_cast<unsigned char>(text[at]) >= ' ' && text[at] != '"' &&
         text[at] != '\\') {
    ++at;
  }
  return at;
}

// Only what JSON itself asks for is escaped, unlike in answers to clients.
void AppendEscaped(ByteBuffer& out, std::string_view text) {
  while (true) {
    const size_t plain = PlainPrefix(text);
    out.Append(text.substr(0, plain));
    if (plain == text.size()) return;
    const auto c = static_cast<unsigned char>(text[plain]);
    text.remove_prefix(plain + 1);
    if (c == '"' || c == '\\') {
      out.Append('\\');
      out.Append(static_cast<char>(c));
    } else if (c == '\n') {
      out.Append("\\n");
    } else if (c == '\r') {
      out.Append("\\r");
    } else if (c == '\t') {
      out.Append("\\t");
    } else {
      out.Append("\\u00");
      out.Append(HexByte(c));
    }
  }
}

// Whether JSON within JSON has this text as it is: letters that nobody escapes.
bool IsPlain(std::string_view text) {
  for (const char c : text) {
    const bool plain =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '-' && c <= ':') || c == '_';
    if (!plain) return false;
  }
  return true;
}

// The usual key, one plain string, written with its quotes escaped at once.
bool AppendPlainKey(ByteBuffer& out, std::span<const KeyField> keys) {
  if (keys.size() != 1 || !keys[0].value.is_string()) return false;
  const std::string_view name = keys[0].name;
  const std::string_view text = keys[0].value.AsText();
  if (!IsPlain(name) || !IsPlain(text)) return false;
  out.Append(R"("k:{\")");
  out.Append(name);
  out.Append(R"(\":\")");
  out.Append(text);
  out.Append(R"(\"})");
  return true;
}

void AppendKeys(ByteBuffer& out, std::span<const KeyField> keys) {
  out.Append('{');
  bool first = true;
  for (const KeyField& field : keys) {
    if (!std::exchange(first, false)) out.Append(',');
    AppendJsonString(out, field.name);
    out.Append(':');
    EncodeJson(field.value, out);
  }
  out.Append('}');
}

void AppendSteps(ByteBuffer& out, const FieldSet& set, bool with_self, ByteBuffer& scratch) {
  out.Append('{');
  bool first = true;
  if (with_self) {
    out.Append("\".\":{}");
    first = false;
  }
  for (const FieldNode& node : set.nodes()) {
    if (!std::exchange(first, false)) out.Append(',');
    AppendFieldStep(out, node.element, scratch);
    if (node.children.empty()) {
      out.Append("{}");
    } else {
      AppendSteps(out, node.children, node.member, scratch);
    }
  }
  out.Append('}');
}

}  // namespace

Result<FieldSet> ParseFieldsV1(Arena& arena, std::string_view json) {
  return FieldsV1Parser(arena, json).Parse();
}

void AppendFieldsV1(ByteBuffer& out, const FieldSet& set) {
  ByteBuffer scratch;
  AppendSteps(out, set, false, scratch);
}

void AppendFieldStep(ByteBuffer& out, const PathElement& element, ByteBuffer& scratch) {
  scratch.Clear();
  switch (element.kind()) {
    case PathElement::Kind::kField:
      out.Append("\"f:");
      AppendEscaped(out, element.name());
      break;
    case PathElement::Kind::kKey:
      if (AppendPlainKey(out, element.key())) break;
      AppendKeys(scratch, element.key());
      out.Append("\"k:");
      AppendEscaped(out, scratch.view());
      break;
    case PathElement::Kind::kValue:
      EncodeJson(element.value(), scratch);
      out.Append("\"v:");
      AppendEscaped(out, scratch.view());
      break;
    case PathElement::Kind::kIndex:
      out.Append("\"i:");
      AppendJsonInt(out, element.index());
      break;
  }
  out.Append("\":");
}

}  // namespace skiff::object
