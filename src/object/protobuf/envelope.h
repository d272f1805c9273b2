// The envelope around protobuf messages: how objects are stored, and sent as
// application/vnd.kubernetes.protobuf.
//
// It is the four bytes `k8s\0` and a message runtime.Unknown:
//   1 typeMeta {1 apiVersion, 2 kind}, 2 raw (the object), 3 contentEncoding, 4 contentType.
// All of them are written, strings even when they are empty.
#pragma once

#include <string>
#include <string_view>

#include "base/shared_bytes.h"
#include "base/status.h"
#include "object/protobuf/decode.h"
#include "object/value.h"

namespace skiff::object {

inline constexpr std::string_view kProtobufPrefix{"k8s\0", 4};

// What runtime.Unknown holds beside raw JSON where it stands inside a message (audit events).
inline constexpr std::string_view kEmptyTypeMeta{"\x0a\0\x12\0", 4};
inline constexpr std::string_view kJsonContentType = "application/json";

// Views into the bytes that were opened.
struct ProtobufEnvelope {
  std::string_view api_version = {};
  std::string_view kind = {};
  std::string_view raw = {};
  std::string_view content_encoding = {};
  std::string_view content_type = {};
};

// Whether the bytes begin like an envelope; tells stored protobuf from stored JSON.
inline bool HasProtobufPrefix(std::string_view bytes) { return bytes.starts_with(kProtobufPrefix); }

Result<ProtobufEnvelope> OpenProtobufEnvelope(std::string_view bytes);
void AppendProtobufEnvelope(const ProtobufEnvelope& envelope, std::string* out);

// An object of any built-in kind, with its kind and apiVersion. The options' kind and apiVersion
// stand in where the envelope has none.
Result<Document> DecodeStorage(std::string_view bytes, const ProtobufDecodeOptions& options = {});

// Appends the envelope of a typed object, whose kind and apiVersion are those that it holds, else
// those of its type.
void EncodeStorage(const Value& object, std::string* out);
SharedBytes EncodeStorage(const Value& object);

}  // namespace skiff::object
