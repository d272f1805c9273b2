#include "client/https/watch_decoder.h"

#include <memory>
#include <string>
#include <utility>

#include "client/https/api_request.h"
#include "object/json/decode.h"
#include "object/protobuf/wire.h"

namespace skiff::client {
namespace {

struct RawEvent {
  std::string type;
  std::string object;  // as it was sent
};

std::unexpected<Status> BadEvent(std::string_view why) {
  return Fail(StatusReason::kInternalError,
              "an event of the watch cannot be read: " + std::string(why));
}

// A message whose fields of interest are texts: the last value of each.
Result<void> ReadTexts(std::string_view bytes,
                       std::initializer_list<std::pair<uint32_t, std::string_view*>> fields) {
  object::WireReader in(bytes);
  while (!in.done()) {
    uint32_t key = 0;
    object::WireError error = in.ReadKey(&key);
    std::string_view* to = nullptr;
    for (const auto& [number, target] : fields)
      if (object::WireKey(number, object::WireType::kBytes) == key) to = target;
    if (error == object::WireError::kNone) error = to != nullptr ? in.ReadBytes(to) : in.Skip(key);
    if (error != object::WireError::kNone) return BadEvent(object::WireErrorText(error));
  }
  return {};
}

Result<RawEvent> OpenProtobuf(std::string_view frame) {
  std::string_view type;
  std::string_view extension;
  std::string_view raw;
  SKIFF_RETURN_IF_ERROR(ReadTexts(frame, {{1, &type}, {2, &extension}}));
  SKIFF_RETURN_IF_ERROR(ReadTexts(extension, {{1, &raw}}));
  return RawEvent{std::string(type), std::string(raw)};
}

Result<RawEvent> OpenJson(std::string_view frame) {
  object::DecodeOptions options;
  options.max_bytes = limits::kMaxApiEventBytes;
  options.borrow_text = true;
  const auto event =
      object::DecodeJson(frame, object::FindMessage("meta/v1", "WatchEvent"), options);
  if (!event) return BadEvent("it is not JSON");
  const object::Value* type = event->root().Find("type");
  const object::Value* object = event->root().Find("object");
  if (type == nullptr || object == nullptr || object->tag() != object::Tag::kRawJson)
    return BadEvent("it has no type or no object");
  return RawEvent{std::string(type->AsText()), std::string(object->AsText())};
}

std::optional<ClientEvent::Type> TypeOf(std::string_view name) {
  if (name == "ADDED") return ClientEvent::Type::kAdded;
  if (name == "MODIFIED") return ClientEvent::Type::kModified;
  if (name == "DELETED") return ClientEvent::Type::kDeleted;
  if (name == "BOOKMARK") return ClientEvent::Type::kBookmark;
  return std::nullopt;
}

bool EndsInitialEvents(const object::Document& bookmark) {
  const object::Value* mark =
      bookmark.root().FindPath({"metadata", "annotations", kInitialEventsEnd});
  return mark != nullptr && mark->is_string() && mark->AsText() == "true";
}

}  // namespace

WatchDecoder::WatchDecoder(const ApiResource& resource, bool metadata_only, ApiMedia media)
    : resource_(resource),
      metadata_only_(metadata_only),
      media_(media),
      frames_(media == ApiMedia::kProtobuf ? WatchFrames::Kind::kLengthPrefixed
                                           : WatchFrames::Kind::kJsonObjects) {}

Result<ClientEvent> WatchDecoder::Decode(std::string_view frame) const {
  SKIFF_ASSIGN_OR_RETURN(const RawEvent raw,
                         media_ == ApiMedia::kProtobuf ? OpenProtobuf(frame) : OpenJson(frame));
  if (raw.type == "ERROR") {
    ApiResponse answer;
    answer.code = 500;
    answer.content_type = media_ == ApiMedia::kProtobuf ? kProtobufMedia : kJsonMedia;
    answer.body = raw.object;
    return std::unexpected(WatchFault(DecodeStatus(answer)));
  }
  const auto type = TypeOf(raw.type);
  if (!type) return BadEvent("its type is not known");
  Result<object::Document> object = DecodeObject(resource_, metadata_only_, media_, raw.object);
  if (!object) return std::unexpected(std::move(object).error());
  ClientEvent event;
  event.type = *type;
  event.initial_end = *type == ClientEvent::Type::kBookmark && EndsInitialEvents(*object);
  event.object = std::make_shared<const object::Document>(std::move(*object));
  return event;
}

Result<void> WatchDecoder::Add(std::string_view bytes, std::vector<ClientEvent>& events) {
  frames_.Add(bytes);
  while (true) {
    SKIFF_ASSIGN_OR_RETURN(const std::optional<std::string_view> frame, frames_.Next());
    if (!frame) return {};
    SKIFF_ASSIGN_OR_RETURN(ClientEvent event, Decode(*frame));
    events.push_back(std::move(event));
  }
}

Status WatchFault(Status status) {
  if (status.code() != StatusReasonCode(StatusReason::kExpired) ||
      status.reason() == StatusReason::kExpired)
    return status;
  return Status(StatusReason::kExpired, status.message());
}

}  // namespace skiff::client
