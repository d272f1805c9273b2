// Which streams of watches are open, so that those that asked for it are told from time to time how
// far the store is.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include "grpc/stream.h"

namespace skiff::store {

// A stream's place in the registry.
struct WatchTicket {
  std::shared_ptr<grpc::GrpcOutput> output;
  std::atomic<bool> is_due = false;
};

class WatchRegistry {
 public:
  std::shared_ptr<WatchTicket> Enter(std::shared_ptr<grpc::GrpcOutput> output);
  // Has every stream look after its watches soon, on its own loop. Any thread.
  void Tick();

 private:
  std::mutex mutex_;
  std::vector<std::weak_ptr<WatchTicket>> tickets_;
};

}  // namespace skiff::store
