#include "object/yaml/emit.h"

#include <yaml.h>

#include <algorithm>
#include <new>
#include <utility>

#include "base/limits.h"
#include "base/utf8.h"
#include "object/json/decode.h"
#include "object/json/text.h"
#include "object/yaml/resolve.h"

namespace skiff::object {
namespace {

// The room that an item may leave to the next one.
constexpr size_t kSmallItemBytes = 64 * 1024;

yaml_char_t* CharsOf(std::string_view text) {
  // libyaml does not change what it is given; its interface is only older than that habit.
  return reinterpret_cast<yaml_char_t*>(const_cast<char*>(text.data()));
}

// Each byte that belongs to no character becomes U+FFFD, as in JSON.
std::string ReplaceInvalidUtf8(std::string_view text) {
  std::string out;
  const char* const end = text.data() + text.size();
  for (const char* at = text.data(); at != end;) {
    const size_t length = Utf8SequenceLength(at, end);
    out.append(length != 0 ? std::string_view(at, length) : "\xef\xbf\xbd");
    at += std::max<size_t>(length, 1);
  }
  return out;
}

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsLetter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || static_cast<unsigned char>(c) >= 0x80;
}

// The number at the place where two keys part. It wraps around as in Go.
struct DigitRun {
  uint64_t value;
  size_t end;
};
DigitRun ReadDigits(std::string_view key, size_t at, uint64_t value) {
  for (; at < key.size() && IsDigit(key[at]); ++at) {
    value = value * 10 + static_cast<uint64_t>(key[at] - '0');
  }
  return {value, at};
}

std::vector<const MapEntry*> InYamlOrder(const Value& map) {
  std::vector<const MapEntry*> entries;
  entries.reserve(map.size());
  for (const MapEntry& entry : map.entries()) entries.push_back(&entry);
  // Natural order is not transitive for a few odd keys, which std::sort would not survive.
  std::stable_sort(entries.begin(), entries.end(), [](const MapEntry* a, const MapEntry* b) {
    return YamlKeyLess(a->key, b->key);
  });
  return entries;
}

Result<Document> DecodeForYaml(std::string_view json) {
  DecodeOptions options;
  options.max_bytes = limits::kMaxCountedBytes;
  options.borrow_text = true;
  return DecodeJson(json, nullptr, options);
}

}  // namespace

// One document, in calls that follow each other as its values do.
class YamlEmitter {
 public:
  YamlEmitter() {
    Check(yaml_emitter_initialize(&emitter_));
    yaml_emitter_set_output(&emitter_, Write, this);
    yaml_emitter_set_unicode(&emitter_, 1);
  }
  ~YamlEmitter() { yaml_emitter_delete(&emitter_); }
  YamlEmitter(const YamlEmitter&) = delete;
  YamlEmitter& operator=(const YamlEmitter&) = delete;

  // Where to write from now on. Some of it may come later, by End() at the latest.
  void SetOutput(ByteBuffer& out) { out_ = &out; }

  void Begin() {
    Emit(yaml_stream_start_event_initialize(&event_, YAML_UTF8_ENCODING));
    Emit(yaml_document_start_event_initialize(&event_, nullptr, nullptr, nullptr, 1));
  }
  void End() {
    Emit(yaml_document_end_event_initialize(&event_, 1));
    // Else a text that ends in empty lines would be followed by "...".
    emitter_.open_ended = 0;
    Emit(yaml_stream_end_event_initialize(&event_));
  }

  void BeginMap() {
    Emit(yaml_mapping_start_event_initialize(&event_, nullptr, nullptr, 1,
                                             YAML_BLOCK_MAPPING_STYLE));
  }
  void EmitKey(std::string_view key) {
    if (key == "<<") return EmitScalar(key, YAML_DOUBLE_QUOTED_SCALAR_STYLE);
    EmitString(key);
  }
  void EndMap() { Emit(yaml_mapping_end_event_initialize(&event_)); }

  void BeginList() {
    Emit(yaml_sequence_start_event_initialize(&event_, nullptr, nullptr, 1,
                                              YAML_BLOCK_SEQUENCE_STYLE));
  }
  void EndList() { Emit(yaml_sequence_end_event_initialize(&event_)); }

