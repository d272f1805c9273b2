#include "object/json/decode.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "object/document_size.h"
#include "object/json/cursor.h"
#include "object/json/faults.h"
#include "object/json/scalar.h"
#include "object/path.h"
#include "object/zero.h"

namespace skiff::object {
namespace {

// Blocks of documents that outgrow their first one.
constexpr size_t kMinArenaStep = 256;

class JsonDecoder {
 public:
  JsonDecoder(std::string_view text, const DecodeOptions& options)
      : options_(options),
        // A first block that most documents fill, and small steps from there on: what is left over
        // stays with the document.
        arena_(options.borrow_text ? text.size() / 2 : text.size(),
               std::max(text.size() / 16, kMinArenaStep)),
        cursor_(text),
        faults_(text, cursor_, options),
        scalars_(cursor_, arena_, options.borrow_text) {
    values_.reserve(128);
  }

  Result<Document> Run(const MessageDesc* type) {
    Value root;
    const PathNode path;
    const bool is_open = type != nullptr && type->open != nullptr;
    const bool read =
        type == nullptr ? ReadAny(path, 0, &root) : ReadMessage(*type, path, 0, &root);
    if (read && type != nullptr && root.is_null()) {
      root = is_open ? Value::EmptyMap() : Value::EmptyObject(arena_, type);
    }
    if (read) {
      cursor_.SkipSpace();
      if (cursor_.AtEnd()) return Document(std::move(arena_), root, is_open ? type : nullptr);
      cursor_.Fail("text after the end of the value");
    }
    return std::unexpected(faults_.MakeStatus());
  }

 private:
  // An entry of a map whose keys are not sorted yet.
  struct PendingEntry {
    MapEntry entry;
    size_t key_offset;
  };

  // --- typed values

  // A message in any of its forms. JSON null gives null.
  bool ReadMessage(const MessageDesc& type, const PathNode& path, int depth, Value* out) {
    const JsonKind kind = cursor_.Peek();
    if (kind == JsonKind::kNull) {
      *out = Value();
      return cursor_.ReadNull() || faults_.Syntax(path);
    }
    if (type.form != MessageForm::kPlain) return ReadSchemaOr(type, path, depth, kind, out);
    if (kind != JsonKind::kObject) return faults_.Expected("an object", kind, path);
    if (type.open != nullptr) return ReadMap(FieldType::kAny, nullptr, path, depth, out, &type);
    return ReadObject(type, path, depth, out);
  }

  // The schema unions of custom resource definitions: an object, or what the form allows besides.
  bool ReadSchemaOr(const MessageDesc& type, const PathNode& path, int depth, JsonKind kind,
                    Value* out) {
    const FieldDesc* schema = &type.fields[type.FindField("schema")];
    if (kind == JsonKind::kObject) return ReadObject(*schema->message, path, depth, out);
    switch (type.form) {
      case MessageForm::kSchemaOrBool:
        if (kind == JsonKind::kBool) return ReadScalar(FieldType::kBool, path, out);
        return faults_.Expected("an object or a boolean", kind, path);
      case MessageForm::kSchemaOrStringArray:
        if (kind == JsonKind::kArray) return ReadScalar(FieldType::kStringList, path, out);
        return faults_.Expected("an object or an array of strings", kind, path);
      default:
        if (kind != JsonKind::kArray) return faults_.Expected("an object or an array", kind, path);
        return ReadList(FieldType::kMessage, schema->message, path, depth, out);
    }
  }

  bool ReadObject(const MessageDesc& type, const PathNode& path, int depth, Value* out) {
    if (depth > limits::kMaxDepth) return faults_.TooDeep();
    cursor_.Take('{');
    const size_t mark = values_.size();
    const size_t seen_mark = seen_.size();
    seen_.resize(seen_mark + (type.fields.size() + 63) / 64);
    bool ordered = true;
    uint16_t next = 0;
    if (!cursor_.Take('}')) {
      do {
        cursor_.SkipSpace();
        const size_t key_offset = cursor_.offset();
        std::string_view key;
        uint16_t field;
        if (!ReadFieldName(type, next, &key, &field)) return faults_.Syntax(path);
        const PathNode here(&path, key);
        if (field == MessageDesc::kNoField) {
          faults_.Report(FieldIssue::kUnknown, here, key_offset);
          if (!cursor_.SkipValue(depth + 1)) return faults_.Syntax(here);
          continue;
        }
        uint64_t* const seen = &seen_[seen_mark + field / 64];
        const uint64_t bit = uint64_t{1} << (field % 64);
        if ((*seen & bit) != 0) [[unlikely]] {
          if (!ReadDuplicate(type.fields[field], field, here, depth, mark, key_offset)) {
            return false;
          }
          ordered = false;
        } else {
          *seen |= bit;
          Value value;
          if (!ReadField(type.fields[field], here, depth, &value)) return false;
          // Also for a field that leaves no value: what follows is compared with it.
          ordered = ordered && field >= next;
          if (!value.is_null()) values_.push_back(value.WithField(field));
        }
        next = static_cast<uint16_t>(field + 1);
      } while (cursor_.Take(','));
      if (!cursor_.Expect('}', kExpectedObjectEnd)) return faults_.Syntax(path);
    }
    const std::span<Value> members = std::span(values_).subspan(mark);
    if (!ordered) std::ranges::sort(members, {}, &Value::field);
    *out = Value::Object(arena_, &type, members);
    values_.resize(mark);
    seen_.resize(seen_mark);
    return true;
  }

