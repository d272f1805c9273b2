#include "apiserver/tables/object_bytes.h"

#include <charconv>

#include "base/limits.h"
#include "object/json/decode.h"
#include "object/json/encode.h"
#include "object/json/text.h"
#include "object/protobuf/envelope.h"
#include "object/protobuf/resource_version.h"
#include "object/transcode/protobuf_to_json.h"
#include "object/value.h"

namespace skiff {
namespace {

constexpr std::string_view kInitialEventsEnd = "k8s.io/initial-events-end";

Result<void> AppendFromJson(const ObjectBytes& object, ByteBuffer& out) {
  SKIFF_ASSIGN_OR_RETURN(const TypeMeta meta, PeekTypeMeta(object.stored));
  DecodeOptions options;
  options.max_bytes = limits::kMaxCountedBytes;
  options.borrow_text = true;
  SKIFF_ASSIGN_OR_RETURN(Document document,
                         DecodeJson(object.stored, FindKind(meta.api_version, meta.kind), options));
  const RevisionText version(object.revision);
  Value* const metadata = document.root().Find("metadata");
  if (object.revision.value != 0 && metadata != nullptr) {
    metadata->Set(document.arena(), "resourceVersion", Value::String(version.view()));
  }
  EncodeJson(document.root(), out);
  return {};
}

}  // namespace

RevisionText::RevisionText(Revision revision)
    : size_(static_cast<size_t>(
          std::to_chars(digits_, digits_ + sizeof digits_, revision.value).ptr - digits_)) {}

std::string_view MetaApiVersion(MetaVersion version) {
  return version == MetaVersion::kV1 ? "meta.k8s.io/v1" : "meta.k8s.io/v1beta1";
}

Result<void> AppendStoredObject(const ObjectBytes& object, ByteBuffer& out) {
  if (!HasProtobufPrefix(object.stored)) return AppendFromJson(object, out);
  SKIFF_ASSIGN_OR_RETURN(const ProtobufEnvelope envelope, OpenProtobufEnvelope(object.stored));
  const MessageDesc* const type = FindKind(envelope.api_version, envelope.kind);
  if (type == nullptr) {
    return Fail(StatusReason::kInternalError,
                "a stored object is of the unknown kind " + std::string(envelope.kind));
  }
  std::string_view message = envelope.raw;
  ByteBuffer with_version;
  if (object.revision.value != 0) {
    AppendWithResourceVersion(message, RevisionText(object.revision).view(), with_version);
    message = with_version.view();
  }
  return ProtobufToJson(message, *type, envelope.api_version, envelope.kind, out,
                        EmbeddedKinds::kNamed);
}

void AppendListMetadata(const ListMetadata& metadata, ByteBuffer& out) {
  char before = '{';
  const auto name = [&](std::string_view key) {
    out.Append(before);
    before = ',';
    out.Append(key);
  };
  if (metadata.revision.value != 0) {
    name("\"resourceVersion\":");
    AppendJsonString(out, RevisionText(metadata.revision).view());
  }
  if (!metadata.continue_token.empty()) {
    name("\"continue\":");
    AppendJsonString(out, metadata.continue_token);
  }
  if (metadata.remaining_item_count) {
    name("\"remainingItemCount\":");
    AppendJsonInt(out, *metadata.remaining_item_count);
  }
  if (before == '{') out.Append('{');
  out.Append('}');
}

std::string BookmarkBytes(const MessageDesc& kind, bool initial_events_end) {
  Document document = Document::OfType(&kind);
  Arena& arena = document.arena();
  if (initial_events_end) {
    const MessageDesc* const type = kind.fields[kind.FindField("metadata")].message;
    Value annotations = Value::EmptyMap();
    annotations.SetEntry(arena, kInitialEventsEnd, Value::String("true"));
    Value& metadata = document.root().Set(arena, "metadata", Value::EmptyObject(arena, type));
    metadata.Set(arena, "annotations", annotations);
  }
  document.root().Set(arena, "kind", Value::String(kind.name));
  document.root().Set(arena, "apiVersion", Value::String(kind.group_version->api_version));
  std::string out;
  if (kind.in_protobuf) {
    EncodeStorage(document.root(), &out);
  } else {
    out = EncodeJson(document.root());
  }
  return out;
}

}  // namespace skiff