  void EmitValue(const Value& value) {
    switch (value.tag()) {
      case Tag::kNull:
        return EmitPlain("null");
      case Tag::kBool:
        return EmitPlain(value.AsBool() ? "true" : "false");
      case Tag::kInt:
        return EmitPlain(std::to_string(value.AsInt()));
      case Tag::kUint:
        return EmitPlain(std::to_string(value.AsUint()));
      case Tag::kDouble:
        return EmitDouble(value.AsDouble());
      case Tag::kString:
        return EmitString(value.AsText());
      case Tag::kList:
        return EmitList(value);
      case Tag::kMap:
        return EmitMap(value);
      default:
        assert(false && "only untyped values can be printed as YAML");
    }
  }

 private:
  static int Write(void* self, unsigned char* bytes, size_t size) {
    static_cast<YamlEmitter*>(self)->out_->Append({reinterpret_cast<const char*>(bytes), size});
    return 1;
  }

  // Nothing but memory can be lacking: the events come in order and the text is UTF-8.
  static void Check(int succeeded) {
    if (succeeded == 0) throw std::bad_alloc();
  }

  void Emit(int initialized) {
    Check(initialized);
    Check(yaml_emitter_emit(&emitter_, &event_));
  }

  void EmitList(const Value& list) {
    BeginList();
    for (const Value& item : list.items()) EmitValue(item);
    EndList();
  }

  void EmitMap(const Value& map) {
    BeginMap();
    for (const MapEntry* entry : InYamlOrder(map)) {
      EmitKey(entry->key);
      EmitValue(entry->value);
    }
    EndMap();
  }

  // Kubernetes prints the number that its YAML reader finds in the JSON, so that a double without
  // fraction comes out as an integer where one can hold it.
  void EmitDouble(double value) {
    ByteBuffer json;
    AppendJsonDouble(json, value);
    const YamlScalar number = ResolveYamlScalar(json.view());
    std::string text = json.ToString();
    if (number.type == YamlType::kInt) text = std::to_string(number.integer);
    if (number.type == YamlType::kFloat) text = FormatYamlFloat(number.number);
    EmitPlain(text);
  }

  void EmitString(std::string_view text) {
    if (!IsValidUtf8(text)) return EmitString(ReplaceInvalidUtf8(text));
    yaml_scalar_style_t style = YAML_DOUBLE_QUOTED_SCALAR_STYLE;
    if (text.find('\n') != std::string_view::npos) {
      style = YAML_LITERAL_SCALAR_STYLE;
    } else if (ResolveYamlScalar(text).type == YamlType::kString && !IsYamlBase60(text)) {
      style = YAML_PLAIN_SCALAR_STYLE;
    }
    EmitScalar(text, style);
  }

  void EmitPlain(std::string_view text) { EmitScalar(text, YAML_PLAIN_SCALAR_STYLE); }

  // The emitter itself quotes where the style does not suit the text or the place.
  void EmitScalar(std::string_view text, yaml_scalar_style_t style) {
    if (text.data() == nullptr) text = "";
    Emit(yaml_scalar_event_initialize(&event_, nullptr, nullptr, CharsOf(text),
                                      static_cast<int>(text.size()), 1, 1, style));
  }

  yaml_emitter_t emitter_;
  yaml_event_t event_;
  ByteBuffer* out_ = nullptr;
};

bool YamlKeyLess(std::string_view a, std::string_view b) {
  const size_t shorter = std::min(a.size(), b.size());
  size_t at = 0;
  while (at < shorter && a[at] == b[at]) ++at;
  if (at == shorter) return a.size() < b.size();
  const bool a_letter = IsLetter(a[at]);
  const bool b_letter = IsLetter(b[at]);
  // The bytes of UTF-8 order as the characters do.
  const bool byte_less = static_cast<unsigned char>(a[at]) < static_cast<unsigned char>(b[at]);
  if (a_letter && b_letter) return byte_less;
  if (a_letter || b_letter) return b_letter;

  // A zero inside of a number is a digit like others; before it, it is padding.
  uint64_t before = 0;
  if (a[at] == '0' || b[at] == '0') {
    for (size_t i = at; i > 0 && IsDigit(a[i - 1]); --i) {
      if (a[i - 1] != '0') before = 1;
    }
  }
  const DigitRun a_run = ReadDigits(a, at, before);
  const DigitRun b_run = ReadDigits(b, at, before);
  if (a_run.value != b_run.value) {
    return static_cast<int64_t>(a_run.value) < static_cast<int64_t>(b_run.value);
  }
  if (a_run.end != b_run.end) return a_run.end < b_run.end;
  return byte_less;
}

