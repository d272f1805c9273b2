// A call of gRPC in which either side may send many messages: what the server sends, and what
// handles what the client sends.
//
// Messages that the client has not taken yet are kept here. How many that may be is for the handler
// to see to, which is asked for more when all have been taken.
#pragma once

#include <atomic>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string_view>

#include "base/shared_bytes.h"
#include "grpc/frame.h"
#include "grpc/status.h"
#include "net/http.h"

namespace skiff::grpc {

// The sending side. Any thread may use it, also after the client has gone.
class GrpcOutput {
 public:
  // A framed message. Ignored after Finish().
  void Send(SharedBytes frame);
  // After the messages that are there. The first one counts.
  void Finish(const GrpcStatus& status);
  // Called once, by Finish(): by the first one, or at once if that has been. One only.
  void SetOnFinish(std::function<void()> on_finish);
  // What waits for the client.
  size_t queued_bytes() const { return queued_bytes_.load(std::memory_order_relaxed); }
  // Has the handler's OnDrained() called soon if nothing waits.
  void Wake();

 private:
  friend class GrpcStreamSource;
  std::mutex mutex_;
  std::deque<SharedBytes> queue_;
  size_t front_sent_ = 0;
  std::atomic<size_t> queued_bytes_ = 0;
  bool finished_ = false;
  GrpcStatus status_;
  std::function<void()> wake_;
  std::function<void()> on_finish_;
};

// One call. All on the loop of its connection; destroyed when the call is over.
class GrpcStreamHandler {
 public:
  virtual ~GrpcStreamHandler() = default;
  virtual void OnMessage(std::string_view message) = 0;
  // The client will send no more, but still reads.
  virtual void OnInputEnd() {}
  // Nothing waits for the client any more.
  virtual void OnDrained() {}
};

using GrpcStreamFactory =
    std::function<std::unique_ptr<GrpcStreamHandler>(std::shared_ptr<GrpcOutput>)>;

// The two directions of a call that has begun: what the answer is made of, and what the requests
// go to.
struct GrpcStreamCall {
  std::unique_ptr<net::BodySource> source;
  std::unique_ptr<net::RequestSink> sink;
};
GrpcStreamCall MakeGrpcStream(const GrpcStreamFactory& make, std::shared_ptr<GrpcOutput> output,
                              size_t max_message_bytes, GrpcEncoding encoding);
net::HttpResponse GrpcStreamResponse(std::unique_ptr<net::BodySource> source);

}  // namespace skiff::grpc
