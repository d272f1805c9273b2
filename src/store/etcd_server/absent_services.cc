// What etcd has besides and this has not. Each method is known by name, so that a client hears what
// is missing, and metrics show who asks for it.
#include <string_view>
#include <utility>

#include "store/etcd_server/services.h"

namespace skiff {
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

void AddAbsentServices(GrpcRouter& router) {
  for (const std::string_view method : kAuthMethods)
    router.AddUnimplemented("etcdserverpb.Auth", method);
  for (const std::string_view method : kElectionMethods)
    router.AddUnimplemented("v3electionpb.Election", method);
  for (const std::string_view method : kLockMethods)
    router.AddUnimplemented("v3lockpb.Lock", method);
  // What an etcd without users says; clients that bring a name go on without.
  router.AddBytes("/etcdserverpb.Auth/Authenticate", [](std::string_view, GrpcResponder responder) {
    std::move(responder).SendStatus(kAuthNotEnabled);
  });
}

}  // namespace skiff