void AppendYaml(ByteBuffer& out, const Value& value) {
  YamlEmitter emitter;
  emitter.SetOutput(out);
  emitter.Begin();
  emitter.EmitValue(value);
  emitter.End();
}

YamlListWriter::YamlListWriter(std::string_view member)
    : member_("\"" + std::string(member) + "\":"), emitter_(std::make_unique<YamlEmitter>()) {}

YamlListWriter::~YamlListWriter() = default;

Result<void> YamlListWriter::Append(ByteBuffer& out, std::string_view json) {
  emitter_->SetOutput(out);
  size_t begin = 0;  // of what is not in text_ yet
  for (size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (in_string_) {
      if (std::exchange(escaped_, false)) continue;
      escaped_ = c == '\\';
      in_string_ = c != '"';
    } else if (c == '"') {
      in_string_ = true;
    } else if (c == '[' || c == ']' || c == '{' || c == '}' || c == ',') {
      text_.append(json.substr(begin, i - begin));
      begin = i + 1;
      SKIFF_RETURN_IF_ERROR(OnMark(c));
    }
  }
  text_.append(json.substr(begin));
  return {};
}

Result<void> YamlListWriter::OnMark(char mark) {
  const bool opens = mark == '[' || mark == '{';
  const bool closes = mark == ']' || mark == '}';
  if (place_ == Place::kHead && mark == '[' && depth_ == 1 && text_.ends_with(member_)) {
    return BeginItems();
  }
  if (place_ == Place::kItems && depth_ == 0 && !opens) {
    const bool is_emitted = std::exchange(item_emitted_, false) && text_.empty();
    if (!is_emitted && (mark == ',' || !text_.empty())) SKIFF_RETURN_IF_ERROR(EmitItem());
    if (closes) EndItems();
    return {};
  }
  if (opens) ++depth_;
  if (closes) --depth_;
  text_.push_back(mark);
  if (place_ == Place::kItems && depth_ == 0) {
    SKIFF_RETURN_IF_ERROR(EmitItem());
    item_emitted_ = true;
  }
  return {};
}

Result<void> YamlListWriter::BeginItems() {
  text_.append("[]}");
  SKIFF_ASSIGN_OR_RETURN(const Document borrowed, DecodeForYaml(text_));
  head_ = borrowed.Copy();
  text_.clear();
  entries_ = InYamlOrder(head_.root());
  emitter_->Begin();
  emitter_->BeginMap();
  for (;; ++next_entry_) {
    const MapEntry& entry = *entries_[next_entry_];
    emitter_->EmitKey(entry.key);
    if (member_.compare(1, member_.size() - 3, entry.key) == 0) break;
    emitter_->EmitValue(entry.value);
  }
  emitter_->BeginList();
  place_ = Place::kItems;
  depth_ = 0;
  return {};
}

Result<void> YamlListWriter::EmitItem() {
  SKIFF_ASSIGN_OR_RETURN(const Document item, DecodeForYaml(text_));
  emitter_->EmitValue(item.root());
  // It may be long until the next one comes.
  if (text_.capacity() > kSmallItemBytes) std::string().swap(text_);
  text_.clear();
  return {};
}

void YamlListWriter::EndItems() {
  emitter_->EndList();
  while (++next_entry_ < entries_.size()) {
    emitter_->EmitKey(entries_[next_entry_]->key);
    emitter_->EmitValue(entries_[next_entry_]->value);
  }
  emitter_->EndMap();
  place_ = Place::kTail;
}

Result<void> YamlListWriter::Finish(ByteBuffer& out) {
  emitter_->SetOutput(out);
  if (place_ == Place::kHead) {
    // There are no items, and nothing in their place or a null.
    SKIFF_ASSIGN_OR_RETURN(const Document whole, DecodeForYaml(text_));
    emitter_->Begin();
    emitter_->EmitValue(whole.root());
  } else if (text_ != "}" && text_ != "}\n") {
    return Fail(StatusReason::kInternalError, "the items of a list are not the last that it has");
  }
  emitter_->End();
  return {};
}

}  // namespace skiff::object
