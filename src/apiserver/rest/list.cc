// GET of a collection. What is listed is a snapshot; it is encoded piece by piece while it is being
// sent, so that a list takes no more memory than its next piece, however long it is.
#include <charconv>
#include <utility>

#include "apiserver/request/respond.h"
#include "apiserver/rest/endpoint.h"
#include "apiserver/rest/list_encoder.h"
#include "apiserver/rest/list_options.h"
#include "apiserver/rest/local_answer.h"

namespace skiff {
namespace {

// Lists below this are encoded at once, so that small answers have a length and one write.
constexpr size_t kAtOnceBytes = 64 * 1024;

class ListSource final : public BodySource {
 public:
  explicit ListSource(std::unique_ptr<ListEncoder> encoder, ByteBuffer begun)
      : encoder_(std::move(encoder)), begun_(std::move(begun)) {}

  Result<State> Read(ByteBuffer& out, size_t room) override {
    if (!begun_.empty()) {
      out.Append(begun_.view());
      begun_ = ByteBuffer();
      return State::kMore;
    }
    SKIFF_ASSIGN_OR_RETURN(const bool more, encoder_->Append(out, out.size() + room));
    return more ? State::kMore : State::kEnd;
  }

 private:
  std::unique_ptr<ListEncoder> encoder_;
  ByteBuffer begun_;
};

}  // namespace

void RespondList(ApiRequest& request, std::unique_ptr<ListEncoder> encoder,
                 const OutputFormat& format) {
  ByteBuffer begun;
  const bool needs_all = format.pretty || format.media == MediaKind::kYaml;
  Result<bool> more = true;
  do {
    more = encoder->Append(begun, kAtOnceBytes);
  } while (more && *more && needs_all);
  if (!more) return RespondError(request, more.error());
  if (*more) {
    return RespondStream(request, 200, format.content_type(), StreamSize::kLarge,
                         std::make_unique<ListSource>(std::move(encoder), std::move(begun)));
  }
  if (!needs_all) {
    return RespondBytes(request, 200, format.content_type(), SharedBytes(begun.view()));
  }
  begun.Truncate(begun.size() - 1);  // the newline, which comes again
  Result<SharedBytes> body = FinishJson(std::move(begun), format);
  if (!body) return RespondError(request, body.error());
  RespondBytes(request, 200, format.content_type(), std::move(*body));
}

void HandleList(ApiRequestPtr request, const Endpoint& endpoint) {
  const Result<OutputFormat> format = NegotiateOutput(*request, Answered::kList);
  if (!format) return RespondError(*request, format.error());
  Result<ListOptions> options = ReadListOptions(*request, endpoint);
  if (!options) return RespondError(*request, options.error());
  CacheListRequest list{std::move(options->selection),
                        std::move(options->resource_version),
                        std::move(options->resource_version_match),
                        std::move(options->continue_token),
                        options->limit,
                        options->send_initial_events};
  endpoint.storage->cache().List(
      std::move(list),
      [request = std::move(request), &endpoint, format = *format](Result<ListReply> reply) mutable {
        if (!reply) return RespondError(*request, reply.error());
        if (RespondLocally(*request, 200, [&](LocalAnswer& answer) {
              answer.rest().Listed(endpoint.view, std::move(*reply));
            })) {
          return;
        }
        auto encoder = MakeListEncoder(*request, endpoint, format, std::move(*reply));
        if (!encoder) return RespondError(*request, encoder.error());
        RespondList(*request, std::move(*encoder), format);
      });
}

}  // namespace skiff
