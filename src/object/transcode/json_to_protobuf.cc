#include "object/transcode/json_to_protobuf.h"

#include <algorithm>
#include <bit>
#include <string>
#include <utility>
#include <vector>

#include "object/document_size.h"
#include "object/json/cursor.h"
#include "object/json/faults.h"
#include "object/json/scalar.h"
#include "object/path.h"
#include "object/protobuf/encode.h"
#include "object/protobuf/envelope.h"
#include "object/protobuf/item_wire_type.h"
#include "object/protobuf/wire.h"

namespace skiff::object {
namespace {

// Bytes are copied once per level that they are within. Deeper objects, of which there are none but
// by malice, go through the tree, which copies them once.
constexpr int kMaxDirectDepth = 64;

// A stretch of the output: where the encoded entries of a field or of a map's key stand.
struct Stretch {
  size_t begin = 0;
  size_t size = 0;
  bool seen = false;  // the field occurred, perhaps as null
};

struct MapStretch {
  std::string_view key;
  size_t begin;
  size_t size;
  size_t key_offset;
};

class Transcoder {
 public:
  Transcoder(std::string_view json, ByteBuffer& out, const DecodeOptions& options)
      : out_(out),
        cursor_(json),
        faults_(json, cursor_, options),
        scalars_(cursor_, arena_, /*borrow=*/true) {}

  bool Run(const MessageDesc& type) {
    const PathNode path;
    const JsonKind kind = cursor_.Peek();
    if (kind == JsonKind::kNull) {
      out_.Append(type.zero_protobuf);
      if (!cursor_.ReadNull()) return faults_.Syntax(path);
    } else if (kind != JsonKind::kObject) {
      return faults_.Expected("an object", kind, path);
    } else if (!Object(type, path, 0)) {
      return false;
    }
    cursor_.SkipSpace();
    return cursor_.AtEnd() ||
           faults_.Fail(cursor_.offset(), "text after the end of the value", path);
  }

  // A field stands twice in one object, and the tree decoder knows how Go merges such values; or
  // the objects are too deep to be copied level by level.
  bool needs_tree() const { return needs_tree_; }
  Status MakeStatus() { return faults_.MakeStatus(); }

 private:
  bool NeedsTree() {
    needs_tree_ = true;
    return false;
  }

  // --- messages

  // The body of a message, in any form that it may have; JSON null is the empty message.
  bool Message(const MessageDesc& type, const PathNode& path, int depth) {
    const JsonKind kind = cursor_.Peek();
    if (kind == JsonKind::kNull) {
      out_.Append(type.zero_protobuf);
      return cursor_.ReadNull() || faults_.Syntax(path);
    }
    if (type.form != MessageForm::kPlain) return SchemaOr(type, path, depth, kind);
    if (kind != JsonKind::kObject) return faults_.Expected("an object", kind, path);
    return Object(type, path, depth);
  }

  bool Object(const MessageDesc& type, const PathNode& path, int depth) {
    if (depth > kMaxDirectDepth) return NeedsTree();
    const size_t begin = out_.size();
    const size_t mark = stretches_.size();
    stretches_.resize(mark + type.fields.size());
    cursor_.Take('{');
    uint16_t next = 0;
    if (!cursor_.Take('}')) {
      do {
        if (!Member(type, path, depth, mark, &next)) return false;
      } while (cursor_.Take(','));
      if (!cursor_.Expect('}', kExpectedObjectEnd)) return faults_.Syntax(path);
    }
    const size_t assembled = out_.size();
    Assemble(type, mark);
    MoveDown(begin, assembled);
    stretches_.resize(mark);
    return true;
  }

