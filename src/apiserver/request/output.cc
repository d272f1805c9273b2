#include "apiserver/request/output.h"

#include <optional>
#include <string>

#include "apiserver/content/accept.h"
#include "base/strings.h"

namespace skiff {
namespace {

constexpr MediaKind kMedia[] = {MediaKind::kJson, MediaKind::kYaml, MediaKind::kProtobuf};

bool WantsPretty(const ApiRequest& request) {
  if (const std::string_view given = request.query.Get("pretty"); !given.empty()) {
    const std::string lower = AsciiLower(given);
    return lower == "1" || lower == "t" || lower == "true";
  }
  const std::string_view agent = request.http.headers.Get("user-agent");
  return agent.starts_with("curl") || agent.starts_with("Wget") ||
         agent.starts_with("Mozilla/5.0");
}

// The form that the parameters of a range ask for; nothing when there is no such form.
std::optional<ObjectForm> FormOf(const MediaRange& range, Answered what) {
  const std::string_view as = range.Parameter("as");
  if (as.empty() || what == Answered::kStatus) return ObjectForm::kWhole;
  const std::string_view version = range.Parameter("v");
  if (range.Parameter("g") != "meta.k8s.io" || (version != "v1" && version != "v1beta1")) {
    return std::nullopt;
  }
  if (as == "Table") return ObjectForm::kTable;
  if (as == "PartialObjectMetadata" && what != Answered::kList) return ObjectForm::kMetadata;
  if (as == "PartialObjectMetadataList" && what == Answered::kList) return ObjectForm::kMetadata;
  return std::nullopt;
}

Status NotAcceptable(Answered what, bool media_known) {
  if (media_known) {
    return Status(StatusReason::kNotAcceptable,
                  "only the following media types are accepted: application/json, "
                  "application/yaml, application/vnd.kubernetes.protobuf");
  }
  std::string message =
      "406: Not Acceptable\n\nAvailable representations: application/json, application/yaml, "
      "application/vnd.kubernetes.protobuf";
  if (what == Answered::kList || what == Answered::kWatch) {
    message += ", application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch";
  }
  return std::move(Status(StatusReason::kNotAcceptable, std::move(message)).SetSubject({}));
}

}  // namespace

std::string_view MediaTypeName(MediaKind media) {
  constexpr std::string_view kNames[] = {"application/json", "application/yaml",
                                         "application/vnd.kubernetes.protobuf"};
  return kNames[static_cast<size_t>(media)];
}

Result<OutputFormat> NegotiateOutput(const ApiRequest& request, Answered what) {
  OutputFormat out;
  const std::string* header = request.http.headers.Find("accept");
  const std::vector<MediaRange> ranges =
      ParseAccept(header != nullptr ? std::string_view(*header) : std::string_view());
  bool media_known = false;
  bool found = ranges.empty();
  for (size_t i = 0; i < ranges.size() && !found; ++i) {
    for (const MediaKind media : kMedia) {
      if (!ranges[i].Covers(MediaTypeName(media))) continue;
      media_known = true;
      if (what == Answered::kWatch && media == MediaKind::kYaml) continue;
      const std::optional<ObjectForm> form = FormOf(ranges[i], what);
      if (!form) continue;
      out.media = media;
      out.form = *form;
      if (*form != ObjectForm::kWhole && ranges[i].Parameter("v") == "v1beta1") {
        out.meta_version = "v1beta1";
      }
      found = true;
      break;
    }
  }
  if (!found && what != Answered::kStatus) return std::unexpected(NotAcceptable(what, media_known));
  out.pretty = out.media == MediaKind::kJson && WantsPretty(request);
  return out;
}

}  // namespace skiff
