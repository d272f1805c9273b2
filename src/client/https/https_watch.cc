#include "client/https/https_watch.h"

#include <utility>
#include <vector>

#include "base/limits.h"

namespace skiff::client {

HttpsWatch::HttpsWatch(const std::shared_ptr<ApiChannel>& channel, const ApiResource& resource,
                       bool metadata_only, net::ClientRequest request, ClientWatchSink* sink)
    : channel_(channel),
      resource_(resource),
      metadata_only_(metadata_only),
      sink_(sink),
      id_(channel->Open(std::move(request), this)) {}

HttpsWatch::~HttpsWatch() {
  *alive_ = false;
  if (ended_) return;
  if (const auto channel = channel_.lock()) channel->Cancel(id_);
}

void HttpsWatch::OnHead(int code, const net::HttpHeaders& headers) {
  const ApiMedia media = MediaOf(headers.Get("content-type"));
  fault_.code = code;
  fault_.content_type = headers.Get("content-type");
  if (code == 200 && media != ApiMedia::kOther) decoder_.emplace(resource_, metadata_only_, media);
}

void HttpsWatch::OnBody(std::string_view bytes) {
  if (ended_) return;
  if (!decoder_) {
    const size_t room = limits::kMaxDocumentBytes - fault_.body.size();
    fault_.body += bytes.substr(0, room);
    return;
  }
  std::vector<ClientEvent> events;
  Result<void> read = decoder_->Add(bytes, events);
  const std::shared_ptr<bool> alive = alive_;
  if (!events.empty()) sink_->OnEvents(events);
  if (*alive && !read) Break(std::move(read).error());
}

void HttpsWatch::Break(Status why) {
  ended_ = true;
  if (const auto channel = channel_.lock()) channel->Cancel(id_);
  sink_->OnEnd(std::move(why));
}

void HttpsWatch::OnEnd(Result<void> outcome) {
  if (std::exchange(ended_, true)) return;
  if (!outcome) {
    // A watch changes nothing, so that there is nothing that would not be known.
    const Status& why = outcome.error();
    return sink_->OnEnd(why.reason() == StatusReason::kServerTimeout
                            ? Status(StatusReason::kServiceUnavailable, why.message())
                            : why);
  }
  if (decoder_ && decoder_->at_boundary()) return sink_->OnEnd(std::nullopt);
  if (decoder_)
    return sink_->OnEnd(Status(StatusReason::kServiceUnavailable,
                               "the server broke the watch off in the middle of an event"));
  sink_->OnEnd(WatchFault(DecodeStatus(fault_)));
}

}  // namespace skiff::client