  // One key and its value; the encoded entries are appended to the output.
  bool Member(const MessageDesc& type, const PathNode& path, int depth, size_t mark,
              uint16_t* next) {
    cursor_.SkipSpace();
    const size_t key_offset = cursor_.offset();
    std::string_view key;
    if (!cursor_.ReadString(arena_, &key) || !cursor_.Expect(':', kExpectedColon)) {
      return faults_.Syntax(path);
    }
    const uint16_t field = *next < type.fields.size() && type.fields[*next].name() == key
                               ? *next
                               : type.FindField(key);
    const PathNode here(&path, key);
    if (field == MessageDesc::kNoField) {
      faults_.Report(FieldIssue::kUnknown, here, key_offset);
      return cursor_.SkipValue(depth + 1) || faults_.Syntax(here);
    }
    *next = static_cast<uint16_t>(field + 1);
    if (stretches_[mark + field].seen) return NeedsTree();
    const size_t begin = out_.size();
    if (!Field(type.fields[field], here, depth)) return false;
    stretches_[mark + field] = {begin, out_.size() - begin, true};
    return true;
  }

  // Appends the fields of a message in the order of tags, from the stretches at `first` on.
  void Assemble(const MessageDesc& type, size_t first) {
    for (const ProtoFieldDesc& proto : type.proto_fields) {
      if (proto.inlined != nullptr) {
        const size_t length = BeginLength(proto.key);
        Assemble(*proto.inlined, first + proto.first_field);
        EndLength(length);
        continue;
      }
      const Stretch& stretch = stretches_[first + proto.first_field];
      if (stretch.size != 0) {
        CopyStretch(stretch.begin, stretch.size);
      } else {
        Zero(type.fields[proto.first_field], proto.key);
      }
    }
  }

  void CopyStretch(size_t begin, size_t size) {
    char* to = out_.Reserve(size);
    std::memcpy(to, out_.data() + begin, size);
    out_.CommitTo(to + size);
  }

  // Moves what was appended from `from` on down to `to`.
  void MoveDown(size_t to, size_t from) {
    const size_t size = out_.size() - from;
    if (size != 0) std::memmove(out_.data() + to, out_.data() + from, size);
    out_.Truncate(to + size);
  }

  // What is written for a field that is not set.
  void Zero(const FieldDesc& field, uint32_t key) {
    if (field.pointer() || field.cardinality != Cardinality::kSingle) return;
    if (field.type == FieldType::kBytes || field.type == FieldType::kStringList) return;
    if (field.type == FieldType::kMessage) {
      WriteKey(key);
      WriteText(field.message->zero_protobuf);
    } else {
      Scalar(field.type, key, ZeroScalar(field.type));
    }
  }

  // The schema unions of custom resource definitions.
  bool SchemaOr(const MessageDesc& type, const PathNode& path, int depth, JsonKind kind) {
    const FieldDesc& schema = type.fields[type.FindField("schema")];
    const uint32_t schema_key = WireKey(schema.tag, WireType::kBytes);
    if (type.form == MessageForm::kSchemaOrBool) {
      constexpr uint32_t kAllows = WireKey(1, WireType::kVarint);
      Value allows = Value::Bool(true);
      if (kind == JsonKind::kBool)
        return ReadScalar(FieldType::kBool, path, &allows) &&
               Scalar(FieldType::kBool, kAllows, allows);
      if (kind != JsonKind::kObject) return faults_.Expected("an object or a boolean", kind, path);
      Scalar(FieldType::kBool, kAllows, allows);
    }
    if (kind == JsonKind::kObject) {
      const size_t length = BeginLength(schema_key);
      return Object(*schema.message, path, depth) && (EndLength(length), true);
    }
    constexpr uint32_t kItems = WireKey(2, WireType::kBytes);
    const bool strings = type.form == MessageForm::kSchemaOrStringArray;
    if (kind != JsonKind::kArray) {
      return faults_.Expected(
          strings ? "an object or an array of strings" : "an object or an array", kind, path);
    }
    return strings ? List(FieldType::kString, nullptr, kItems, path, depth)
                   : List(FieldType::kMessage, schema.message, kItems, path, depth);
  }

  // --- fields

