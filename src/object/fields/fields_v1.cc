#include "object/fields/fields_v1.h"

#include <algorithm>
#include <charconv>

#include "base/limits.h"
#include "object/json/cursor.h"
#include "object/json/decode.h"
#include "object/json/encode.h"
#include "object/json/text.h"

namespace skiff {
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

class FieldsV1Writer {
 public:
  explicit FieldsV1Writer(ByteBuffer& out) : out_(out) {}

  void Write(const FieldSet& set, bool with_self) {
    out_.Append('{');
    bool first = true;
    if (with_self) {
      out_.Append("\".\":{}");
      first = false;
    }
    for (const FieldNode& node : set.nodes()) {
      if (!first) out_.Append(',');
      first = false;
      WriteElement(node.element);
      out_.Append(':');
      if (node.children.empty()) {
        out_.Append("{}");
      } else {
        Write(node.children, node.member);
      }
    }
    out_.Append('}');
  }

 private:
  void WriteElement(const PathElement& element) {
    out_.Append('"');
    switch (element.kind()) {
      case PathElement::Kind::kField:
        out_.Append("f:");
        WriteEscaped(element.name());
        break;
      case PathElement::Kind::kKey: {
        content_.Clear();
        content_.Append('{');
        for (const KeyField& field : element.key()) {
          if (content_.size() != 1) content_.Append(',');
          AppendJsonString(content_, field.name);
          content_.Append(':');
          EncodeJson(field.value, content_);
        }
        content_.Append('}');
        out_.Append("k:");
        WriteEscaped(content_.view());
        break;
      }
      case PathElement::Kind::kValue:
        content_.Clear();
        EncodeJson(element.value(), content_);
        out_.Append("v:");
        WriteEscaped(content_.view());
        break;
      case PathElement::Kind::kIndex:
        out_.Append("i:");
        AppendJsonInt(out_, element.index());
        break;
    }
    out_.Append('"');
  }

  // Only what JSON itself asks for is escaped, unlike in answers to clients.
  void WriteEscaped(std::string_view text) {
    static constexpr char kHex[] = "0123456789abcdef";
    size_t plain = 0;
    for (size_t i = 0; i < text.size(); ++i) {
      const auto c = static_cast<unsigned char>(text[i]);
      if (c >= ' ' && c != '"' && c != '\\') continue;
      out_.Append(text.substr(plain, i - plain));
      plain = i + 1;
      if (c == '"' || c == '\\') {
        out_.Append('\\');
        out_.Append(text[i]);
      } else if (c == '\n') {
        out_.Append("\\n");
      } else if (c == '\r') {
        out_.Append("\\r");
      } else if (c == '\t') {
        out_.Append("\\t");
      } else {
        out_.Append("\\u00");
        out_.Append(kHex[c >> 4]);
        out_.Append(kHex[c & 15]);
      }
    }
    out_.Append(text.substr(plain));
  }

  ByteBuffer& out_;
  ByteBuffer content_;
};

}  // namespace

Result<FieldSet> ParseFieldsV1(Arena& arena, std::string_view json) {
  return FieldsV1Parser(arena, json).Parse();
}

void AppendFieldsV1(ByteBuffer& out, const FieldSet& set) { FieldsV1Writer(out).Write(set, false); }

}  // namespace skiff
