// Calls of gRPC with one request and one answer.
#pragma once

#include <functional>
#include <memory>
#include <string_view>
#include <utility>

#include "grpc/client.h"

namespace skiff::grpc {

// An answer is one message, and a status that says that this is all; anything else is an error.
// Response is any class that protobuf made.
template <typename Response>
class GrpcUnaryHandler final : public GrpcCallHandler {
 public:
  using Done = std::move_only_function<void(GrpcResult<Response>)>;
  explicit GrpcUnaryHandler(Done done) : done_(std::move(done)) {}

  void OnMessage(std::string_view message) override {
    is_well_ = !std::exchange(has_message_, true) &&
               response_.ParseFromArray(message.data(), static_cast<int>(message.size()));
  }
  void OnEnd(const GrpcStatus& status) override {
    if (!status.ok()) return done_(std::unexpected(status));
    if (is_well_) return done_(std::move(response_));
    done_(std::unexpected(GrpcStatus{GrpcCode::kInternal,
                                     has_message_ ? "the answer is not one message that can be read"
                                                  : "the answer has no message"}));
  }

 private:
  Done done_;
  Response response_;
  bool has_message_ = false;
  bool is_well_ = false;
};

// `done` is called once, on the client's thread.
template <typename Response>
std::shared_ptr<GrpcCall> CallUnary(GrpcChannel& channel, GrpcCallOptions options,
                                    SharedBytes request,
                                    typename GrpcUnaryHandler<Response>::Done done) {
  return channel.Start(std::move(options), std::move(request), true,
                       std::make_shared<GrpcUnaryHandler<Response>>(std::move(done)));
}

}  // namespace skiff::grpc
