#include "object/protobuf/decode.h"

#include <algorithm>

#include "object/document_size.h"
#include "object/json/scalar.h"
#include "object/protobuf/decoder.h"
#include "object/zero.h"

namespace skiff::object {
namespace {

// Messages that are out of order are copied once per level that is; this bounds what nesting them
// can cost, as a multiple of the input.
constexpr size_t kMaxReorderedCopies = 16;

// A document takes between 1.3 times (long texts) and 3 times (many short values) the bytes of its
// message. The first block is for the former; small ones after it keep unused room below 1/16.
constexpr size_t kMinArenaStep = 256;

// The descriptor of a key that is not the expected one, or null. Fields that are left out are the
// usual reason, so the search goes forward first.
const ProtoFieldDesc* FindField(const MessageDesc& type, const ProtoFieldDesc* next, uint32_t key) {
  const uint32_t tag = WireFieldNumber(key);
  const ProtoFieldDesc* const end = type.proto_fields.data() + type.proto_fields.size();
  while (next != end && WireFieldNumber(next->key) < tag) ++next;
  if (next != end && WireFieldNumber(next->key) == tag) return next;
  return type.FindProtoField(tag);
}

bool CanBePacked(const FieldDesc& desc) {
  return desc.cardinality == Cardinality::kList && ItemWireType(desc.type) != WireType::kBytes;
}

bool IsPackedKey(const MessageDesc& type, const ProtoFieldDesc& field, uint32_t key) {
  return field.inlined == nullptr && CanBePacked(type.fields[field.first_field]) &&
         WireTypeOf(key) == WireType::kBytes;
}

PathNode FieldNode(const MessageDesc& type, const ProtoFieldDesc& field, const PathNode& path) {
  return field.inlined != nullptr ? path : PathNode(&path, type.fields[field.first_field].name());
}

// Moves to the next field if it has the same number, so that a list is read in one go.
bool NextIsSameField(WireReader& in, uint32_t* key) {
  WireReader ahead = in;
  uint32_t next_key;
  if (ahead.done() || ahead.ReadKey(&next_key) != WireError::kNone) return false;
  if (WireFieldNumber(next_key) != WireFieldNumber(*key)) return false;
  in = ahead;
  *key = next_key;
  return true;
}

// Both runs are nearly always in order already.
void SortMembers(std::span<Value> members) {
  if (!std::ranges::is_sorted(members, {}, &Value::field)) {
    std::ranges::sort(members, {}, &Value::field);
  }
}

// Sorts by key; of equal keys the last one stays. Returns the number of entries.
size_t SortEntries(std::span<MapEntry> entries) {
  bool ascending = true;
  for (size_t i = 1; i < entries.size() && ascending; ++i) {
    ascending = entries[i - 1].key < entries[i].key;
  }
  if (ascending) return entries.size();
  std::ranges::stable_sort(entries, {}, &MapEntry::key);
  size_t kept = 0;
  for (const MapEntry& entry : entries) {
    if (kept != 0 && entries[kept - 1].key == entry.key) --kept;
    entries[kept++] = entry;
  }
  return kept;
}

}  // namespace

Result<Document> DecodeProtobuf(std::string_view message, const MessageDesc* type,
                                const ProtobufDecodeOptions& options) {
  SKIFF_RETURN_IF_ERROR(CheckDocumentSize(message.size(), options.max_bytes));
  return ProtobufDecoder(message, options).Run(type);
}

ProtobufDecoder::ProtobufDecoder(std::string_view message, const ProtobufDecodeOptions& options)
    : message_(message),
      options_(options),
      arena_(message.size() * 3 / 2 + 64, std::max(message.size() / 16, kMinArenaStep)),
      reorder_budget_(kMaxReorderedCopies * message.size()) {
  values_.reserve(128);
}

Result<Document> ProtobufDecoder::Run(const MessageDesc* type) {
  const PathNode root;
  if (type->is_kind) {
    const auto add = [&](std::string_view name, std::string_view text) {
      if (text.empty()) return;
      values_.push_back(Value::String(arena_.Copy(text)).WithField(type->FindField(name)));
    };
    add("kind", options_.kind);
    add("apiVersion", options_.api_version);
  }
  if (!ReadFields(message_, *type, 0, root, 1)) return std::unexpected(std::move(*error_));
  SortMembers(values_);
  const Value object = Value::Object(arena_, type, values_);
  return Document(std::move(arena_), object);
}

bool ProtobufDecoder::ReadFields(std::string_view bytes, const MessageDesc& type, uint16_t base,
                                 const PathNode& path, int depth) {
  if (depth > limits::kMaxDepth) {
    return Fail(path,
                "messages are nested deeper than " + std::to_string(limits::kMaxDepth) + " levels");
  }
  WireReader in(bytes);
  const size_t value_mark = values_.size();
  const size_t issue_mark = options_.issues == nullptr ? 0 : options_.issues->size();
  const ProtoFieldDesc* next = type.proto_fields.data();
  const ProtoFieldDesc* const end = next + type.proto_fields.size();
  while (!in.done()) {
    uint32_t key = 0;
    if (!CheckWire(in.ReadKey(&key), path)) return false;
    const ProtoFieldDesc* field = next;
    if (field == end || field->key != key) {
      field = FindField(type, next, key);
      if (field == nullptr) {
        if (!SkipUnknown(in, key, path)) return false;
        continue;
      }
      if (field < next) [[unlikely]] {
        // Begin again with the fields in order.
        values_.resize(value_mark);
        if (options_.issues != nullptr) options_.issues->resize(issue_mark);
        return ReadReordered(bytes, type, base, path, depth);
      }
      if (key != field->key && !IsPackedKey(type, *field, key)) [[unlikely]] {
        return FailWireType(key, FieldNode(type, *field, path));
      }
    }
    next = field + 1;
    if (field->inlined != nullptr) {
      std::string_view inlined;
      if (!CheckWire(in.ReadBytes(&inlined), path) ||
          !ReadFields(inlined, *field->inlined, static_cast<uint16_t>(base + field->first_field),
                      path, depth + 1)) {
        return false;
      }
      continue;
    }
    const FieldDesc& desc = type.fields[field->first_field];
    const Met met{desc, field->key, key, static_cast<uint16_t>(base + field->first_field), depth};
    const bool ok = desc.cardinality == Cardinality::kSingle ? ReadSingle(in, met, path)
                    : desc.cardinality == Cardinality::kList ? ReadList(in, met, path)
                                                             : ReadMap(in, met, path);
    if (!ok) return false;
  }
  return true;
}

bool ProtobufDecoder::ReadSingle(WireReader& in, const Met& met, const PathNode& path) {
  const FieldDesc& desc = met.desc;
  const PathNode node(&path, desc.name());
  Value value;
  if (desc.type == FieldType::kString) {
    std::string_view text;
    if (!CheckWire(in.ReadBytes(&text), node)) return false;
    if (text.empty() && !desc.pointer()) return true;
    if (!CopyText(text, node, &text)) return false;
    values_.push_back(Value::String(text).WithField(met.index));
    return true;
  }
  if (desc.type == FieldType::kMessage) {
    std::string_view bytes;
    if (!CheckWire(in.ReadBytes(&bytes), node)) return false;
    const auto empty = desc.pointer() ? Empty::kKeep : Empty::kDrop;
    if (!ReadMessage(bytes, *desc.message, node, met.depth + 1, empty, &value)) return false;
  } else if (!ReadValue(in, desc, node, met.depth, &value)) {
    return false;
  }
  if (desc.pointer() || !IsZeroScalar(desc.type, value)) {
    values_.push_back(value.WithField(met.index));
  }
  return true;
}

bool ProtobufDecoder::ReadList(WireReader& in, const Met& met, const PathNode& path) {
  const PathNode node(&path, met.desc.name());
  PathNode item_node(&node, 0u);
  const size_t mark = values_.size();
  uint32_t key = met.key;
  do {
    item_node.SetIndex(static_cast<uint32_t>(values_.size() - mark));
    if (key == met.expected_key) [[likely]] {
      Value item;
      if (!ReadValue(in, met.desc, item_node, met.depth, &item)) return false;
      values_.push_back(item);
      continue;
    }
    if (!CanBePacked(met.desc) || WireTypeOf(key) != WireType::kBytes) {
      return FailWireType(key, node);
    }
    std::string_view packed;
    if (!CheckWire(in.ReadBytes(&packed), node)) return false;
    for (WireReader items(packed); !items.done();) {
      Value item;
      if (!ReadValue(items, met.desc, node, met.depth, &item)) return false;
      values_.push_back(item);
    }
  } while (NextIsSameField(in, &key));
  // A packed list may have no items.
  if (values_.size() == mark) return true;
  const Value list = Value::List(arena_, std::span(values_).subspan(mark));
  values_.resize(mark);
  values_.push_back(list.WithField(met.index));
  return true;
}

bool ProtobufDecoder::ReadMap(WireReader& in, const Met& met, const PathNode& path) {
  const PathNode node(&path, met.desc.name());
  const size_t mark = entries_.size();
  uint32_t key = met.key;
  do {
    if (key != met.expected_key) return FailWireType(key, node);
    std::string_view entry;
    if (!CheckWire(in.ReadBytes(&entry), node) || !ReadMapEntry(entry, met, node)) return false;
  } while (NextIsSameField(in, &key));
  std::span<MapEntry> entries = std::span(entries_).subspan(mark);
  const Value map = Value::Map(arena_, entries.first(SortEntries(entries)));
  entries_.resize(mark);
  values_.push_back(map.WithField(met.index));
  return true;
}

bool ProtobufDecoder::ReadMapEntry(std::string_view bytes, const Met& met, const PathNode& path) {
  const uint32_t value_key = WireKey(2, ItemWireType(met.desc.type));
  std::string_view name;
  // The value is read after the whole entry, when its name is known for the path.
  WireReader value_at;
  for (WireReader in(bytes); !in.done();) {
    uint32_t key = 0;
    if (!CheckWire(in.ReadKey(&key), path)) return false;
    if (key == WireKey(1, WireType::kBytes)) {
      if (!CheckWire(in.ReadBytes(&name), path)) return false;
    } else if (key == value_key) {
      value_at = in;
      if (!CheckWire(in.Skip(key), path)) return false;
    } else if (WireFieldNumber(key) <= 2) {
      return FailWireType(key, path);
    } else if (!SkipUnknown(in, key, path)) {
      return false;
    }
  }
  MapEntry entry;
  if (!CopyText(name, path, &entry.key)) return false;
  if (value_at.at == nullptr) {
    entry.value = ZeroValue(met.desc);
  } else if (!ReadValue(value_at, met.desc, PathNode(&path, entry.key), met.depth, &entry.value)) {
    return false;
  }
  entries_.push_back(entry);
  return true;
}

bool ProtobufDecoder::ReadMessage(std::string_view bytes, const MessageDesc& type,
                                  const PathNode& path, int depth, Empty empty, Value* out) {
  if (type.form != MessageForm::kPlain) return ReadSchemaForm(bytes, type, path, depth, out);
  const size_t mark = values_.size();
  if (!ReadFields(bytes, type, 0, path, depth)) return false;
  const std::span<Value> members = std::span(values_).subspan(mark);
  if (!members.empty() || empty == Empty::kKeep) {
    if (!type.proto_order_is_json_order) SortMembers(members);
    *out = Value::Object(arena_, &type, members);
    values_.resize(mark);
  }
  return true;
}

bool ProtobufDecoder::SkipUnknown(WireReader& in, uint32_t key, const PathNode& path) {
  const std::string name = "#" + std::to_string(WireFieldNumber(key));
  const PathNode node(&path, name);
  // A path costs as much as the field is deep, so none is made for what would not be listed.
  if (options_.issues != nullptr && options_.issues->size() < limits::kMaxFieldIssues) {
    AddFieldIssue(options_.issues, FieldIssue::kUnknown, node.ToString(), {});
  }
  return CheckWire(in.Skip(key), node);
}

bool ProtobufDecoder::FailWire(WireError error, const PathNode& path) {
  return Fail(path, WireErrorText(error));
}

bool ProtobufDecoder::FailWireType(uint32_t key, const PathNode& path) {
  return Fail(path, "field " + std::to_string(WireFieldNumber(key)) + " has the wrong wire type " +
                        std::to_string(key & 7));
}

bool ProtobufDecoder::Fail(const PathNode& path, std::string_view message) {
  std::string where = path.ToString();
  error_ = where.empty() ? Status(StatusReason::kBadRequest, std::string(message))
                         : BadField(std::move(where), std::string(message)).error();
  return false;
}

}  // namespace skiff::object
