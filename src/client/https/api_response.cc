#include "client/https/api_response.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "base/limits.h"
#include "base/strings.h"
#include "client/https/api_request.h"
#include "object/json/decode.h"
#include "object/protobuf/envelope.h"
#include "object/protobuf/wire.h"

namespace skiff::client {
namespace {

const object::MessageDesc* PartialType() {
  static const object::MessageDesc* const type =
      object::FindMessage("meta/v1", "PartialObjectMetadata");
  return type;
}

std::unexpected<Status> BadAnswer(std::string_view why) {
  return Fail(StatusReason::kInternalError,
              "the server answered with something that cannot be read: " + std::string(why));
}

// Where it cannot be read, but not what stands there, which may be a secret.
std::unexpected<Status> BadAnswer(const Status& fault) {
  std::string where = "it is broken";
  if (!fault.field().empty()) where.append(" at ").append(fault.field());
  if (fault.position().line != 0)
    where += " (line " + std::to_string(fault.position().line) + ", column " +
             std::to_string(fault.position().column) + ")";
  return BadAnswer(where);
}

std::string TextAt(const object::Value& object, std::initializer_list<std::string_view> path) {
  const object::Value* value = object.FindPath(path);
  return value != nullptr && value->is_string() ? std::string(value->AsText()) : std::string();
}

int64_t IntAt(const object::Value& object, std::initializer_list<std::string_view> path) {
  const object::Value* value = object.FindPath(path);
  return value != nullptr && value->tag() == object::Tag::kInt ? value->AsInt() : 0;
}

StatusReason ReasonOfCode(int code) {
  switch (code) {
    case 400:
      return StatusReason::kBadRequest;
    case 401:
      return StatusReason::kUnauthorized;
    case 403:
      return StatusReason::kForbidden;
    case 404:
      return StatusReason::kNotFound;
    case 405:
      return StatusReason::kMethodNotAllowed;
    case 406:
      return StatusReason::kNotAcceptable;
    case 409:
      return StatusReason::kConflict;
    case 410:
      return StatusReason::kGone;
    case 413:
      return StatusReason::kRequestEntityTooLarge;
    case 415:
      return StatusReason::kUnsupportedMediaType;
    case 422:
      return StatusReason::kInvalid;
    case 429:
      return StatusReason::kTooManyRequests;
    case 502:
    case 503:
      return StatusReason::kServiceUnavailable;
    case 504:
      return StatusReason::kTimeout;
    default:
      return code >= 500 ? StatusReason::kInternalError : StatusReason::kUnknown;
  }
}

StatusReason ReasonOf(std::string_view name, int code) {
  for (int i = 1; i <= static_cast<int>(StatusReason::kInternalError); ++i)
    if (StatusReasonName(static_cast<StatusReason>(i)) == name) return static_cast<StatusReason>(i);
  return ReasonOfCode(code);
}

// What the document of an answer is called, without decoding all of it.
Result<object::TypeMeta> TypeMetaOf(ApiMedia media, std::string_view bytes) {
  if (media != ApiMedia::kProtobuf) {
    Result<object::TypeMeta> meta = object::PeekTypeMeta(bytes);
    return meta ? std::move(meta) : BadAnswer(meta.error());
  }
  const auto envelope = object::OpenProtobufEnvelope(bytes);
  if (!envelope) return BadAnswer(envelope.error());
  return object::TypeMeta{std::string(envelope->api_version), std::string(envelope->kind)};
}

// Which type the document has. A custom resource may be called like a built-in kind.
const object::MessageDesc* TypeOf(const ClientCall& call, const object::TypeMeta& meta) {
  if (call.metadata_only && call.subresource.empty()) return PartialType();
  const bool is_custom = call.resource->type == nullptr && call.subresource.empty();
  return is_custom ? nullptr : object::FindKind(meta.api_version, meta.kind);
}

Result<object::Document> Decode(ApiMedia media, std::string_view bytes,
                                const object::MessageDesc* type, const object::TypeMeta& meta) {
  if (media == ApiMedia::kProtobuf) {
    if (type == nullptr) return BadAnswer("protobuf of a kind that is not known");
    const auto envelope = object::OpenProtobufEnvelope(bytes);
    if (!envelope) return BadAnswer(envelope.error());
    object::ProtobufDecodeOptions options;
    options.max_bytes = limits::kMaxApiResponseBytes;
    options.kind = meta.kind;
    options.api_version = meta.api_version;
    auto document = object::DecodeProtobuf(envelope->raw, type, options);
    return document ? std::move(document) : BadAnswer(document.error());
  }
  object::DecodeOptions options;
  options.max_bytes = limits::kMaxApiResponseBytes;
  auto document = object::DecodeJson(bytes, type, options);
  return document ? std::move(document) : BadAnswer(document.error());
}

// Items of typed lists have neither kind nor apiVersion, though their readers ask for them.
void NameItem(object::Document& item, std::string_view kind, std::string_view api_version) {
  object::Value& root = item.root();
  const bool is_typed = item.type() != nullptr && item.type()->is_kind;
  if (!is_typed && !root.is_map()) return;
  if (item.kind().empty())
    root.Set(item.arena(), "kind", object::Value::String(item.arena().Copy(kind)));
  if (item.api_version().empty())
    root.Set(item.arena(), "apiVersion", object::Value::String(item.arena().Copy(api_version)));
}

struct ItemNames {
  const object::MessageDesc* type;
  std::string kind;
  std::string api_version;
};

ItemNames ItemsOf(const ClientCall& call) {
  if (call.metadata_only) return {PartialType(), "PartialObjectMetadata", "meta.k8s.io/v1"};
  return {call.resource->type, call.resource->kind, call.resource->api_version()};
}

void TakeListMeta(const object::Value& meta, ClientReply& reply) {
  reply.resource_version = TextAt(meta, {"resourceVersion"});
  reply.continue_token = TextAt(meta, {"continue"});
}

// Item by item, so that each is decoded straight into memory of its own.
Result<void> DecodeProtobufList(std::string_view body, const ItemNames& names, ClientReply& reply) {
  constexpr uint32_t kMetadata = 1;
  constexpr uint32_t kItems = 2;
  if (names.type == nullptr) return BadAnswer("protobuf of a kind that is not known");
  const auto envelope = object::OpenProtobufEnvelope(body);
  if (!envelope) return BadAnswer(envelope.error());
  object::WireReader in(envelope->raw);
  object::ProtobufDecodeOptions options;
  options.max_bytes = limits::kMaxApiResponseBytes;
  options.kind = names.kind;
  options.api_version = names.api_version;
  while (!in.done()) {
    uint32_t key = 0;
    std::string_view bytes;
    object::WireError error = in.ReadKey(&key);
    const uint32_t number = object::WireFieldNumber(key);
    const bool is_known = object::WireTypeOf(key) == object::WireType::kBytes && number <= kItems;
    if (error == object::WireError::kNone) error = is_known ? in.ReadBytes(&bytes) : in.Skip(key);
    if (error != object::WireError::kNone) return BadAnswer(object::WireErrorText(error));
    if (!is_known) continue;
    if (number == kMetadata) {
      const auto meta = object::DecodeProtobuf(bytes, object::FindMessage("meta/v1", "ListMeta"));
      if (!meta) return BadAnswer(meta.error());
      TakeListMeta(meta->root(), reply);
    } else {
      auto item = object::DecodeProtobuf(bytes, names.type, options);
      if (!item) return BadAnswer(item.error());
      reply.items.push_back(std::make_shared<const object::Document>(std::move(*item)));
    }
  }
  return {};
}

Result<void> DecodeJsonList(std::string_view body, const ItemNames& names,
                            const object::TypeMeta& meta, ClientReply& reply) {
  object::DecodeOptions options;
  options.max_bytes = limits::kMaxApiResponseBytes;
  options.borrow_text = true;
  const object::MessageDesc* type = nullptr;
  if (names.type == PartialType()) {
    type = object::FindMessage("meta/v1", "PartialObjectMetadataList");
  } else if (names.type != nullptr) {
    type = object::FindKind(meta.api_version, meta.kind);
    if (type == nullptr) return BadAnswer("a list of a kind that is not known");
  }
  const auto list = object::DecodeJson(body, type, options);
  if (!list) return BadAnswer(list.error());
  if (const object::Value* list_meta = list->root().Find("metadata"))
    TakeListMeta(*list_meta, reply);
  const object::Value* items = list->root().Find("items");
  if (items == nullptr || !items->is_list()) return {};
  for (const object::Value& value : items->items()) {
    if (value.is_null()) return BadAnswer("a list with an item that is null");
    Arena arena;
    const object::Value root = value.CopyInto(arena);
    object::Document item(std::move(arena), root);
    NameItem(item, names.kind, names.api_version);
    reply.items.push_back(std::make_shared<const object::Document>(std::move(item)));
  }
  return {};
}

}  // namespace

ApiMedia MediaOf(std::string_view content_type) {
  const std::string_view media = TrimSpace(content_type.substr(0, content_type.find(';')));
  if (media == kJsonMedia) return ApiMedia::kJson;
  return media == kProtobufMedia ? ApiMedia::kProtobuf : ApiMedia::kOther;
}

Status StatusOf(const object::Value& document, int code) {
  if (const int64_t told = IntAt(document, {"code"}); told >= 400 && told < 600)
    code = static_cast<int>(told);
  Status status(ReasonOf(TextAt(document, {"reason"}), code), TextAt(document, {"message"}));
  if (const object::Value* details = document.Find("details");
      details != nullptr && !details->is_null()) {
    status.SetSubject({.name = TextAt(*details, {"name"}),
                       .group = TextAt(*details, {"group"}),
                       .kind = TextAt(*details, {"kind"}),
                       .uid = TextAt(*details, {"uid"})});
    constexpr int64_t kLongest = 24 * 3600;
    status.SetRetryAfterSeconds(
        static_cast<int>(std::clamp<int64_t>(IntAt(*details, {"retryAfterSeconds"}), 0, kLongest)));
    if (const object::Value* causes = details->Find("causes");
        causes != nullptr && causes->is_list())
      for (const object::Value& cause : causes->items())
        status.AddCause({.reason = TextAt(cause, {"reason"}),
                         .message = TextAt(cause, {"message"}),
                         .field = TextAt(cause, {"field"})});
  }
  status.SetContinueToken(TextAt(document, {"metadata", "continue"}));
  return status;
}

namespace {

Status StatusOfAnswer(const ApiResponse& answer) {
  const ApiMedia media = MediaOf(answer.content_type);
  if (media != ApiMedia::kOther) {
    const Result<object::TypeMeta> meta = TypeMetaOf(media, answer.body);
    if (meta && meta->kind == "Status") {
      const auto document =
          Decode(media, answer.body, object::FindMessage("meta/v1", "Status"), *meta);
      if (document) return StatusOf(document->root(), answer.code);
    }
  }
  return Status(ReasonOfCode(answer.code), "the server answered with code " +
                                               std::to_string(answer.code) +
                                               ", and not in the way of an API server");
}

}  // namespace

Status DecodeStatus(const ApiResponse& answer) {
  Status status = StatusOfAnswer(answer);
  if (status.retry_after_seconds() == 0 && answer.retry_after_seconds)
    status.SetRetryAfterSeconds(*answer.retry_after_seconds);
  if (!answer.advice.empty()) status.SetMessage(status.message() + "; " + answer.advice);
  return status;
}

Result<object::Document> DecodeObject(const ApiResource& resource, bool metadata_only,
                                      ApiMedia media, std::string_view bytes) {
  ClientCall call;
  call.resource = &resource;
  call.metadata_only = metadata_only;
  SKIFF_ASSIGN_OR_RETURN(const object::TypeMeta meta, TypeMetaOf(media, bytes));
  SKIFF_ASSIGN_OR_RETURN(object::Document object, Decode(media, bytes, TypeOf(call, meta), meta));
  if (!object.root().is_object() && !object.root().is_map()) return BadAnswer("no object");
  const ItemNames names = ItemsOf(call);
  NameItem(object, names.kind, names.api_version);
  return object;
}

Result<ClientReply> DecodeReply(const ClientCall& call, const ApiResponse& answer) {
  ClientReply reply;
  reply.code = answer.code;
  if (answer.body.empty()) return reply;
  const ApiMedia media = MediaOf(answer.content_type);
  if (media == ApiMedia::kOther) return BadAnswer("its type is neither JSON nor protobuf");
  SKIFF_ASSIGN_OR_RETURN(const object::TypeMeta meta, TypeMetaOf(media, answer.body));
  if (meta.kind == "Status" && meta.api_version == "v1") return reply;
  if (call.verb == ClientVerb::kList || call.verb == ClientVerb::kDeleteCollection) {
    const ItemNames names = ItemsOf(call);
    SKIFF_RETURN_IF_ERROR(media == ApiMedia::kProtobuf
                              ? DecodeProtobufList(answer.body, names, reply)
                              : DecodeJsonList(answer.body, names, meta, reply));
    return reply;
  }
  SKIFF_ASSIGN_OR_RETURN(object::Document object,
                         Decode(media, answer.body, TypeOf(call, meta), meta));
  if (!object.root().is_object() && !object.root().is_map()) return BadAnswer("no object");
  reply.object = std::make_shared<const object::Document>(std::move(object));
  return reply;
}

}  // namespace skiff::client