  // A name and its colon. Go prints fields in the order of the schema, so the one at `next` is the
  // likely one, and its text is compared as it would be printed.
  bool ReadFieldName(const MessageDesc& type, uint16_t next, std::string_view* name,
                     uint16_t* field) {
    if (next < type.fields.size()) {
      const std::string_view text = type.fields[next].key_text().substr(1);
      if (cursor_.TakeText(text.data(), text.size())) {
        *name = type.fields[next].name();
        *field = next;
        return true;
      }
    }
    if (!cursor_.ReadString(arena_, name) || !cursor_.Expect(':', kExpectedColon)) return false;
    *field = type.FindField(*name);
    return true;
  }

  // One field's value; null if that says no more than the field's absence.
  bool ReadField(const FieldDesc& field, const PathNode& path, int depth, Value* out) {
    if (field.cardinality == Cardinality::kSingle) {
      if (field.type == FieldType::kMessage) {
        if (!ReadMessage(*field.message, path, depth + 1, out)) return false;
        // A message that is not a pointer is always there: an empty one says nothing.
        if (!field.pointer() && out->is_object() && out->size() == 0) *out = Value();
        return true;
      }
      if (field.type == FieldType::kAny) return ReadAny(path, depth + 1, out);
      if (!ReadScalar(field.type, path, out)) return false;
      if (!field.pointer() && IsZeroScalar(field.type, *out)) *out = Value();
      return true;
    }
    const JsonKind kind = cursor_.Peek();
    if (kind == JsonKind::kNull) {
      *out = Value();
      return cursor_.ReadNull() || faults_.Syntax(path);
    }
    if (field.cardinality == Cardinality::kList) {
      if (kind != JsonKind::kArray) return faults_.Expected("an array", kind, path);
      return ReadList(field.type, field.message, path, depth + 1, out);
    }
    if (kind != JsonKind::kObject) return faults_.Expected("an object", kind, path);
    return ReadMap(field.type, field.message, path, depth + 1, out);
  }

  // An item of a list or a value of a map: null means the zero value of the type.
  bool ReadElement(FieldType type, const MessageDesc* message, const PathNode& path, int depth,
                   Value* out) {
    if (type == FieldType::kAny) return ReadAny(path, depth, out);
    if (type != FieldType::kMessage) {
      if (!ReadScalar(type, path, out)) return false;
      if (out->is_null()) *out = ZeroScalar(type);
      return true;
    }
    if (!ReadMessage(*message, path, depth, out)) return false;
    if (message->form == MessageForm::kPlain) {
      if (out->is_null()) *out = Value::EmptyObject(arena_, message);
    } else if (out->is_list() && out->size() == 0) {
      *out = Value();  // what Go prints of it
    }
    return true;
  }

  bool ReadScalar(FieldType type, const PathNode& path, Value* out) {
    if (scalars_.Read(type, out)) return true;
    if (scalars_.message().empty()) return faults_.Syntax(path);
    return faults_.Fail(scalars_.error_offset(), scalars_.message(), path);
  }

  bool ReadList(FieldType type, const MessageDesc* message, const PathNode& path, int depth,
                Value* out) {
    if (depth > limits::kMaxDepth) return faults_.TooDeep();
    cursor_.Take('[');
    const size_t mark = values_.size();
    if (!cursor_.Take(']')) {
      PathNode here(&path, uint32_t{0});
      do {
        here.SetIndex(static_cast<uint32_t>(values_.size() - mark));
        Value item;
        if (!ReadElement(type, message, here, depth + 1, &item)) return false;
        values_.push_back(item);
      } while (cursor_.Take(','));
      if (!cursor_.Expect(']', kExpectedArrayEnd)) return faults_.Syntax(path);
    }
    *out = Value::List(arena_, std::span(values_).subspan(mark));
    values_.resize(mark);
    return true;
  }

