// The stream of gRPC under a watch. Internal to store/etcd.
#pragma once

#include <memory>
#include <mutex>
#include <string_view>

#include "store/etcd/core.h"

namespace skiff::store {

class EtcdWatchSession;

// Kept alive by the core from Begin() until the stream has told its end. Calls of the session come
// one at a time, on the thread of the client.
class EtcdWatchStream final : public EtcdTask,
                              public grpc::GrpcCallHandler,
                              public std::enable_shared_from_this<EtcdWatchStream> {
 public:
  EtcdWatchStream(std::shared_ptr<EtcdCore> core, std::shared_ptr<EtcdWatchSession> session,
                  std::shared_ptr<EtcdConnection> connection,
                  etcdserverpb::WatchCreateRequest create);

  void Begin();
  void Cancel() override;
  // Asks for the progress of the stream. Several requests at once are one.
  void AskProgress();
  EtcdConnection& connection() { return *connection_; }

 private:
  void OnMessage(std::string_view bytes) override;
  void OnEnd(const grpc::GrpcStatus& status) override;

  const std::shared_ptr<EtcdCore> core_;
  const std::shared_ptr<EtcdWatchSession> session_;
  const std::shared_ptr<EtcdConnection> connection_;
  const SharedBytes create_;
  bool is_over_ = false;  // nothing that still comes is wanted; on the client's thread

  std::mutex mutex_;
  std::shared_ptr<grpc::GrpcCall> call_;
  bool cancelled_ = false;
};

}  // namespace skiff::store
