#include "object/protobuf/envelope.h"

#include "object/protobuf/encode.h"
#include "object/protobuf/reverse_buffer.h"

namespace skiff::object {
namespace {

constexpr uint32_t BytesKey(uint32_t field_number) {
  return WireKey(field_number, WireType::kBytes);
}

std::unexpected<Status> BadEnvelope(std::string_view why) {
  return BadRequest("protobuf envelope: " + std::string(why));
}

// Reads a message all of whose fields are strings or bytes, `fields` in the order of their
// numbers; what is unknown is skipped.
WireError ReadTexts(std::string_view bytes, std::initializer_list<std::string_view*> fields) {
  for (WireReader in(bytes); !in.done();) {
    uint32_t key = 0;
    if (const WireError error = in.ReadKey(&key); error != WireError::kNone) return error;
    const uint32_t number = WireFieldNumber(key);
    const bool known = number <= fields.size();
    if (known && WireTypeOf(key) != WireType::kBytes) return WireError::kBadWireType;
    const WireError error = known ? in.ReadBytes(fields.begin()[number - 1]) : in.Skip(key);
    if (error != WireError::kNone) return error;
  }
  return WireError::kNone;
}

// Writes what stands before the object, whose bytes began when the buffer's size was
// `size_before`.
void PutHead(ReverseBuffer& out, size_t size_before, std::string_view api_version,
             std::string_view kind) {
  out.CloseMessage(BytesKey(2), size_before);
  const size_t before = out.size();
  out.PutField(BytesKey(2), kind);
  out.PutField(BytesKey(1), api_version);
  out.CloseMessage(BytesKey(1), before);
  out.PutBytes(kProtobufPrefix);
}

std::string_view TextOf(const Value& object, std::string_view name, std::string_view otherwise) {
  const Value* found = object.Find(name);
  return found != nullptr && found->is_string() ? found->AsText() : otherwise;
}

}  // namespace

Result<ProtobufEnvelope> OpenProtobufEnvelope(std::string_view bytes) {
  if (!HasProtobufPrefix(bytes)) return BadEnvelope("the bytes do not begin with k8s\\0");
  ProtobufEnvelope envelope;
  std::string_view type_meta;
  WireError error =
      ReadTexts(bytes.substr(kProtobufPrefix.size()),
                {&type_meta, &envelope.raw, &envelope.content_encoding, &envelope.content_type});
  if (error == WireError::kNone) {
    error = ReadTexts(type_meta, {&envelope.api_version, &envelope.kind});
  }
  if (error != WireError::kNone) return BadEnvelope(WireErrorText(error));
  return envelope;
}

void AppendProtobufEnvelope(const ProtobufEnvelope& envelope, std::string* out) {
  ReverseBuffer buffer(envelope.raw.size() + 512);
  buffer.PutField(BytesKey(4), envelope.content_type);
  buffer.PutField(BytesKey(3), envelope.content_encoding);
  const size_t before = buffer.size();
  buffer.PutBytes(envelope.raw);
  PutHead(buffer, before, envelope.api_version, envelope.kind);
  out->append(buffer.view());
}

Result<Document> DecodeStorage(std::string_view bytes, const ProtobufDecodeOptions& options) {
  SKIFF_ASSIGN_OR_RETURN(const ProtobufEnvelope envelope, OpenProtobufEnvelope(bytes));
  if (!envelope.content_encoding.empty()) {
    return BadEnvelope("the content encoding is not supported");
  }
  const std::string_view kind = envelope.kind.empty() ? options.kind : envelope.kind;
  const std::string_view api_version =
      envelope.api_version.empty() ? options.api_version : envelope.api_version;
  if (kind.empty()) return BadEnvelope("the kind is missing");
  if (api_version.empty()) return BadEnvelope("the apiVersion is missing");

  const MessageDesc* type = FindKind(api_version, kind);
  if (type == nullptr || !type->in_protobuf) {
    return BadEnvelope("no kind \"" + std::string(kind) + "\" is known in version \"" +
                       std::string(api_version) + "\"");
  }
  ProtobufDecodeOptions with_kind = options;
  with_kind.kind = kind;
  with_kind.api_version = api_version;
  return DecodeProtobuf(envelope.raw, type, with_kind);
}

namespace {

void PutStored(const Value& object, ReverseBuffer& buffer) {
  const MessageDesc& type = *object.type();
  const std::string_view api_version =
      type.group_version == nullptr ? std::string_view() : type.group_version->api_version;
  buffer.PutField(BytesKey(4), "");
  buffer.PutField(BytesKey(3), "");
  const size_t before = buffer.size();
  EncodeProtobuf(object, buffer);
  PutHead(buffer, before, TextOf(object, "apiVersion", api_version),
          TextOf(object, "kind", type.name));
}

}  // namespace

void EncodeStorage(const Value& object, std::string* out) {
  ReverseBuffer buffer;
  PutStored(object, buffer);
  out->append(buffer.view());
}

SharedBytes EncodeStorage(const Value& object) {
  ReverseBuffer buffer;
  PutStored(object, buffer);
  return SharedBytes(buffer.view());
}

}  // namespace skiff::object
