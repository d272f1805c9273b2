// Finds the method of gRPC that a request calls; whatever is not gRPC goes to another handler.
//
// Methods are added before the server starts and stay. Calls of methods with one request and one
// answer are handled on the loop of their connection and may be answered from any thread. Streams
// last until either side ends them. If the client has given a call a time that passes first, either
// kind ends with it.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/metrics.h"
#include "base/timers.h"
#include "grpc/frame.h"
#include "grpc/status.h"
#include "grpc/stream.h"
#include "net/http.h"

namespace skiff::grpc {

// Answers one call, once, with a framed message or a status.
class GrpcResponder {
 public:
  using Done = std::move_only_function<void(GrpcResult<SharedBytes>)>;

  explicit GrpcResponder(Done done) : done_(std::move(done)) {}
  void SendFrame(SharedBytes frame) && { done_(std::move(frame)); }
  void SendStatus(const GrpcStatus& status) && { done_(std::unexpected(status)); }

 private:
  Done done_;
};

// The same for a method whose answer is a Message of protobuf.
template <typename Message>
class GrpcReply {
 public:
  explicit GrpcReply(GrpcResponder responder) : responder_(std::move(responder)) {}
  void operator()(const Message& message) {
    std::move(responder_).SendFrame(FrameMessage(message));
  }
  void operator()(const GrpcStatus& status) { std::move(responder_).SendStatus(status); }
  void operator()(const GrpcResult<Message>& result) {
    if (result) {
      (*this)(*result);
    } else {
      (*this)(result.error());
    }
  }

 private:
  GrpcResponder responder_;
};

class GrpcRouter final : public net::HttpHandler {
 public:
  using BytesMethod = std::function<void(std::string_view message, GrpcResponder)>;

  // `other` and the clock outlive the router.
  GrpcRouter(HttpHandler* other, MetricsRegistry& metrics, Clock& clock, size_t max_message_bytes);

  // "/etcdserverpb.KV/Range"
  void AddBytes(std::string path, BytesMethod method);
  template <typename Request, typename Response>
  void Add(std::string path, std::function<void(Request, GrpcReply<Response>)> method) {
    AddBytes(std::move(path),
             [method = std::move(method)](std::string_view message, GrpcResponder responder) {
               Request request;
               if (!request.ParseFromArray(message.data(), static_cast<int>(message.size()))) {
                 return std::move(responder).SendStatus(
                     {GrpcCode::kInternal, "grpc: error unmarshalling request"});
               }
               method(std::move(request), GrpcReply<Response>(std::move(responder)));
             });
  }
  void AddStream(std::string path, GrpcStreamFactory factory);
  // A method that is known and not there, and what is said of it.
  void AddUnimplemented(std::string path, GrpcStatus status);

  // Ends all streams and refuses further ones. Any thread.
  void EndStreams(const GrpcStatus& status);

  // Calls from within, for who speaks another protocol: a method with one request, and one with
  // streams. On the loop of the connection.
  void Call(const std::string& path, std::string_view message, GrpcResponder::Done done);
  // The method must be one with streams.
  GrpcStreamCall CallStream(const std::string& path);
  size_t max_message_bytes() const { return max_message_bytes_; }

  void Handle(net::HttpRequest request, net::Responder responder) override;
  void HandleTooLarge(net::HttpRequest request, net::Responder responder) override;
  std::unique_ptr<net::RequestSink> HandleStream(net::HttpRequest& request,
                                                 net::Responder& responder) override;

 private:
  struct Method {
    BytesMethod bytes;         // or
    GrpcStreamFactory stream;  // or neither:
    GrpcStatus unimplemented;
    std::string service;
    std::string name;
  };

  Method& AddMethod(std::string path);
  const Method* Find(const std::string& path) const;
  std::shared_ptr<GrpcOutput> NewOutput();
  GrpcStreamCall StartStream(const Method& method, GrpcEncoding encoding,
                             std::optional<Duration> timeout);
  static GrpcResult<std::optional<Duration>> TimeoutOf(const net::HttpRequest& request);
  void CallMethod(const Method& method, std::string_view message, GrpcResponder::Done done);
  GrpcResponder::Done WithDeadline(Duration timeout, GrpcResponder::Done done);

  HttpHandler* const other_;
  const size_t max_message_bytes_;
  Timers deadlines_;
  CounterFamily& started_;
  CounterFamily& handled_;
  std::unordered_map<std::string, Method> methods_;

  std::mutex mutex_;
  std::vector<std::weak_ptr<GrpcOutput>> outputs_;
  size_t sweep_at_ = 64;             // outputs that are gone are forgotten when there are so many
  std::optional<GrpcStatus> ended_;  // what streams that come now are told
};

}  // namespace skiff::grpc
