// The gRPC stream under a watch. Internal to store/etcd.
#pragma once

#include <memory>
#include <mutex>

#include "store/etcd/core.h"

namespace skiff {

class EtcdWatchSession;

// Kept alive by the core from Begin() until gRPC has told its end. Calls of the session come one at
// a time, on threads of gRPC.
class EtcdWatchStream final
    : public EtcdTask,
      public grpc::ClientBidiReactor<etcdserverpb::WatchRequest, etcdserverpb::WatchResponse> {
 public:
  EtcdWatchStream(std::shared_ptr<EtcdCore> core, std::shared_ptr<EtcdWatchSession> session,
                  std::shared_ptr<EtcdConnection> connection,
                  etcdserverpb::WatchCreateRequest create);

  void Begin();
  void Cancel() override { context_.TryCancel(); }
  // Asks for the progress of the stream. Several requests at once are one.
  void AskProgress();
  EtcdConnection& connection() { return *connection_; }

 private:
  void OnWriteDone(bool ok) override;
  void OnReadDone(bool ok) override;
  void OnDone(const grpc::Status& status) override;

  const std::shared_ptr<EtcdCore> core_;
  const std::shared_ptr<EtcdWatchSession> session_;
  const std::shared_ptr<EtcdConnection> connection_;
  grpc::ClientContext context_;
  etcdserverpb::WatchRequest create_;
  etcdserverpb::WatchRequest progress_;
  etcdserverpb::WatchResponse message_;

  std::mutex mutex_;
  bool writing_ = true;
  bool wants_progress_ = false;
  bool over_ = false;  // no more writes: the hold on the stream is gone
};

}  // namespace skiff
