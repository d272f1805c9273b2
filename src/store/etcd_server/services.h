// etcd's services, each of which adds its methods to a router. The core and the streams outlive the
// router's calls.
#pragma once

#include <string_view>

#include "grpc/router.h"
#include "store/etcd_server/core.h"
#include "store/etcd_server/watch_registry.h"

namespace skiff::store {

void AddKvService(grpc::GrpcRouter& router, EtcdServerCore& core);
void AddWatchService(grpc::GrpcRouter& router, EtcdServerCore& core, WatchRegistry& registry);
void AddLeaseService(grpc::GrpcRouter& router, EtcdServerCore& core);
void AddMaintenanceService(grpc::GrpcRouter& router, EtcdServerCore& core);
// A cluster of one, which stays one.
void AddClusterService(grpc::GrpcRouter& router, EtcdServerCore& core);
// Users and roles, elections and locks: none of them is there, and each method says so.
void AddAbsentServices(grpc::GrpcRouter& router);
// One method that etcd has and this has not, which says so.
void AddAbsentMethod(grpc::GrpcRouter& router, std::string_view service, std::string_view method);
// grpc.health.v1
void AddHealthService(grpc::GrpcRouter& router);

}  // namespace skiff::store
