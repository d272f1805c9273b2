// What etcd has besides and this has not. Each method is known by name, so that a client hears what
// is missing, and metrics show who asks for it.
#include <string>
#include <string_view>
#include <utility>

#include "store/etcd_server/services.h"

namespace skiff::store {
namespace {

constexpr std::string_view kAuthMethods[] = {"AuthEnable",
                                             "AuthDisable",
                                             "AuthStatus",
                                             "UserAdd",
                                             "UserGet",
                                             "UserList",
                                             "UserDelete",
                                             "UserChangePassword",
                                             "UserGrantRole",
                                             "UserRevokeRole",
                                             "RoleAdd",
                                             "RoleGet",
                                             "RoleList",
                                             "RoleDelete",
                                             "RoleGrantPermission",
                                             "RoleRevokePermission"};
constexpr std::string_view kElectionMethods[] = {"Campaign", "Proclaim", "Leader", "Observe",
                                                 "Resign"};
constexpr std::string_view kLockMethods[] = {"Lock", "Unlock"};

}  // namespace

void AddAbsentMethod(grpc::GrpcRouter& router, std::string_view service, std::string_view method) {
  router.AddUnimplemented(
      "/" + std::string(service) + "/" + std::string(method),
      {grpc::GrpcCode::kUnimplemented, "etcdserver: not implemented: " + std::string(method) +
                                           " of service " + std::string(service)});
}

void AddAbsentServices(grpc::GrpcRouter& router) {
  for (const std::string_view method : kAuthMethods)
    AddAbsentMethod(router, "etcdserverpb.Auth", method);
  for (const std::string_view method : kElectionMethods)
    AddAbsentMethod(router, "v3electionpb.Election", method);
  for (const std::string_view method : kLockMethods)
    AddAbsentMethod(router, "v3lockpb.Lock", method);
  // What an etcd without users says; clients that bring a name go on without.
  router.AddBytes("/etcdserverpb.Auth/Authenticate",
                  [](std::string_view, grpc::GrpcResponder responder) {
                    std::move(responder).SendStatus(kAuthNotEnabled);
                  });
}

}  // namespace skiff::store
