#include <memory>
#include <utility>

#include "store/etcd_server/services.h"

namespace skiff::store {
namespace {

// A HealthCheckResponse whose field 1, the status, is 1: serving.
constexpr std::string_view kServing("\x08\x01", 2);

SharedBytes ServingFrame() {
  return SharedBytes::Make(grpc::kGrpcPrefixBytes + kServing.size(), [](char* out) {
    grpc::WriteGrpcPrefix(out, kServing.size());
    kServing.copy(out + grpc::kGrpcPrefixBytes, kServing.size());
  });
}

// Sends how the server is, which does not change until it ends.
class HealthWatch final : public grpc::GrpcStreamHandler {
 public:
  explicit HealthWatch(std::shared_ptr<grpc::GrpcOutput> output) : output_(std::move(output)) {}
  void OnMessage(std::string_view message) override {
    static_cast<void>(message);
    if (!std::exchange(told_, true)) output_->Send(ServingFrame());
  }

 private:
  const std::shared_ptr<grpc::GrpcOutput> output_;
  bool told_ = false;
};

}  // namespace

void AddHealthService(grpc::GrpcRouter& router) {
  router.AddBytes(
      "/grpc.health.v1.Health/Check", [](std::string_view message, grpc::GrpcResponder responder) {
        // Only the server as a whole is known, whose name is empty.
        const bool is_whole = message.empty() || message == std::string_view("\x0a\0", 2);
        if (is_whole) return std::move(responder).SendFrame(ServingFrame());
        std::move(responder).SendStatus({grpc::GrpcCode::kNotFound, "unknown service"});
      });
  router.AddStream("/grpc.health.v1.Health/Watch", [](std::shared_ptr<grpc::GrpcOutput> output) {
    return std::make_unique<HealthWatch>(std::move(output));
  });
}

}  // namespace skiff::store
