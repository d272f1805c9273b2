#include "store/cache/event_encoding.h"

#include <charconv>
#include <cstring>
#include <optional>

#include "base/buffer.h"
#include "base/limits.h"
#include "object/descriptor.h"
#include "object/json/decode.h"
#include "object/json/encode.h"
#include "object/json/resource_version.h"
#include "object/json/status.h"
#include "object/json/text.h"
#include "object/protobuf/envelope.h"
#include "object/protobuf/resource_version.h"
#include "object/protobuf/wire.h"
#include "object/transcode/protobuf_to_json.h"
#include "object/value.h"

namespace skiff::store {
namespace {

constexpr std::string_view kErrorType = "ERROR";
constexpr uint32_t kTypeKey = object::WireKey(1, object::WireType::kBytes);
constexpr uint32_t kObjectKey = object::WireKey(2, object::WireType::kBytes);
constexpr uint32_t kRawKey = object::WireKey(1, object::WireType::kBytes);

SharedBytes JsonFrame(std::string_view type, std::string_view object) {
  ByteBuffer out(object.size() + 64);
  out.Append("{\"type\":\"");
  out.Append(type);
  out.Append("\",\"object\":");
  out.Append(object);
  out.Append("}\n");
  return SharedBytes(out.view());
}

size_t FieldSize(uint32_t key, size_t size) {
  return object::VarintSize(key) + object::VarintSize(size) + size;
}

uint8_t* WriteField(uint8_t* to, uint32_t key, std::string_view bytes) {
  to = object::WriteVarint(object::WriteVarint(to, key), bytes.size());
  std::memcpy(to, bytes.data(), bytes.size());
  return to + bytes.size();
}

SharedBytes ProtobufFrame(std::string_view type, std::string_view object) {
  const size_t extension = FieldSize(kRawKey, object.size());
  const size_t message = FieldSize(kTypeKey, type.size()) + FieldSize(kObjectKey, extension);
  return SharedBytes::Make(4 + message, [&](char* out) {
    auto* to = reinterpret_cast<uint8_t*>(out);
    for (int shift = 24; shift >= 0; shift -= 8) *to++ = static_cast<uint8_t>(message >> shift);
    to = WriteField(to, kTypeKey, type);
    to = object::WriteVarint(object::WriteVarint(to, kObjectKey), extension);
    WriteField(to, kRawKey, object);
  });
}

SharedBytes Frame(std::string_view type, WatchEncoding encoding, std::string_view object) {
  if (encoding == WatchEncoding::kProtobuf) return ProtobufFrame(type, object);
  while (object.ends_with('\n')) object.remove_suffix(1);
  return JsonFrame(type, object);
}

Result<std::string> EncodeObject(const object::Value& object, WatchEncoding encoding) {
  if (encoding == WatchEncoding::kJson) return object::EncodeJson(object);
  if (!object.is_object()) {
    return Fail(StatusReason::kNotAcceptable, "objects of this kind have no protobuf form");
  }
  std::string out;
  object::EncodeStorage(object, &out);
  return out;
}

// An object from JSON at rest or built here, typed if the kind is a built-in one.
Result<object::Document> ReadJson(std::string_view json) {
  SKIFF_ASSIGN_OR_RETURN(const object::TypeMeta meta, object::PeekTypeMeta(json));
  object::DecodeOptions options;
  options.max_bytes = limits::kMaxCountedBytes;
  return object::DecodeJson(json, object::FindKind(meta.api_version, meta.kind), options);
}

Result<std::string> EncodeStoredJson(std::string_view stored, std::string_view version,
                                     WatchEncoding encoding) {
  SKIFF_ASSIGN_OR_RETURN(const object::TypeMeta meta, object::PeekTypeMeta(stored));
  const bool is_built_in = object::FindKind(meta.api_version, meta.kind) != nullptr;
  if (encoding == WatchEncoding::kJson && !is_built_in) {
    ByteBuffer out(stored.size() + 64);
    if (object::AppendJsonWithResourceVersion(stored, version, out)) return out.ToString();
  }
  SKIFF_ASSIGN_OR_RETURN(object::Document document, ReadJson(stored));
  object::Value* metadata = document.root().Find("metadata");
  if (metadata == nullptr || !(metadata->is_map() || metadata->is_object())) {
    return Fail(StatusReason::kInternalError, "a stored object has no metadata");
  }
  metadata->Set(document.arena(), "resourceVersion", object::Value::String(version));
  return EncodeObject(document.root(), encoding);
}

Result<std::string> EncodeStoredProtobuf(std::string_view stored, object::Pieces pieces,
                                         std::string_view version, WatchEncoding encoding) {
  SKIFF_ASSIGN_OR_RETURN(object::ProtobufEnvelope envelope, object::OpenProtobufEnvelope(stored));
  if (encoding == WatchEncoding::kProtobuf) {
    ByteBuffer message(envelope.raw.size() + 64);
    if (pieces.empty()) {
      object::AppendWithResourceVersion(envelope.raw, version, message);
    } else {
      object::JoinedMessage(envelope.raw, version, pieces).AppendTo(message);
    }
    envelope.raw = message.view();
    std::string out;
    object::AppendProtobufEnvelope(envelope, &out);
    return out;
  }
  const object::MessageDesc* type = object::FindKind(envelope.api_version, envelope.kind);
  if (type == nullptr) {
    return Fail(StatusReason::kInternalError, "a stored object is of the unknown kind " +
                                                  std::string(envelope.api_version) + " " +
                                                  std::string(envelope.kind));
  }
  ByteBuffer json(stored.size() * 2);
  SKIFF_RETURN_IF_ERROR(object::StoredToJson(envelope.raw, version, *type, envelope.api_version,
                                             envelope.kind, json, pieces));
  return json.ToString();
}

void AppendJsonMember(ByteBuffer& out, std::string_view name, std::string_view value) {
  out.Append(",");
  object::AppendJsonString(out, name);
  out.Append(':');
  object::AppendJsonString(out, value);
}

Result<std::string> EncodeBookmark(const CachedEvent& event, std::string_view version,
                                   WatchEncoding encoding, WatchedKind kind) {
  ByteBuffer json;
  json.Append("{\"kind\":");
  object::AppendJsonString(json, kind.kind);
  AppendJsonMember(json, "apiVersion", kind.api_version);
  json.Append(",\"metadata\":{\"resourceVersion\":");
  object::AppendJsonString(json, version);
  if (event.initial_end()) {
    json.Append(",\"annotations\":{");
    object::AppendJsonString(json, kInitialEventsEndAnnotation);
    json.Append(":\"true\"}");
  }
  json.Append("}}");
  SKIFF_ASSIGN_OR_RETURN(const object::Document document, ReadJson(json.view()));
  return EncodeObject(document.root(), encoding);
}

Result<SharedBytes> MakeFrame(const WatchItem& item, WatchEncoding encoding, WatchedKind kind) {
  char digits[20];
  const auto end = std::to_chars(digits, digits + sizeof digits, item.event->revision().value).ptr;
  const std::string_view version(digits, static_cast<size_t>(end - digits));
  const CacheEntry* entry = item.event->Object(item.type);
  Result<std::string> object;
  if (item.type == EventType::kBookmark) {
    object = EncodeBookmark(*item.event, version, encoding, kind);
  } else if (object::HasProtobufPrefix(entry->kept().view())) {
    object = EncodeStoredProtobuf(entry->kept().view(), entry->pieces(), version, encoding);
  } else {
    object = EncodeStoredJson(entry->kept().view(), version, encoding);
  }
  if (!object) {
    Status error = std::move(object.error());
    if (error.reason() == StatusReason::kNotAcceptable) return std::unexpected(std::move(error));
    return Fail(StatusReason::kInternalError,
                "cannot send " + std::string(entry == nullptr ? "a bookmark" : entry->key()) +
                    ": " + error.ToString());
  }
  return Frame(EventTypeName(item.type), encoding, *object);
}

}  // namespace

std::string_view EventTypeName(EventType type) {
  constexpr std::string_view kNames[] = {"ADDED", "MODIFIED", "DELETED", "BOOKMARK"};
  static_assert(std::size(kNames) == kEventTypeCount);
  return kNames[static_cast<size_t>(type)];
}

SharedBytes FrameOf(EventType type, WatchEncoding encoding, std::string_view object) {
  return Frame(EventTypeName(type), encoding, object);
}

Result<SharedBytes> WatchFrame(const WatchItem& item, WatchEncoding encoding, WatchedKind kind) {
  const EncodingSlot slot =
      encoding == WatchEncoding::kJson ? EncodingSlot::kJson : EncodingSlot::kProtobuf;
  SharedBytes shared = item.event->Encoded(item.type, slot, [&] {
    auto frame = MakeFrame(item, encoding, kind);
    return frame ? std::move(*frame) : SharedBytes();
  });
  // A frame is never empty. What is wrong was not kept, since it hardly ever happens.
  if (shared.empty()) return MakeFrame(item, encoding, kind);
  return shared;
}

Result<SharedBytes> WatchErrorFrame(const Status& why, WatchEncoding encoding) {
  SKIFF_ASSIGN_OR_RETURN(const object::Document document, ReadJson(object::StatusToJson(why)));
  SKIFF_ASSIGN_OR_RETURN(const std::string object, EncodeObject(document.root(), encoding));
  return Frame(kErrorType, encoding, object);
}

}  // namespace skiff::store
