#include "apiserver/tables/object_bytes.h"

#include <charconv>

#include "base/limits.h"
#include "object/json/decode.h"
#include "object/json/encode.h"
#include "object/json/text.h"
#include "object/protobuf/envelope.h"
#include "object/transcode/protobuf_to_json.h"
#include "object/value.h"

namespace skiff::apiserver {
namespace {

constexpr std::string_view kInitialEventsEnd = "k8s.io/initial-events-end";

Result<void> AppendFromJson(const ObjectBytes& object, ByteBuffer& out) {
  SKIFF_ASSIGN_OR_RETURN(const object::TypeMeta meta, object::PeekTypeMeta(object.stored));
  object::DecodeOptions options;
  options.max_bytes = limits::kMaxCountedBytes;
  options.borrow_text = true;
  SKIFF_ASSIGN_OR_RETURN(
      object::Document document,
      object::DecodeJson(object.stored, object::FindKind(meta.api_version, meta.kind), options));
  const RevisionText version(object.revision);
  object::Value* const metadata = document.root().Find("metadata");
  if (object.revision.value != 0 && metadata != nullptr) {
    metadata->Set(document.arena(), "resourceVersion", object::Value::String(version.view()));
  }
  object::EncodeJson(document.root(), out);
  return {};
}

}  // namespace

RevisionText::RevisionText(store::Revision revision)
    : size_(static_cast<size_t>(
          std::to_chars(digits_, digits_ + sizeof digits_, revision.value).ptr - digits_)) {}

std::string_view MetaApiVersion(MetaVersion version) {
  return version == MetaVersion::kV1 ? "meta.k8s.io/v1" : "meta.k8s.io/v1beta1";
}

Result<void> AppendStoredObject(const ObjectBytes& object, ByteBuffer& out) {
  if (!object::HasProtobufPrefix(object.stored)) return AppendFromJson(object, out);
  SKIFF_ASSIGN_OR_RETURN(const object::ProtobufEnvelope envelope,
                         object::OpenProtobufEnvelope(object.stored));
  const object::MessageDesc* const type = object::FindKind(envelope.api_version, envelope.kind);
  if (type == nullptr) {
    return Fail(StatusReason::kInternalError,
                "a stored object is of the unknown kind " + std::string(envelope.kind));
  }
  const RevisionText version(object.revision);
  return object::StoredToJson(envelope.raw,
                              object.revision.value == 0 ? std::string_view() : version.view(),
                              *type, envelope.api_version, envelope.kind, out, object.pieces);
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
    object::AppendJsonString(out, RevisionText(metadata.revision).view());
  }
  if (!metadata.continue_token.empty()) {
    name("\"continue\":");
    object::AppendJsonString(out, metadata.continue_token);
  }
  if (metadata.remaining_item_count) {
    name("\"remainingItemCount\":");
    object::AppendJsonInt(out, *metadata.remaining_item_count);
  }
  if (before == '{') out.Append('{');
  out.Append('}');
}

std::string BookmarkBytes(const object::MessageDesc& kind, bool initial_events_end) {
  object::Document document = object::Document::OfType(&kind);
  Arena& arena = document.arena();
  if (initial_events_end) {
    const object::MessageDesc* const type = kind.fields[kind.FindField("metadata")].message;
    object::Value annotations = object::Value::EmptyMap();
    annotations.SetEntry(arena, kInitialEventsEnd, object::Value::String("true"));
    object::Value& metadata =
        document.root().Set(arena, "metadata", object::Value::EmptyObject(arena, type));
    metadata.Set(arena, "annotations", annotations);
  }
  document.root().Set(arena, "kind", object::Value::String(kind.name));
  document.root().Set(arena, "apiVersion", object::Value::String(kind.group_version->api_version));
  std::string out;
  if (kind.in_protobuf) {
    object::EncodeStorage(document.root(), &out);
  } else {
    out = object::EncodeJson(document.root());
  }
  return out;
}

}  // namespace skiff::apiserver