  // Appends the entries of a field; nothing when its value says no more than its absence.
  bool Field(const FieldDesc& field, const PathNode& path, int depth) {
    const JsonKind kind = cursor_.Peek();
    if (kind == JsonKind::kNull) return cursor_.ReadNull() || faults_.Syntax(path);
    if (field.cardinality == Cardinality::kSingle) {
      const uint32_t key = WireKey(field.tag, ItemWireType(field.type));
      return Element(field.type, field.message, key, path, depth);
    }
    if (field.cardinality == Cardinality::kList) {
      if (kind != JsonKind::kArray) return faults_.Expected("an array", kind, path);
      const uint32_t key = WireKey(field.tag, ItemWireType(field.type));
      return List(field.type, field.message, key, path, depth + 1);
    }
    if (kind != JsonKind::kObject) return faults_.Expected("an object", kind, path);
    return Map(field, path, depth + 1);
  }

  // One value with its key. Null is the zero of the type.
  bool Element(FieldType type, const MessageDesc* message, uint32_t key, const PathNode& path,
               int depth) {
    if (type == FieldType::kMessage) {
      const size_t length = BeginLength(key);
      if (!Message(*message, path, depth + 1)) return false;
      EndLength(length);
      return true;
    }
    Value value;
    if (!ReadScalar(type, path, &value)) return false;
    if (WireFieldNumber(key) == 0) return true;  // kind and apiVersion are not in the message
    return Scalar(type, key, value.is_null() ? ZeroScalar(type) : value);
  }

  bool ReadScalar(FieldType type, const PathNode& path, Value* out) {
    if (scalars_.Read(type, out)) return true;
    if (scalars_.message().empty()) return faults_.Syntax(path);
    return faults_.Fail(scalars_.error_offset(), scalars_.message(), path);
  }

  bool List(FieldType type, const MessageDesc* message, uint32_t key, const PathNode& path,
            int depth) {
    if (depth > limits::kMaxDepth) return faults_.TooDeep();
    cursor_.Take('[');
    if (cursor_.Take(']')) return true;
    PathNode here(&path, uint32_t{0});
    uint32_t index = 0;
    do {
      here.SetIndex(index++);
      if (!Element(type, message, key, here, depth)) return false;
    } while (cursor_.Take(','));
    return cursor_.Expect(']', kExpectedArrayEnd) || faults_.Syntax(path);
  }

  bool Map(const FieldDesc& field, const PathNode& path, int depth) {
    if (depth > limits::kMaxDepth) return faults_.TooDeep();
    const size_t mark = map_stretches_.size();
    const size_t begin = out_.size();
    const uint32_t key = WireKey(field.tag, WireType::kBytes);
    const uint32_t value_key = WireKey(2, ItemWireType(field.type));
    bool sorted = true;
    cursor_.Take('{');
    if (!cursor_.Take('}')) {
      do {
        cursor_.SkipSpace();
        MapStretch entry{
            .key = {}, .begin = out_.size(), .size = 0, .key_offset = cursor_.offset()};
        if (!cursor_.ReadString(arena_, &entry.key) || !cursor_.Expect(':', kExpectedColon)) {
          return faults_.Syntax(path);
        }
        const size_t length = BeginLength(key);
        WriteKey(WireKey(1, WireType::kBytes));
        WriteText(entry.key);
        const PathNode here(&path, entry.key);
        if (!Element(field.type, field.message, value_key, here, depth)) return false;
        EndLength(length);
        entry.size = out_.size() - entry.begin;
        sorted = sorted && (map_stretches_.size() == mark || map_stretches_.back().key < entry.key);
        map_stretches_.push_back(entry);
      } while (cursor_.Take(','));
      if (!cursor_.Expect('}', kExpectedObjectEnd)) return faults_.Syntax(path);
    }
    if (!sorted) SortEntries(mark, begin, path);
    map_stretches_.resize(mark);
    return true;
  }

