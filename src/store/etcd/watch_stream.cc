#include "store/etcd/watch_stream.h"

#include <utility>

#include "store/etcd/errors.h"
#include "store/etcd/watch.h"

namespace skiff {

EtcdWatchStream::EtcdWatchStream(std::shared_ptr<EtcdCore> core,
                                 std::shared_ptr<EtcdWatchSession> session,
                                 std::shared_ptr<EtcdConnection> connection,
                                 etcdserverpb::WatchCreateRequest create)
    : core_(std::move(core)), session_(std::move(session)), connection_(std::move(connection)) {
  *create_.mutable_create_request() = std::move(create);
  progress_.mutable_progress_request();
  // A member that loses its leader ends the stream, instead of staying silent.
  RequireEtcdLeader(context_);
}

void EtcdWatchStream::Begin() {
  if (!connection_->AddStream(&context_)) context_.TryCancel();
  connection_->watch->async()->Watch(&context_, this);
  AddHold();  // AskProgress() writes from outside of gRPC's calls
  StartWrite(&create_);
  StartRead(&message_);
  StartCall();
}

void EtcdWatchStream::AskProgress() {
  std::unique_lock lock(mutex_);
  if (over_) return;
  if (writing_) {
    wants_progress_ = true;
    return;
  }
  writing_ = true;
  StartWrite(&progress_);
}

void EtcdWatchStream::OnWriteDone(bool ok) {
  std::unique_lock lock(mutex_);
  writing_ = false;
  if (!ok || over_ || !wants_progress_) return;
  wants_progress_ = false;
  writing_ = true;
  StartWrite(&progress_);
}

void EtcdWatchStream::OnReadDone(bool ok) {
  if (ok && session_->OnMessage(this, message_)) {
    StartRead(&message_);
    return;
  }
  context_.TryCancel();
  std::unique_lock lock(mutex_);
  over_ = true;
  RemoveHold();
}

void EtcdWatchStream::OnDone(const grpc::Status& status) {
  connection_->RemoveStream(&context_);
  // etcd does not end a stream by itself; if it does, in good order, the effect is the same.
  const EtcdFailure failure =
      status.ok() ? ClassifyEtcdError(grpc::StatusCode::UNAVAILABLE, "the stream was closed")
                  : ClassifyEtcdError(status.error_code(), status.error_message());
  session_->OnStreamEnd(this, failure);
  core_->Remove(this);  // destroys this
}

}  // namespace skiff
