// One watch over HTTPS: the answer that does not end, decoded as it comes in.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/status.h"
#include "client/client.h"
#include "client/https/api_channel.h"
#include "client/https/watch_decoder.h"
#include "net/client/http_client.h"

namespace skiff::client {

class HttpsWatch final : public ClientWatch, public ApiStreamHandler {
 public:
  // The channel may go first; the sink and the resource may not.
  HttpsWatch(const std::shared_ptr<ApiChannel>& channel, const ApiResource& resource,
             bool metadata_only, net::ClientRequest request, ClientWatchSink* sink);
  ~HttpsWatch() override;

 private:
  void OnAdvice(std::string advice) override { fault_.advice = std::move(advice); }
  void OnHead(int code, const net::HttpHeaders& headers) override;
  void OnBody(std::string_view bytes) override;
  void OnEnd(Result<void> outcome) override;
  // The last word of a watch that is over on this side.
  void Break(Status why);

  const std::weak_ptr<ApiChannel> channel_;
  const ApiResource& resource_;
  const bool metadata_only_;
  ClientWatchSink* const sink_;
  ApiChannel::CallId id_ = 0;
  ApiResponse fault_;  // when the server did not begin the watch
  std::optional<WatchDecoder> decoder_;
  bool ended_ = false;
  // Whether the watch still exists, for who called a sink that may have destroyed it.
  const std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace skiff::client
