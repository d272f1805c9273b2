#include "store/etcd/watch_stream.h"

#include <utility>

#include "store/etcd/errors.h"
#include "store/etcd/watch.h"

namespace skiff::store {
namespace {

SharedBytes CreateFrame(etcdserverpb::WatchCreateRequest create) {
  etcdserverpb::WatchRequest request;
  *request.mutable_create_request() = std::move(create);
  return grpc::FrameMessage(request);
}

SharedBytes ProgressFrame() {
  etcdserverpb::WatchRequest request;
  request.mutable_progress_request();
  return grpc::FrameMessage(request);
}

}  // namespace

EtcdWatchStream::EtcdWatchStream(std::shared_ptr<EtcdCore> core,
                                 std::shared_ptr<EtcdWatchSession> session,
                                 std::shared_ptr<EtcdConnection> connection,
                                 etcdserverpb::WatchCreateRequest create)
    : core_(std::move(core)),
      session_(std::move(session)),
      connection_(std::move(connection)),
      create_(CreateFrame(std::move(create))) {}

void EtcdWatchStream::Begin() {
  std::unique_lock lock(mutex_);
  // A member that loses its leader ends the stream, instead of staying silent.
  call_ = connection_->channel->Start(EtcdCallOptions(kEtcdWatch, Clock::kForever, true), create_,
                                      false, shared_from_this());
  if (!connection_->AddStream(call_) || cancelled_) call_->Cancel();
}

void EtcdWatchStream::Cancel() {
  std::unique_lock lock(mutex_);
  cancelled_ = true;
  if (call_) call_->Cancel();
}

void EtcdWatchStream::AskProgress() {
  std::unique_lock lock(mutex_);
  // What waits to be sent asks for the same.
  if (call_ && call_->unsent() == 0) call_->Send(ProgressFrame());
}

void EtcdWatchStream::OnMessage(std::string_view bytes) {
  if (is_over_) return;
  etcdserverpb::WatchResponse message;
  if (message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size())) &&
      session_->OnMessage(this, message))
    return;
  is_over_ = true;
  Cancel();
}

void EtcdWatchStream::OnEnd(const grpc::GrpcStatus& status) {
  {
    std::unique_lock lock(mutex_);
    connection_->RemoveStream(call_);
  }
  // etcd does not end a stream by itself; if it does, in good order, the effect is the same.
  const EtcdFailure failure = ClassifyEtcdError(
      status.ok() ? grpc::GrpcStatus{grpc::GrpcCode::kUnavailable, "the stream was closed"}
                  : status);
  session_->OnStreamEnd(this, failure);
  core_->Remove(this);
}

}  // namespace skiff::store