  // `open` is not null at the root of an object of an open kind: entries that are its fields are
  // typed, and are not there when they say nothing.
  bool ReadMap(FieldType type, const MessageDesc* message, const PathNode& path, int depth,
               Value* out, const MessageDesc* open = nullptr) {
    if (depth > limits::kMaxDepth) return faults_.TooDeep();
    cursor_.Take('{');
    const size_t mark = entries_.size();
    bool sorted = true;
    if (!cursor_.Take('}')) {
      do {
        cursor_.SkipSpace();
        PendingEntry pending{.entry = {}, .key_offset = cursor_.offset()};
        const bool read_key = options_.borrow_text
                                  ? cursor_.ReadString(arena_, &pending.entry.key)
                                  : cursor_.ReadStringCopy(arena_, &pending.entry.key);
        if (!read_key || !cursor_.Expect(':', kExpectedColon)) return faults_.Syntax(path);
        const PathNode here(&path, pending.entry.key);
        const uint16_t field =
            open == nullptr ? MessageDesc::kNoField : open->FindField(pending.entry.key);
        if (field != MessageDesc::kNoField) {
          if (!ReadField(open->fields[field], here, depth, &pending.entry.value)) return false;
          if (pending.entry.value.is_null()) continue;
        } else if (!ReadElement(type, message, here, depth + 1, &pending.entry.value)) {
          return false;
        }
        sorted =
            sorted && (entries_.size() == mark || entries_.back().entry.key < pending.entry.key);
        entries_.push_back(pending);
      } while (cursor_.Take(','));
      if (!cursor_.Expect('}', kExpectedObjectEnd)) return faults_.Syntax(path);
    }
    if (!sorted) SortEntries(mark, path);
    map_.clear();
    for (const PendingEntry& pending : std::span(entries_).subspan(mark)) {
      map_.push_back(pending.entry);
    }
    *out = Value::Map(arena_, map_);
    entries_.resize(mark);
    return true;
  }

  // Sorts the pending entries from `mark` on; of equal keys the last one stays.
  void SortEntries(size_t mark, const PathNode& path) {
    auto begin = entries_.begin() + static_cast<ptrdiff_t>(mark);
    std::stable_sort(begin, entries_.end(), [](const PendingEntry& a, const PendingEntry& b) {
      return a.entry.key < b.entry.key;
    });
    auto to = begin;
    for (auto from = begin; from != entries_.end(); ++from) {
      if (to != begin && to[-1].entry.key == from->entry.key) {
        faults_.Report(FieldIssue::kDuplicate, PathNode(&path, from->entry.key), from->key_offset);
        to[-1] = *from;
      } else {
        *to++ = *from;
      }
    }
    entries_.erase(to, entries_.end());
  }

  // --- untyped values

  bool ReadAny(const PathNode& path, int depth, Value* out) {
    const JsonKind kind = cursor_.Peek();
    switch (kind) {
      case JsonKind::kString:
        return ReadScalar(FieldType::kString, path, out);
      case JsonKind::kNull:
      case JsonKind::kBool:
        return ReadScalar(FieldType::kBool, path, out);
      case JsonKind::kNumber:
        return ReadAnyNumber(path, out);
      case JsonKind::kArray:
        return ReadList(FieldType::kAny, nullptr, path, depth, out);
      case JsonKind::kObject:
        return ReadMap(FieldType::kAny, nullptr, path, depth, out);
      case JsonKind::kInvalid:
        break;
    }
    return cursor_.SkipValue(0) || faults_.Syntax(path);
  }

  // An integer if it is written as one and fits, else a double: what Kubernetes' unstructured
  // objects hold.
  bool ReadAnyNumber(const PathNode& path, Value* out) {
    const size_t offset = cursor_.offset();
    std::string_view number;
    if (!cursor_.ReadNumber(&number)) return faults_.Syntax(path);
    int64_t integer;
    double real;
    if (ParseJsonInt(number, &integer)) {
      *out = Value::Int(integer);
    } else if (ParseJsonDouble(number, &real)) {
      *out = Value::Double(real);
    } else {
      return faults_.Fail(offset, "the number is too large", path);
    }
    return true;
  }

  // --- duplicates

  // A later value of a field of the object being read, whose members begin at `mark`.
  bool ReadDuplicate(const FieldDesc& field, uint16_t index, const PathNode& path, int depth,
                     size_t mark, size_t key_offset) {
    faults_.Report(FieldIssue::kDuplicate, path, key_offset);
    if (cursor_.Peek() == JsonKind::kNull && NullKeeps(field)) {
      return cursor_.ReadNull() || faults_.Syntax(path);
    }
    Value value;
    if (!ReadField(field, path, depth, &value)) return false;
    ReplaceDuplicate(field, mark, value.WithField(index));
    if (merge_steps_ <= limits::kMaxDuplicateMergeSteps) return true;
    return faults_.Fail(key_offset, "too many duplicate fields", path);
  }

