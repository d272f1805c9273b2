#include "apiserver/tables/partial_metadata.h"

#include <utility>

#include "base/limits.h"
#include "object/json/decode.h"
#include "object/json/encode.h"
#include "object/protobuf/encode.h"
#include "object/protobuf/envelope.h"
#include "object/protobuf/resource_version.h"
#include "object/protobuf/wire.h"
#include "object/transcode/protobuf_to_json.h"
#include "views/meta/v1.h"

namespace skiff::apiserver {
namespace {

using views::meta_v1::PartialObjectMetadata;

constexpr std::string_view kKind = "PartialObjectMetadata";
constexpr std::string_view kListKind = "PartialObjectMetadataList";
constexpr uint32_t kMetadataKey = object::WireKey(1, object::WireType::kBytes);
constexpr uint32_t kAnnotationsKey = object::WireKey(12, object::WireType::kBytes);  // of metadata

// 3 contentEncoding and 4 contentType of an envelope, both empty.
constexpr std::string_view kEnvelopeEnd{"\x1a\0\x22\0", 4};

size_t FieldSize(uint32_t key, size_t size) {
  return object::VarintSize(key) + object::VarintSize(size) + size;
}

void AppendVarint(size_t value, ByteBuffer& out) {
  auto* const to = reinterpret_cast<uint8_t*>(out.Reserve(object::kMaxVarintBytes));
  out.CommitTo(reinterpret_cast<char*>(object::WriteVarint(to, value)));
}

void AppendField(uint32_t key, std::string_view body, ByteBuffer& out) {
  auto* const to = reinterpret_cast<uint8_t*>(out.Reserve(2 * object::kMaxVarintBytes));
  out.CommitTo(
      reinterpret_cast<char*>(object::WriteVarint(object::WriteVarint(to, key), body.size())));
  out.Append(body);
}

Status Broken() {
  return Status(StatusReason::kInternalError, "the bytes of a stored object are broken");
}

// The fields of an object's message that are metadata: the first, or in an unusual order any.
bool AppendMetadataFields(std::string_view message, ByteBuffer& out) {
  for (object::WireReader in(message); !in.done();) {
    const std::string_view before = in.rest();
    uint32_t key = 0;
    if (in.ReadKey(&key) != object::WireError::kNone || in.Skip(key) != object::WireError::kNone)
      return false;
    if (key == kMetadataKey) out.Append(before.substr(0, before.size() - in.left()));
  }
  return true;
}

// An annotation that Kubernetes makes of a field that its own form of the kind has. Metadata alone
// is taken from that form, and so does not have it.
std::string_view HiddenAnnotation(const object::ProtobufEnvelope& envelope) {
  if (envelope.api_version != "apps/v1") return {};
  if (envelope.kind == "DaemonSet") return "deprecated.daemonset.template.generation";
  return envelope.kind == "Deployment" ? "deprecated.deployment.rollback.to" : std::string_view();
}

bool IsEntryOf(std::string_view entry, std::string_view name) {
  object::WireReader in(entry);
  uint32_t key = 0;
  std::string_view text;
  return in.ReadKey(&key) == object::WireError::kNone &&
         key == object::WireKey(1, object::WireType::kBytes) &&
         in.ReadBytes(&text) == object::WireError::kNone && text == name;
}

// Copies a message whose fields are pieces of metadata, without the annotation.
bool AppendWithoutAnnotation(std::string_view message, std::string_view name, ByteBuffer& out) {
  for (object::WireReader in(message); !in.done();) {
    uint32_t key = 0;
    std::string_view metadata, entry;
    if (in.ReadKey(&key) != object::WireError::kNone ||
        in.ReadBytes(&metadata) != object::WireError::kNone) {
      return false;
    }
    ByteBuffer kept;
    for (object::WireReader fields(metadata); !fields.done();) {
      const std::string_view before = fields.rest();
      if (fields.ReadKey(&key) != object::WireError::kNone) return false;
      object::WireReader value = fields;
      if (fields.Skip(key) != object::WireError::kNone) return false;
      const bool hidden = key == kAnnotationsKey &&
                          value.ReadBytes(&entry) == object::WireError::kNone &&
                          IsEntryOf(entry, name);
      if (!hidden) kept.Append(before.substr(0, before.size() - fields.left()));
    }
    AppendField(kMetadataKey, kept.view(), out);
  }
  return true;
}

// The part of a stored object that is a PartialObjectMetadata message, without its revision. It
// mostly stands there as it is, and else in `gathered`.
Result<std::string_view> MetadataMessage(std::string_view stored, ByteBuffer& gathered) {
  SKIFF_ASSIGN_OR_RETURN(const object::ProtobufEnvelope envelope,
                         object::OpenProtobufEnvelope(stored));
  std::string_view message = envelope.raw;
  object::WireReader in(message);
  uint32_t key = 0;
  std::string_view metadata;
  if (in.ReadKey(&key) == object::WireError::kNone && key == kMetadataKey &&
      in.ReadBytes(&metadata) == object::WireError::kNone &&
      (in.done() || *in.at != static_cast<uint8_t>(kMetadataKey))) {
    message = message.substr(0, message.size() - in.left());
  } else {
    if (!AppendMetadataFields(message, gathered)) return std::unexpected(Broken());
    message = gathered.view();
  }
  if (const std::string_view hidden = HiddenAnnotation(envelope);
      !hidden.empty() && message.find(hidden) != std::string_view::npos) {
    ByteBuffer shown;
    if (!AppendWithoutAnnotation(message, hidden, shown)) return std::unexpected(Broken());
    gathered = std::move(shown);
    message = gathered.view();
  }
  return message;
}

// An object with metadata alone, as a PartialObjectMetadata message.
Result<void> CutOutMetadata(const ObjectBytes& object, ByteBuffer& out) {
  ByteBuffer gathered;
  SKIFF_ASSIGN_OR_RETURN(const std::string_view message, MetadataMessage(object.stored, gathered));
  const RevisionText revision(object.revision);
  const std::string_view version =
      object.revision.value == 0 ? std::string_view() : revision.view();
  if (!object.pieces.empty()) {
    object::JoinedMessage(message, version, object.pieces).AppendTo(out);
  } else if (version.empty()) {
    out.Append(message);
  } else {
    object::AppendWithResourceVersion(message, version, out);
  }
  return {};
}

// From JSON at rest, of custom resources and a few others.
Result<object::Document> ReadMetadata(const ObjectBytes& object) {
  object::DecodeOptions options;
  options.max_bytes = limits::kMaxCountedBytes;
  SKIFF_ASSIGN_OR_RETURN(object::Document document,
                         object::DecodeJson(object.stored, PartialObjectMetadata::Type(), options));
  document.root().EraseMember(PartialObjectMetadata::kKind);
  document.root().EraseMember(PartialObjectMetadata::kApiVersion);
  if (object.revision.value != 0) {
    views::meta_v1::MutablePartialObjectMetadata partial(document);
    partial.mutable_metadata().set_resource_version(RevisionText(object.revision).view());
  }
  return document;
}

Result<void> AppendMessage(const ObjectBytes& object, ByteBuffer& out) {
  if (object::HasProtobufPrefix(object.stored)) return CutOutMetadata(object, out);
  SKIFF_ASSIGN_OR_RETURN(const object::Document document, ReadMetadata(object));
  std::string message;
  object::EncodeProtobuf(document.root(), &message);
  out.Append(message);
  return {};
}

void AppendEnvelope(std::string_view kind, MetaVersion version, std::string_view raw,
                    ByteBuffer& out) {
  std::string bytes;
  object::AppendProtobufEnvelope({.api_version = MetaApiVersion(version), .kind = kind, .raw = raw},
                                 &bytes);
  out.Append(bytes);
}

}  // namespace

Result<void> AppendPartialMetadataJson(const ObjectBytes& object, MetaVersion version,
                                       ByteBuffer& scratch, ByteBuffer& out) {
  if (object::HasProtobufPrefix(object.stored)) {
    scratch.Clear();
    SKIFF_ASSIGN_OR_RETURN(const std::string_view message, MetadataMessage(object.stored, scratch));
    const RevisionText revision(object.revision);
    return object::StoredToJson(
        message, object.revision.value == 0 ? std::string_view() : revision.view(),
        *PartialObjectMetadata::Type(), MetaApiVersion(version), kKind, out, object.pieces);
  }
  SKIFF_ASSIGN_OR_RETURN(object::Document document, ReadMetadata(object));
  document.root().SetMember(document.arena(), PartialObjectMetadata::kKind,
                            object::Value::String(kKind));
  document.root().SetMember(document.arena(), PartialObjectMetadata::kApiVersion,
                            object::Value::String(MetaApiVersion(version)));
  object::EncodeJson(document.root(), out);
  return {};
}

Result<void> AppendPartialMetadata(const ObjectBytes& object, MetadataEncoding encoding,
                                   MetaVersion version, ByteBuffer& out) {
  ByteBuffer scratch;
  if (encoding == MetadataEncoding::kJson) {
    return AppendPartialMetadataJson(object, version, scratch, out);
  }
  SKIFF_RETURN_IF_ERROR(AppendMessage(object, scratch));
  AppendEnvelope(kKind, version, scratch.view(), out);
  return {};
}

Result<void> PartialMetadataListWriter::Measure(const ObjectBytes& object) {
  scratch_.Clear();
  SKIFF_RETURN_IF_ERROR(AppendMessage(object, scratch_));
  items_bytes_ += FieldSize(ItemsKey(), scratch_.size());
  return {};
}

uint32_t PartialMetadataListWriter::ItemsKey() const {
  return object::WireKey(version_ == MetaVersion::kV1 ? 2 : 1, object::WireType::kBytes);
}

void PartialMetadataListWriter::Begin(const ListMetadata& metadata, ByteBuffer& out) {
  if (encoding_ == MetadataEncoding::kProtobuf) return BeginProtobuf(metadata, out);
  out.Append("{\"kind\":\"");
  out.Append(kListKind);
  out.Append("\",\"apiVersion\":\"");
  out.Append(MetaApiVersion(version_));
  out.Append("\",\"metadata\":");
  AppendListMetadata(metadata, out);
  out.Append(",\"items\":");
}

void PartialMetadataListWriter::BeginProtobuf(const ListMetadata& metadata, ByteBuffer& out) {
  using views::meta_v1::ListMeta;
  object::Document document = object::Document::OfType(ListMeta::Type());
  object::Value& list = document.root();
  const RevisionText version(metadata.revision);
  if (metadata.revision.value != 0) {
    list.SetMember(document.arena(), ListMeta::kResourceVersion,
                   object::Value::String(version.view()));
  }
  if (!metadata.continue_token.empty()) {
    list.SetMember(document.arena(), ListMeta::kContinue,
                   object::Value::String(metadata.continue_token));
  }
  if (metadata.remaining_item_count) {
    list.SetMember(document.arena(), ListMeta::kRemainingItemCount,
                   object::Value::Int(*metadata.remaining_item_count));
  }
  std::string message;
  object::EncodeProtobuf(document.root(), &message);
  const uint32_t key =
      object::WireKey(version_ == MetaVersion::kV1 ? 1 : 2, object::WireType::kBytes);
  // The envelope of an empty message, cut before the length of its `raw`.
  ByteBuffer envelope;
  AppendEnvelope(kListKind, version_, {}, envelope);
  out.Append(envelope.view().substr(0, envelope.size() - kEnvelopeEnd.size() - 1));
  AppendVarint(FieldSize(key, message.size()) + items_bytes_, out);
  AppendField(key, message, version_ == MetaVersion::kV1 ? out : metadata_behind_);
}

Result<void> PartialMetadataListWriter::Item(const ObjectBytes& object, ByteBuffer& out) {
  if (encoding_ == MetadataEncoding::kProtobuf) {
    scratch_.Clear();
    SKIFF_RETURN_IF_ERROR(AppendMessage(object, scratch_));
    AppendField(ItemsKey(), scratch_.view(), out);
    return {};
  }
  const size_t start = out.size();
  out.Append(empty_ ? '[' : ',');
  auto done = AppendPartialMetadataJson(object, version_, scratch_, out);
  if (!done) {
    out.Truncate(start);
    return done;
  }
  empty_ = false;
  return {};
}

void PartialMetadataListWriter::End(ByteBuffer& out) {
  if (encoding_ == MetadataEncoding::kJson) return out.Append(empty_ ? "null}" : "]}");
  out.Append(metadata_behind_.view());
  out.Append(kEnvelopeEnd);
}

}  // namespace skiff::apiserver
