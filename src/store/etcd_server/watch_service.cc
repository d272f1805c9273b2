#include <memory>
#include <utility>

#include "store/etcd_server/services.h"
#include "store/etcd_server/watch_stream.h"

namespace skiff::store {

void AddWatchService(grpc::GrpcRouter& router, EtcdServerCore& core, WatchRegistry& registry) {
  router.AddStream("/etcdserverpb.Watch/Watch",
                   [&core, &registry](std::shared_ptr<grpc::GrpcOutput> output) {
                     return std::make_unique<WatchStream>(core, registry, std::move(output));
                   });
}

}  // namespace skiff::store