  // Whether null leaves a Go variable of this field as it is, instead of making it nil or zero.
  static bool NullKeeps(const FieldDesc& field) {
    if (field.pointer() || field.cardinality != Cardinality::kSingle) return false;
    switch (field.type) {
      case FieldType::kString:
      case FieldType::kBool:
      case FieldType::kInt32:
      case FieldType::kInt64:
      case FieldType::kUint32:
      case FieldType::kUint64:
      case FieldType::kDouble:
      case FieldType::kRawJson:
      case FieldType::kFieldsV1:
      case FieldType::kMessage:
        return true;
      default:
        return false;
    }
  }

  // Gives a field of the object being read, whose members begin at `mark`, another value.
  void ReplaceDuplicate(const FieldDesc& field, size_t mark, Value value) {
    auto begin = values_.begin() + static_cast<ptrdiff_t>(mark);
    auto old = std::find_if(begin, values_.end(),
                            [&](const Value& v) { return v.field() == value.field(); });
    if (old == values_.end()) {
      if (!value.is_null()) values_.push_back(value);
      return;
    }
    if (value.is_null()) {
      // An empty message merges into what is there; anything else is unset by it.
      const bool merges = field.type == FieldType::kMessage && !field.pointer() &&
                          field.cardinality == Cardinality::kSingle;
      if (!merges) values_.erase(old);
    } else {
      *old = Merged(*old, value);
    }
  }

  // What Go has after decoding `later` into a variable that holds `earlier`. Each time the whole of
  // both is gone through, so a text of nothing but duplicates is given up after some steps.
  Value Merged(Value earlier, const Value& later) {
    merge_steps_ += earlier.size() + later.size();
    if (merge_steps_ > limits::kMaxDuplicateMergeSteps) return earlier;
    if (earlier.is_object() && later.is_object() && earlier.type() == later.type()) {
      for (const Value& member : later.members()) {
        const Value* present = earlier.Member(member.field());
        earlier.SetMember(arena_, member.field(),
                          present == nullptr ? member : Merged(*present, member));
      }
      return earlier;
    }
    if (earlier.is_map() && later.is_map()) {
      map_.clear();
      // Of equal keys set_union takes the first range's.
      std::ranges::set_union(later.entries(), earlier.entries(), std::back_inserter(map_), {},
                             &MapEntry::key, &MapEntry::key);
      return Value::Map(arena_, map_).WithField(earlier.field());
    }
    return later.WithField(earlier.field());
  }

  const DecodeOptions& options_;
  Arena arena_;
  JsonCursor cursor_;
  JsonFaults faults_;
  JsonScalarReader scalars_;
  std::vector<Value> values_;          // members and items of the containers being read
  std::vector<PendingEntry> entries_;  // entries of the maps being read
  std::vector<uint64_t> seen_;         // a bit per field of the objects being read
  std::vector<MapEntry> map_;
  size_t merge_steps_ = 0;
};

}  // namespace

Result<Document> DecodeJson(std::string_view text, const MessageDesc* type,
                            const DecodeOptions& options) {
  SKIFF_RETURN_IF_ERROR(CheckDocumentSize(text.size(), options.max_bytes));
  return JsonDecoder(text, options).Run(type);
}

Result<TypeMeta> PeekTypeMeta(std::string_view json) {
  TypeMeta meta;
  Arena arena;
  JsonCursor cursor(json);
  const auto fail = [&] {
    const bool at_end = cursor.error().offset >= json.size();
    Status status(StatusReason::kBadRequest, at_end ? kUnexpectedEnd : cursor.error().message);
    status.SetPosition(PositionInText(json, cursor.error().offset));
    return std::unexpected(std::move(status));
  };
  if (!cursor.Expect('{', "expected an object")) return fail();
  if (cursor.Take('}')) return meta;
  bool have_kind = false, have_version = false;
  do {
    std::string_view key;
    cursor.SkipSpace();
    if (!cursor.ReadString(arena, &key) || !cursor.Expect(':', kExpectedColon)) return fail();
    const bool is_kind = key == "kind";
    if ((is_kind || key == "apiVersion") && cursor.Peek() == JsonKind::kString) {
      std::string_view value;
      if (!cursor.ReadString(arena, &value)) return fail();
      (is_kind ? meta.kind : meta.api_version) = value;
      (is_kind ? have_kind : have_version) = true;
      // The usual order puts both first; the rest is read once, by the decoder.
      if (have_kind && have_version) return meta;
    } else if (!cursor.SkipValue(1)) {
      return fail();
    }
  } while (cursor.Take(','));
  if (!cursor.Expect('}', kExpectedObjectEnd)) return fail();
  return meta;
}

}  // namespace skiff::object
