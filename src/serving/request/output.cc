#include "serving/request/output.h"

#include <optional>
#include <span>
#include <string>
#include <utility>

#include "serving/request/negotiate.h"

namespace skiff::serving {
namespace {

// Events cannot be told apart in a stream of YAML.
constexpr std::string_view kWatchMediaTypes[] = {kJsonMediaType, kProtobufMediaType};

MediaKind MediaKindOf(std::string_view type) {
  if (type == kYamlMediaType) return MediaKind::kYaml;
  return type == kProtobufMediaType ? MediaKind::kProtobuf : MediaKind::kJson;
}

// The form that a range asks for; nothing when there is no such form.
std::optional<ObjectForm> FormOf(const Conversion* wanted, ResponseKind what) {
  if (wanted == nullptr || what == ResponseKind::kStatus) return ObjectForm::kWhole;
  if (wanted->group != "meta.k8s.io" || (wanted->version != "v1" && wanted->version != "v1beta1")) {
    return std::nullopt;
  }
  const bool list = what == ResponseKind::kList;
  if (wanted->kind == "Table" && what != ResponseKind::kReply) return ObjectForm::kTable;
  if (wanted->kind == (list ? "PartialObjectMetadataList" : "PartialObjectMetadata")) {
    return ObjectForm::kMetadata;
  }
  return std::nullopt;
}

// Whether the client takes one of the media types at all, in whichever form.
bool TakesMedia(std::string_view accept) {
  return Negotiate(accept, kObjectMediaTypes, [](const Conversion*) { return true; }).has_value();
}

Status Refusal(ResponseKind what, std::string_view accept) {
  const auto only = [](std::string_view types) {
    return Status(StatusReason::kNotAcceptable,
                  "only the following media types are accepted: " + std::string(types));
  };
  if (what == ResponseKind::kWatch &&
      Negotiate(accept, kObjectMediaTypes, [](const Conversion* wanted) {
        return FormOf(wanted, ResponseKind::kWatch).has_value();
      })) {
    return only("application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch");
  }
  if (TakesMedia(accept)) {
    return only("application/json, application/yaml, application/vnd.kubernetes.protobuf");
  }
  std::string message =
      "406: Not Acceptable\n\nAvailable representations: application/json, application/yaml, "
      "application/vnd.kubernetes.protobuf";
  if (what == ResponseKind::kList || what == ResponseKind::kWatch) {
    message += ", application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch";
  }
  return std::move(Status(StatusReason::kNotAcceptable, std::move(message)).SetSubject({}));
}

}  // namespace

std::string_view MediaTypeName(MediaKind media) {
  return kObjectMediaTypes[static_cast<size_t>(media)];
}

Result<OutputFormat> NegotiateOutput(const ApiRequest& request, ResponseKind what) {
  const std::string_view accept = request.http.headers.Get("accept");
  const std::span<const std::string_view> offers =
      what == ResponseKind::kWatch ? std::span<const std::string_view>(kWatchMediaTypes)
                                   : std::span<const std::string_view>(kObjectMediaTypes);
  const auto allows = [what](const Conversion* wanted) { return FormOf(wanted, what).has_value(); };
  std::optional<Negotiated> found = Negotiate(accept, offers, allows);
  if (found && request.is_untyped && found->media_type == kProtobufMediaType &&
      !found->conversion) {
    // What else the client takes, or protobuf after all, which is refused.
    auto other = Negotiate(accept, offers.first(offers.size() - 1), allows);
    if (other) found = std::move(other);
  }
  OutputFormat out;
  if (!found && what != ResponseKind::kStatus) {
    return std::unexpected(Refusal(what, accept));
  }
  if (found) {
    out.media = MediaKindOf(found->media_type);
    const Conversion* wanted = found->conversion ? &*found->conversion : nullptr;
    out.form = *FormOf(wanted, what);
    if (out.form != ObjectForm::kWhole && wanted->version == "v1beta1") {
      out.meta_version = "v1beta1";
    }
  }
  out.pretty = out.media == MediaKind::kJson &&
               ((found && found->pretty) ||
                WantsPretty(request.http.query, request.http.headers.Get("user-agent")));
  return out;
}

}  // namespace skiff::serving
