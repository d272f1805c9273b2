#include "apiserver/webhook/conversion_review.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "apiserver/validation/common.h"
#include "apiserver/validation/field_errors.h"
#include "apiserver/validation/value_fields.h"
#include "apiserver/webhook/webhook_fault.h"
#include "apiserver/webhook/webhook_status.h"
#include "base/buffer.h"
#include "base/strings.h"
#include "base/webhook_limits.h"
#include "object/json/decode.h"
#include "object/json/encode.h"
#include "object/json/text.h"

namespace skiff::apiserver {
namespace {

constexpr std::string_view kReview = "ConversionReview";
constexpr int64_t kHttpsPort = 443;

// "v1", "v1beta1", or nothing.
std::string_view KnownVersion(const ConversionWebhook& webhook) {
  for (const std::string& version : webhook.review_versions) {
    if (version == "v1" || version == "v1beta1") return version;
  }
  return {};
}

std::unexpected<Status> Fault(std::string why) {
  return Fail(StatusReason::kUnknown, std::move(why));
}
std::unexpected<Status> Failed(const std::string& why) { return Fault("failed: " + why); }
std::unexpected<Status> InvalidAt(size_t index, const std::string& why) {
  return Fault("returned invalid object at index " + std::to_string(index) + ": " + why);
}

// The objects of the answer, as they stand there.
Result<const object::Value*> ConvertedIn(const object::Value& review, std::string_view version,
                                         std::string_view uid) {
  const object::Value* response = FieldOf(&review, "response");
  if (response == nullptr || response->is_null()) return Failed("no response provided");
  if (version == "v1" && TextOf(response, "uid") != uid) {
    return Failed("expected response.uid=" + Quoted(uid) + ", got " +
                  Quoted(TextOf(response, "uid")));
  }
  const object::Value* result = FieldOf(response, "result");
  if (TextOf(result, "status") != "Success") {
    const std::string message(TextOf(result, "message"));
    if (!message.empty()) return Failed(message);
    return Failed("response.result.status was '" + std::string(TextOf(result, "status")) +
                  "', not 'Success'");
  }
  return FieldOf(response, "convertedObjects");
}

// What Go says of what is no object, and as YAML something else: mostly a string. Nothing if it may
// be an object.
std::optional<std::string> NoObjectFault(std::string_view body) {
  body = TrimSpace(body);
  if (body.empty() || body.front() == '{') return std::nullopt;
  std::string_view what = "string";
  if (body.front() == '[') what = "array";
  if (body == "true" || body == "false") what = "bool";
  if (body.find_first_not_of("-0123456789") == std::string_view::npos) what = "number";
  return "json: cannot unmarshal " + std::string(what) +
         " into Go value of type struct { APIVersion string "
         R"("json:\"apiVersion,omitempty\""; Kind string "json:\"kind,omitempty\"" })";
}

// The review in a reply, untyped, since objects of any kind are in it.
Result<object::Document> DecodeReview(const WebhookReply& reply, std::string_view version) {
  const bool succeeded = reply.code >= 200 && reply.code <= 206;
  if (!succeeded) return Failed(FaultOfReply(reply).message());
  if (reply.body.empty()) {
    return Failed("0-length response with status code: " + std::to_string(reply.code) +
                  " and content type: " + reply.content_type);
  }
  constexpr std::string_view kUnknownKind = "couldn't get version/kind; json parse error: ";
  if (const auto why = NoObjectFault(reply.body)) return Failed(std::string(kUnknownKind) + *why);
  const Result<object::TypeMeta> meta = object::PeekTypeMeta(reply.body);
  if (!meta) return Failed(std::string(kUnknownKind) + meta.error().message());
  const auto lacks = [&](std::string_view member) {
    return Failed("Object '" + std::string(member) + "' is missing in '" +
                  reply.body.substr(0, limits::kMaxRepeatedReplyBytes) + "'");
  };
  if (meta->kind.empty()) return lacks("Kind");
  if (meta->api_version.empty()) return lacks("apiVersion");
  if (const auto status = StatusOfJson(reply.body); status) return Failed(status->message());
  const std::string wanted = "apiextensions.k8s.io/" + std::string(version);
  if (meta->kind != kReview || meta->api_version != wanted) {
    return Failed("expected webhook response of " + wanted + ", Kind=ConversionReview, got " +
                  meta->api_version + ", Kind=" + meta->kind);
  }
  object::DecodeOptions options;
  options.max_bytes = limits::kMaxWebhookReplyBytes;
  Result<object::Document> review = object::DecodeJson(reply.body, nullptr, options);
  if (!review) return Failed(review.error().ToString());
  return review;
}

Result<void> CheckSame(const object::Value& sent, const object::Value& converted, size_t index,
                       std::string_view desired) {
  const std::string_view version = TextOf(&converted, "apiVersion");
  if (version != desired) {
    return InvalidAt(index, "invalid groupVersion (expected " + std::string(desired) +
                                ", received " + std::string(version) + ")");
  }
  if (TextOf(&sent, "kind") != TextOf(&converted, "kind")) {
    return InvalidAt(index, "invalid kind (expected " + std::string(TextOf(&sent, "kind")) +
                                ", received " + std::string(TextOf(&converted, "kind")) + ")");
  }
  const object::Value* before = FieldOf(&sent, "metadata");
  const object::Value* after = FieldOf(&converted, "metadata");
  constexpr std::pair<std::string_view, std::string_view> kFields[] = {
      {"name", "name"}, {"namespace", "namespace"}, {"uid", "UID"}};
  for (const auto& [field, shown] : kFields) {
    if (TextOf(before, field) != TextOf(after, field)) {
      return Fault("returned invalid object: must have the same " + std::string(shown) + ": " +
                   std::string(TextOf(before, field)) + " != " + std::string(TextOf(after, field)));
    }
  }
  if (after == nullptr || !after->is_map()) {
    return Fault("returned invalid metadata: missing metadata in converted object");
  }
  return {};
}

