#include <string_view>
#include <utility>

#include "store/etcd_server/services.h"

namespace skiff::store {
namespace {

using etcdserverpb::MemberListRequest;
using etcdserverpb::MemberListResponse;

void HandleMemberList(EtcdServerCore& core, grpc::GrpcReply<MemberListResponse> reply) {
  MemberListResponse response;
  core.FillHeader(response);
  auto* member = response.add_members();
  member->set_id(core.member_id());
  member->set_name(core.options().name);
  for (const std::string& url : core.options().peer_urls) member->add_peerurls(url);
  for (const std::string& url : core.options().client_urls) member->add_clienturls(url);
  reply(response);
}

}  // namespace

void AddClusterService(grpc::GrpcRouter& router, EtcdServerCore& core) {
  router.Add<MemberListRequest, MemberListResponse>(
      "/etcdserverpb.Cluster/MemberList",
      [&core](auto, auto reply) { HandleMemberList(core, std::move(reply)); });
  for (const std::string_view method :
       {"MemberAdd", "MemberRemove", "MemberUpdate", "MemberPromote"}) {
    AddAbsentMethod(router, "etcdserverpb.Cluster", method);
  }
}

}  // namespace skiff::store