  // Rewrites the entries of a map in the order of their keys; of equal keys the last one stays.
  void SortEntries(size_t mark, size_t begin, const PathNode& path) {
    const std::span<MapStretch> entries = std::span(map_stretches_).subspan(mark);
    std::ranges::stable_sort(entries, {}, &MapStretch::key);
    const size_t assembled = out_.size();
    for (size_t i = 0; i < entries.size(); ++i) {
      if (i != 0 && entries[i - 1].key == entries[i].key) {
        faults_.Report(FieldIssue::kDuplicate, PathNode(&path, entries[i].key),
                       entries[i].key_offset);
      }
      if (i + 1 < entries.size() && entries[i + 1].key == entries[i].key) continue;
      CopyStretch(entries[i].begin, entries[i].size);
    }
    MoveDown(begin, assembled);
  }

  // --- wire

  void WriteKey(uint32_t key) { Varint(key); }
  void Varint(uint64_t value) {
    auto* to = reinterpret_cast<uint8_t*>(out_.Reserve(kMaxVarintBytes));
    out_.CommitTo(reinterpret_cast<char*>(WriteVarint(to, value)));
  }
  void WriteText(std::string_view text) {
    auto* to = reinterpret_cast<uint8_t*>(out_.Reserve(kMaxVarintBytes + text.size()));
    to = WriteVarint(to, text.size());
    if (!text.empty()) std::memcpy(to, text.data(), text.size());
    out_.CommitTo(reinterpret_cast<char*>(to) + text.size());
  }

  // A key and room for the one byte that most lengths take; returns where the body begins.
  size_t BeginLength(uint32_t key) {
    WriteKey(key);
    out_.Append('\0');
    return out_.size();
  }
  // Writes the length before the body, which moves if that takes more than a byte.
  void EndLength(size_t body) {
    const size_t size = out_.size() - body;
    const size_t more = VarintSize(size) - 1;
    if (more != 0) {
      char* to = out_.Reserve(more);
      std::memmove(out_.data() + body + more, out_.data() + body, size);
      out_.CommitTo(to + more);
    }
    WriteVarint(reinterpret_cast<uint8_t*>(out_.data() + body - 1), size);
  }

  // A scalar with its key. Always true, so that readers can end with it.
  bool Scalar(FieldType type, uint32_t key, const Value& value) {
    switch (type) {
      case FieldType::kBytes:
        if (value.is_null()) return true;
        [[fallthrough]];
      case FieldType::kString:
        WriteKey(key);
        WriteText(value.AsText());
        return true;
      case FieldType::kBool:
        WriteKey(key);
        Varint(value.AsBool() ? 1 : 0);
        return true;
      case FieldType::kInt32:
      case FieldType::kInt64:
      case FieldType::kUint32:
        WriteKey(key);
        Varint(static_cast<uint64_t>(value.AsInt()));
        return true;
      case FieldType::kUint64:
        WriteKey(key);
        Varint(value.AsUint());
        return true;
      case FieldType::kDouble: {
        WriteKey(key);
        const auto bits = std::bit_cast<uint64_t>(value.AsDouble());
        char bytes[8];
        for (int i = 0; i < 8; ++i) bytes[i] = static_cast<char>(bits >> (8 * i));
        out_.Append({bytes, 8});
        return true;
      }
      default: {
        const size_t length = BeginLength(key);
        SmallMessage(type, value);
        EndLength(length);
        return true;
      }
    }
  }

