// Maintenance.Snapshot: a file is written beside, then sent in pieces, then its SHA-256.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "grpc/stream.h"
#include "store/etcd_server/core.h"

namespace skiff::store {

class SnapshotStream final : public grpc::GrpcStreamHandler {
 public:
  SnapshotStream(EtcdServerCore& core, std::shared_ptr<grpc::GrpcOutput> output);

  void OnMessage(std::string_view message) override;
  // Sends some more.
  void OnDrained() override;

 private:
  struct File;
  void SendPiece();

  EtcdServerCore& core_;
  const std::shared_ptr<grpc::GrpcOutput> output_;
  // Shared with the job that writes it, which the call need not wait for.
  const std::shared_ptr<File> file_;
  bool is_asked_ = false;
};

}  // namespace skiff::store
