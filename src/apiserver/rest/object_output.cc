#include "apiserver/rest/object_output.h"

#include <atomic>
#include <utility>

#include "apiserver/convert/convert.h"
#include "apiserver/convert/layout.h"
#include "apiserver/rest/object_meta.h"
#include "apiserver/tables/object_bytes.h"
#include "base/limits.h"
#include "object/json/decode.h"
#include "object/json/encode.h"
#include "object/json/resource_version.h"
#include "object/protobuf/encode.h"
#include "object/protobuf/envelope.h"
#include "object/protobuf/resource_version.h"
#include "object/protobuf/wire.h"
#include "object/transcode/protobuf_to_json.h"
#include "serving/request/respond.h"

namespace skiff::apiserver {
namespace {

uint64_t NextViewId() {
  static std::atomic<uint64_t> last{0};
  return last.fetch_add(1, std::memory_order_relaxed) + 1;
}

// Versions of an open kind may have different schemas.
bool HasLayoutOf(const object::MessageDesc* stored, const object::MessageDesc* kind) {
  return kind->open != nullptr ? stored == kind : SameLayout(stored, kind);
}

}  // namespace

ObjectView::ObjectView(const object::ResourceDesc& resource, Given given)
    : id_(NextViewId()),
      resource_(&resource),
      stored_(resource.hub->storage != nullptr && given == Given::kStored
                  ? resource.hub->storage->stored
                  : resource.kind),
      same_layout_(HasLayoutOf(stored_, resource.kind)) {}

std::optional<std::string_view> ObjectView::Message(std::string_view stored) const {
  if (!same_layout_ || !object::HasProtobufPrefix(stored)) return std::nullopt;
  const Result<object::ProtobufEnvelope> envelope = object::OpenProtobufEnvelope(stored);
  if (!envelope || envelope->api_version != stored_->group_version->api_version) {
    return std::nullopt;
  }
  return envelope->raw;
}

// A revision of zero is none: what a dry run would have made.
size_t ObjectMessage::size() const {
  const RevisionText version(revision_);
  const bool has_version = revision_ != store::Revision{};
  if (!pieces_.empty()) {
    return object::JoinedMessage(stored_, has_version ? version.view() : std::string_view(),
                                 pieces_)
        .size();
  }
  if (!has_version) return stored_.size() + encoded_.size();
  return object::SizeWithResourceVersion(stored_, version.view());
}

void ObjectMessage::AppendTo(ByteBuffer& out) const {
  const RevisionText version(revision_);
  const bool has_version = revision_ != store::Revision{};
  if (!pieces_.empty()) {
    object::JoinedMessage(stored_, has_version ? version.view() : std::string_view(), pieces_)
        .AppendTo(out);
  } else if (!has_version) {
    out.Append(stored_);
    out.Append(encoded_);
  } else {
    object::AppendWithResourceVersion(stored_, version.view(), out);
  }
}

void ObjectMessage::AppendAsField(uint32_t key, ByteBuffer& out) const {
  const auto append_head = [&](size_t size) {
    auto* to = reinterpret_cast<uint8_t*>(out.Reserve(2 * object::kMaxVarintBytes));
    out.CommitTo(reinterpret_cast<char*>(object::WriteVarint(object::WriteVarint(to, key), size)));
  };
  if (pieces_.empty()) {
    append_head(size());
    return AppendTo(out);
  }
  const RevisionText version(revision_);
  const bool has_version = revision_ != store::Revision{};
  const object::JoinedMessage joined(stored_, has_version ? version.view() : std::string_view(),
                                     pieces_);
  append_head(joined.size());
  joined.AppendTo(out);
}

Result<void> ObjectView::AppendJson(std::string_view stored, store::Revision revision, As as,
                                    ByteBuffer& out, object::Pieces pieces) const {
  const object::MessageDesc& type = *resource_->kind;
  const bool whole = as == As::kObject;
  if (const auto message = Message(stored); message) {
    const RevisionText version(revision);
    return object::StoredToJson(*message,
                                revision == store::Revision{} ? std::string_view() : version.view(),
                                type, whole ? type.group_version->api_version : std::string_view(),
                                whole ? resource_->kind_name : std::string_view(), out, pieces);
  }
  if (!pieces.empty()) {
    const SharedBytes joined = object::JoinFieldSets(stored, pieces);
    return AppendJson(joined.view(), revision, as, out);
  }
  if (type.open != nullptr && same_layout_) {
    const RevisionText version(revision);
    const bool has_one = revision != store::Revision{};
    if (object::AppendJsonWithResourceVersion(stored, has_one ? version.view() : std::string_view(),
                                              out)) {
      return {};
    }
  }
  SKIFF_ASSIGN_OR_RETURN(object::Document object, Decode(stored, revision));
  // Untyped objects say what they are, wherever they stand.
  if (!whole && type.open == nullptr) {
    object.root().Erase("kind");
    object.root().Erase("apiVersion");
  }
  object::EncodeJson(object.root(), out);
  return {};
}

Result<ObjectMessage> ObjectView::AsProtobuf(std::string_view stored, store::Revision revision,
                                             object::Pieces pieces) const {
  if (const auto message = Message(stored); message)
    return ObjectMessage(*message, revision, pieces);
  if (!pieces.empty()) {
    const SharedBytes joined = object::JoinFieldSets(stored, pieces);
    return AsProtobuf(joined.view(), revision);
  }
  SKIFF_ASSIGN_OR_RETURN(const object::Document object, Decode(stored, revision));
  std::string bytes;
  object::EncodeProtobuf(object.root(), &bytes);
  return ObjectMessage(std::move(bytes));
}

Result<object::Document> DecodeStored(std::string_view stored, store::Revision revision,
                                      const object::MessageDesc* stored_type) {
  Result<object::Document> object = [&]() -> Result<object::Document> {
    if (object::HasProtobufPrefix(stored)) {
      object::ProtobufDecodeOptions options;
      options.max_bytes = limits::kMaxCountedBytes;
      options.trusts_field_sets = true;
      return object::DecodeStorage(stored, options);
    }
    object::DecodeOptions options;
    options.max_bytes = limits::kMaxCountedBytes;
    if (stored_type != nullptr && stored_type->open != nullptr) {
      return object::DecodeJson(stored, stored_type, options);
    }
    SKIFF_ASSIGN_OR_RETURN(const object::TypeMeta meta, object::PeekTypeMeta(stored));
    return object::DecodeJson(stored, object::FindKind(meta.api_version, meta.kind), options);
  }();
  if (!object) {
    return Fail(StatusReason::kInternalError,
                "a stored object cannot be read: " + object.error().ToString());
  }
  object::NameEmbeddedKinds(*object);
  if (revision != store::Revision{}) {
    MetaOf(*object).SetText("resourceVersion", RevisionText(revision).view());
  }
  return object;
}

Result<object::Document> ObjectView::Decode(std::string_view stored,
                                            store::Revision revision) const {
  SKIFF_ASSIGN_OR_RETURN(object::Document object, DecodeStored(stored, revision, stored_));
  if (object.type() == resource_->kind) return object;
  return Convert(object, resource_->kind);
}

Result<SharedBytes> ObjectView::Encode(std::string_view stored, store::Revision revision,
                                       const serving::OutputFormat& format,
                                       object::Pieces pieces) const {
  if (format.media != serving::MediaKind::kProtobuf) {
    ByteBuffer json(stored.size() * 2);
    SKIFF_RETURN_IF_ERROR(AppendJson(stored, revision, As::kObject, json, pieces));
    return serving::FinishJson(std::move(json), format);
  }
  if (!resource_->kind->in_protobuf) {
    return Fail(StatusReason::kNotAcceptable, "objects of this kind have no protobuf form");
  }
  SKIFF_ASSIGN_OR_RETURN(const ObjectMessage object, AsProtobuf(stored, revision, pieces));
  ByteBuffer message(object.size());
  object.AppendTo(message);
  std::string out;
  object::AppendProtobufEnvelope({.api_version = resource_->version->desc->api_version,
                                  .kind = resource_->kind_name,
                                  .raw = message.view()},
                                 &out);
  return SharedBytes(out);
}

}  // namespace skiff::apiserver