  // The body of a value that protobuf wraps in a message.
  void SmallMessage(FieldType type, const Value& value) {
    constexpr uint32_t kVarint1 = WireKey(1, WireType::kVarint);
    constexpr uint32_t kVarint2 = WireKey(2, WireType::kVarint);
    constexpr uint32_t kText1 = WireKey(1, WireType::kBytes);
    switch (type) {
      case FieldType::kTime:
      case FieldType::kMicroTime: {
        const Timestamp time = value.AsTime();
        if (IsZero(time)) return;
        Scalar(FieldType::kInt64, kVarint1, Value::Int(time.seconds));
        const uint32_t nanos = type == FieldType::kTime ? 0 : time.nanos / 1000 * 1000;
        Scalar(FieldType::kInt64, kVarint2, Value::Int(nanos));
        return;
      }
      case FieldType::kDuration:
        Scalar(FieldType::kInt64, kVarint1, Value::Int(value.AsInt()));
        return;
      case FieldType::kQuantity:
        Scalar(FieldType::kString, kText1, value);
        return;
      case FieldType::kIntOrString: {
        const bool text = value.is_string();
        Scalar(FieldType::kInt64, kVarint1, Value::Int(text ? 1 : 0));
        Scalar(FieldType::kInt64, kVarint2, Value::Int(text ? 0 : value.AsInt()));
        Scalar(FieldType::kString, WireKey(3, WireType::kBytes), text ? value : Value::String(""));
        return;
      }
      case FieldType::kRawJson:
      case FieldType::kFieldsV1:
        if (!value.is_null()) Scalar(FieldType::kString, kText1, Value::String(value.AsText()));
        return;
      case FieldType::kUnknown:
        Scalar(FieldType::kString, kText1, Value::String(kEmptyTypeMeta));
        if (!value.is_null()) {
          Scalar(FieldType::kString, WireKey(2, WireType::kBytes), Value::String(value.AsText()));
        }
        Scalar(FieldType::kString, WireKey(3, WireType::kBytes), Value::String(""));
        Scalar(FieldType::kString, WireKey(4, WireType::kBytes), Value::String(kJsonContentType));
        return;
      case FieldType::kStringList:
        if (!value.is_list()) return;
        for (const Value& item : value.items()) Scalar(FieldType::kString, kText1, item);
        return;
      default:
        return;
    }
  }

  ByteBuffer& out_;
  Arena arena_;
  JsonCursor cursor_;
  JsonFaults faults_;
  JsonScalarReader scalars_;
  std::vector<Stretch> stretches_;         // of the fields of the objects being read
  std::vector<MapStretch> map_stretches_;  // of the entries of the maps being read
  bool needs_tree_ = false;
};

// The road of texts that the transcoder leaves alone.
Result<void> ThroughTree(std::string_view json, const MessageDesc& type, ByteBuffer& out,
                         const DecodeOptions& options) {
  SKIFF_ASSIGN_OR_RETURN(Document document, DecodeJson(json, &type, options));
  std::string message;
  EncodeProtobuf(document.root(), &message);
  out.Append(message);
  return {};
}

}  // namespace

Result<void> JsonToProtobuf(std::string_view json, const MessageDesc& type, ByteBuffer& out,
                            const DecodeOptions& options) {
  SKIFF_RETURN_IF_ERROR(CheckDocumentSize(json.size(), options.max_bytes));
  const size_t start = out.size();
  const size_t issues_before = options.issues == nullptr ? 0 : options.issues->size();
  Transcoder transcoder(json, out, options);
  if (transcoder.Run(type)) return {};
  out.Truncate(start);
  if (!transcoder.needs_tree()) return std::unexpected(transcoder.MakeStatus());
  if (options.issues != nullptr) options.issues->resize(issues_before);
  return ThroughTree(json, type, out, options);
}

Result<void> JsonToStorage(std::string_view json, ByteBuffer& out, const DecodeOptions& options) {
  SKIFF_ASSIGN_OR_RETURN(const TypeMeta meta, PeekTypeMeta(json));
  const MessageDesc* type = FindKind(meta.api_version, meta.kind);
  if (type == nullptr || !type->in_protobuf) {
    return BadRequest("no kind \"" + meta.kind + "\" in version \"" + meta.api_version +
                      "\" that has a protobuf form");
  }
  ByteBuffer message;
  SKIFF_RETURN_IF_ERROR(JsonToProtobuf(json, *type, message, options));
  std::string stored;
  AppendProtobufEnvelope({.api_version = meta.api_version,
                          .kind = meta.kind,
                          .raw = message.view(),
                          .content_encoding = {},
                          .content_type = {}},
                         &stored);
  out.Append(stored);
  return {};
}

}  // namespace skiff::object