// The labels or annotations of an answer; absent where it has none.
Result<std::optional<object::Value>> TakeTexts(const object::Value& from, std::string_view field,
                                               Arena& arena) {
  const object::Value* texts = FieldOf(&from, field);
  if (texts == nullptr || texts->is_null()) return std::nullopt;
  if (!texts->is_map()) {
    return Fault("returned invalid metadata: invalid metadata." + std::string(field) +
                 " in converted object");
  }
  for (const object::MapEntry& entry : texts->entries()) {
    if (entry.value.is_string()) continue;
    return Fault("returned invalid metadata: metadata." + std::string(field) + "[" +
                 std::string(entry.key) + "] must be a string in converted object");
  }
  FieldErrors errors(kDefaultSettings);
  const object::MapView<std::string_view> view(texts);
  if (field == "labels") {
    ValidateLabels(view, "metadata.labels", errors);
  } else {
    ValidateAnnotations(view, "metadata.annotations", errors);
  }
  if (!errors.empty()) {
    const StatusCause& first = errors.causes().front();
    return Fault("returned invalid metadata: " + first.field + ": " + first.message);
  }
  return texts->CopyInto(arena);
}

// The converted object with the metadata of the one that was sent.
Result<object::Document> Restore(const object::Value& sent, const object::Value& converted) {
  object::Document out;
  Arena& arena = out.arena();
  out.root() = converted.CopyInto(arena);
  const object::Value* original = FieldOf(&sent, "metadata");
  object::Value metadata =
      original != nullptr ? original->CopyInto(arena) : object::Value::EmptyMap();
  for (const std::string_view field : {"labels", "annotations"}) {
    SKIFF_ASSIGN_OR_RETURN(std::optional<object::Value> texts,
                           TakeTexts(*FieldOf(&converted, "metadata"), field, arena));
    if (texts) {
      metadata.Set(arena, field, *texts);
    } else {
      metadata.Erase(field);
    }
  }
  out.root().Set(arena, "metadata", metadata);
  return out;
}

}  // namespace

ConversionWebhook ReadConversionWebhook(const object::Value& conversion) {
  const object::Value* webhook = FieldOf(&conversion, "webhook");
  const object::Value* config = FieldOf(webhook, "clientConfig");
  const object::Value* bundle = FieldOf(config, "caBundle");
  std::string ca_pem(TrimSpace(bundle != nullptr ? bundle->AsText() : std::string_view()));
  ConversionWebhook out;
  const object::Value* service = FieldOf(config, "service");
  if (service != nullptr) {
    const object::Value* port = FieldOf(service, "port");
    out.target = WebhookTarget::OfService(
        {.name_space = std::string(TextOf(service, "namespace")),
         .name = std::string(TextOf(service, "name")),
         .path = std::string(TextOf(service, "path")),
         .port = static_cast<int32_t>(port != nullptr ? port->AsInt() : kHttpsPort)},
        std::move(ca_pem));
  } else {
    out.target = WebhookTarget::OfUrl(TextOf(config, "url"), std::move(ca_pem));
  }
  for (const std::string_view version : TextsOf(webhook, "conversionReviewVersions")) {
    out.review_versions.emplace_back(version);
  }
  return out;
}

Result<SharedBytes> WriteConversionReview(const ConversionWebhook& webhook, std::string_view uid,
                                          std::string_view desired,
                                          std::span<const object::Document* const> objects) {
  const std::string_view version = KnownVersion(webhook);
  if (version.empty()) return Fault("failed: no supported conversion review versions");
  ByteBuffer out;
  out.Append(R"({"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/)");
  out.Append(version);
  out.Append(R"(","request":{"uid":)");
  object::AppendJsonString(out, uid);
  out.Append(R"(,"desiredAPIVersion":)");
  object::AppendJsonString(out, desired);
  out.Append(R"(,"objects":[)");
  bool is_first = true;
  for (const object::Document* object : objects) {
    if (!std::exchange(is_first, false)) out.Append(",");
    object::EncodeJson(object->root(), out);
  }
  out.Append("]}}");
  return SharedBytes(out.view());
}

Result<std::vector<object::Document>> ReadConversionReview(
    const ConversionWebhook& webhook, std::string_view uid, std::string_view desired,
    std::span<const object::Document* const> sent, const WebhookReply& reply, ConversionEnd& end) {
  const std::string_view version = KnownVersion(webhook);
  end = ConversionEnd::kCallFailed;
  SKIFF_ASSIGN_OR_RETURN(const object::Document review, DecodeReview(reply, version));
  end = ConversionEnd::kMalformed;
  SKIFF_ASSIGN_OR_RETURN(const object::Value* converted, ConvertedIn(review.root(), version, uid));
  const size_t count = converted != nullptr && converted->is_list() ? converted->size() : 0;
  if (count != sent.size()) {
    end = ConversionEnd::kOthers;
    return Fault("returned " + std::to_string(count) + " objects, expected " +
                 std::to_string(sent.size()));
  }
  end = ConversionEnd::kInvalidObjects;
  std::vector<object::Document> out;
  for (size_t i = 0; i < count; ++i) {
    const object::Value& object = converted->items()[i];
    SKIFF_RETURN_IF_ERROR(CheckSame(sent[i]->root(), object, i, desired));
    SKIFF_ASSIGN_OR_RETURN(object::Document restored, Restore(sent[i]->root(), object));
    out.push_back(std::move(restored));
  }
  end = ConversionEnd::kConverted;
  return out;
}

}  // namespace skiff::apiserver
