// etcd's services, each of which adds its methods to a router. The core and the streams outlive the
// router's calls.
#pragma once

#include "store/etcd_server/core.h"
#include "store/etcd_server/grpc_router.h"
#include "store/etcd_server/watch_registry.h"

namespace skiff {

void AddKvService(GrpcRouter& router, EtcdCore& core);
void AddWatchService(GrpcRouter& router, EtcdCore& core, WatchRegistry& registry);
void AddLeaseService(GrpcRouter& router, EtcdCore& core);
void AddMaintenanceService(GrpcRouter& router, EtcdCore& core);
// A cluster of one, which stays one.
void AddClusterService(GrpcRouter& router, EtcdCore& core);
// There are no users and roles.
void AddAuthService(GrpcRouter& router);
// grpc.health.v1
void AddHealthService(GrpcRouter& router);

}  // namespace skiff
