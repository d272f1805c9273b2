#include "apiserver/rest/list.h"

#include <utility>

#include "apiserver/rest/converted_reads.h"
#include "apiserver/rest/endpoint.h"
#include "apiserver/rest/list_encoder.h"
#include "apiserver/rest/list_options.h"
#include "apiserver/rest/rest_response.h"
#include "base/limits.h"
#include "serving/request/respond.h"

namespace skiff::apiserver {
namespace {

// Lists below this are encoded at once, if that does not take long, so that small answers have a
// length and one write.
constexpr size_t kAtOnceBytes = 64 * 1024;

class ListSource final : public net::BodySource {
 public:
  // `deadline` zero: it has none.
  ListSource(std::shared_ptr<const void> served_by, std::unique_ptr<ListEncoder> encoder,
             ByteBuffer begun, Clock& clock, Duration deadline)
      : served_by_(std::move(served_by)),
        encoder_(std::move(encoder)),
        begun_(std::move(begun)),
        clock_(clock),
        deadline_(deadline) {}

  Result<State> Read(ByteBuffer& out, size_t room) override {
    if (deadline_ != Duration{} && clock_.Monotonic() >= deadline_) {
      return Fail(StatusReason::kTimeout, "the list was not sent within the time of its request");
    }
    if (!begun_.empty()) {
      out.Append(begun_.view());
      begun_ = ByteBuffer();
      return State::kMore;
    }
    SKIFF_ASSIGN_OR_RETURN(
        const bool more,
        encoder_->Append(out, out.size() + room, WorkBudget(clock_, limits::kWorkAtOnce)));
    return more ? State::kMore : State::kEnd;
  }

  size_t HeldBytes() const override { return begun_.size(); }
  // It holds on to the state that it shows.
  Duration Deadline() const override {
    return deadline_ != Duration{} ? deadline_ : Clock::kForever;
  }

 private:
  const std::shared_ptr<const void> served_by_;
  const std::unique_ptr<ListEncoder> encoder_;
  ByteBuffer begun_;
  Clock& clock_;
  const Duration deadline_;
};

void RespondEncoded(serving::ApiRequest& request, const Endpoint& endpoint,
                    const serving::OutputFormat& format, store::ListReply reply) {
  auto encoder = MakeListEncoder(request, endpoint, format, std::move(reply));
  if (!encoder) return serving::RespondError(request, encoder.error());
  RespondList(request, endpoint.context->clock, std::move(*encoder), format);
}

}  // namespace

void RespondList(serving::ApiRequest& request, Clock& clock, std::unique_ptr<ListEncoder> encoder,
                 const serving::OutputFormat& format) {
  ByteBuffer begun;
  const Result<bool> more =
      encoder->Append(begun, kAtOnceBytes, WorkBudget(clock, limits::kWorkAtOnce));
  if (!more) return serving::RespondError(request, more.error());
  if (!*more) {
    return serving::RespondBytes(request, 200, format.content_type(), SharedBytes(begun.view()));
  }
  serving::RespondStream(request, 200, format.content_type(), serving::StreamSize::kLarge,
                         std::make_unique<ListSource>(request.served_by, std::move(encoder),
                                                      std::move(begun), clock, request.deadline));
}

void HandleList(serving::ApiRequestPtr request, const Endpoint& endpoint) {
  const Result<serving::OutputFormat> format =
      serving::NegotiateOutput(*request, serving::ResponseKind::kList);
  if (!format) return serving::RespondError(*request, format.error());
  Result<ListOptions> options = ReadListOptions(*request, endpoint);
  if (!options) return serving::RespondError(*request, options.error());
  std::optional<store::SelectionRequest> fields;
  if (request->local == nullptr) fields = TakeConvertedFields(endpoint, options->selection);
  store::CacheListRequest list{std::move(options->selection),
                               std::move(options->resource_version),
                               std::move(options->resource_version_match),
                               std::move(options->continue_token),
                               options->limit,
                               options->send_initial_events};
  endpoint.storage->cache().List(
      std::move(list), [request = std::move(request), &endpoint, format = *format,
                        fields = std::move(fields)](Result<store::ListReply> reply) mutable {
        if (!reply) return serving::RespondError(*request, reply.error());
        if (const auto readable = endpoint.storage->CheckReadable(*reply); !readable) {
          return serving::RespondError(*request, readable.error());
        }
        if (serving::RespondLocally(*request, 200, [&](serving::LocalResponse& answer) {
              answer.rest().Listed(endpoint.SharedView(*request), std::move(*reply));
            })) {
          return;
        }
        if (endpoint.converter() == nullptr) {
          return RespondEncoded(*request, endpoint, format, std::move(*reply));
        }
        std::shared_ptr<serving::ApiRequest> shared = std::move(request);
        ConvertList(shared, endpoint, std::move(*reply), std::move(fields),
                    [shared, &endpoint, format](store::ListReply converted) {
                      RespondEncoded(*shared, endpoint, format, std::move(converted));
                    });
      });
}

}  // namespace skiff::apiserver
