#include "store/etcd_server/json_gateway.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "base/limits.h"
#include "base/strings.h"
#include "object/json/json_text.h"
#include "store/etcd_server/etcd_errors.h"
#include "store/etcd_server/json_transcode.h"
#include "store/etcd_server/proto_schema.h"

namespace skiff::store {
namespace {

constexpr std::string_view kRoot = "/v3/";

struct Route {
  std::string_view path;    // behind the root
  std::string_view method;  // of gRPC
};

constexpr Route kRoutes[] = {
    {"kv/range", "/etcdserverpb.KV/Range"},
    {"kv/put", "/etcdserverpb.KV/Put"},
    {"kv/deleterange", "/etcdserverpb.KV/DeleteRange"},
    {"kv/txn", "/etcdserverpb.KV/Txn"},
    {"kv/compaction", "/etcdserverpb.KV/Compact"},
    {"watch", "/etcdserverpb.Watch/Watch"},
    {"lease/grant", "/etcdserverpb.Lease/LeaseGrant"},
    {"lease/revoke", "/etcdserverpb.Lease/LeaseRevoke"},
    {"kv/lease/revoke", "/etcdserverpb.Lease/LeaseRevoke"},
    {"lease/keepalive", "/etcdserverpb.Lease/LeaseKeepAlive"},
    {"lease/timetolive", "/etcdserverpb.Lease/LeaseTimeToLive"},
    {"kv/lease/timetolive", "/etcdserverpb.Lease/LeaseTimeToLive"},
    {"lease/leases", "/etcdserverpb.Lease/LeaseLeases"},
    {"kv/lease/leases", "/etcdserverpb.Lease/LeaseLeases"},
    {"cluster/member/add", "/etcdserverpb.Cluster/MemberAdd"},
    {"cluster/member/remove", "/etcdserverpb.Cluster/MemberRemove"},
    {"cluster/member/update", "/etcdserverpb.Cluster/MemberUpdate"},
    {"cluster/member/list", "/etcdserverpb.Cluster/MemberList"},
    {"cluster/member/promote", "/etcdserverpb.Cluster/MemberPromote"},
    {"maintenance/alarm", "/etcdserverpb.Maintenance/Alarm"},
    {"maintenance/status", "/etcdserverpb.Maintenance/Status"},
    {"maintenance/defragment", "/etcdserverpb.Maintenance/Defragment"},
    {"maintenance/hash", "/etcdserverpb.Maintenance/Hash"},
    {"maintenance/hashkv", "/etcdserverpb.Maintenance/HashKV"},
    {"maintenance/snapshot", "/etcdserverpb.Maintenance/Snapshot"},
    {"maintenance/transfer-leadership", "/etcdserverpb.Maintenance/MoveLeader"},
    {"maintenance/downgrade", "/etcdserverpb.Maintenance/Downgrade"},
    {"auth/authenticate", "/etcdserverpb.Auth/Authenticate"},
    {"auth/enable", "/etcdserverpb.Auth/AuthEnable"},
    {"auth/disable", "/etcdserverpb.Auth/AuthDisable"},
    {"auth/status", "/etcdserverpb.Auth/AuthStatus"},
    {"auth/user/add", "/etcdserverpb.Auth/UserAdd"},
    {"auth/user/get", "/etcdserverpb.Auth/UserGet"},
    {"auth/user/list", "/etcdserverpb.Auth/UserList"},
    {"auth/user/delete", "/etcdserverpb.Auth/UserDelete"},
    {"auth/user/changepw", "/etcdserverpb.Auth/UserChangePassword"},
    {"auth/user/grant", "/etcdserverpb.Auth/UserGrantRole"},
    {"auth/user/revoke", "/etcdserverpb.Auth/UserRevokeRole"},
    {"auth/role/add", "/etcdserverpb.Auth/RoleAdd"},
    {"auth/role/get", "/etcdserverpb.Auth/RoleGet"},
    {"auth/role/list", "/etcdserverpb.Auth/RoleList"},
    {"auth/role/delete", "/etcdserverpb.Auth/RoleDelete"},
    {"auth/role/grant", "/etcdserverpb.Auth/RoleGrantPermission"},
    {"auth/role/revoke", "/etcdserverpb.Auth/RoleRevokePermission"},
    {"lock/lock", "/v3lockpb.Lock/Lock"},
    {"lock/unlock", "/v3lockpb.Lock/Unlock"},
    {"election/campaign", "/v3electionpb.Election/Campaign"},
    {"election/proclaim", "/v3electionpb.Election/Proclaim"},
    {"election/leader", "/v3electionpb.Election/Leader"},
    {"election/observe", "/v3electionpb.Election/Observe"},
    {"election/resign", "/v3electionpb.Election/Resign"},
};

int HttpCode(grpc::GrpcCode code) {
  switch (code) {
    case grpc::GrpcCode::kOk:
      return 200;
    case grpc::GrpcCode::kCanceled:
      return 408;
    case grpc::GrpcCode::kInvalidArgument:
    case grpc::GrpcCode::kFailedPrecondition:
    case grpc::GrpcCode::kOutOfRange:
      return 400;
    case grpc::GrpcCode::kDeadlineExceeded:
      return 504;
    case grpc::GrpcCode::kNotFound:
      return 404;
    case grpc::GrpcCode::kPermissionDenied:
      return 403;
    case grpc::GrpcCode::kResourceExhausted:
      return 429;
    case grpc::GrpcCode::kUnimplemented:
      return 501;
    case grpc::GrpcCode::kUnavailable:
      return 503;
    default:
      return 500;
  }
}

net::HttpResponse JsonResponse(int code, std::string_view body) {
  net::HttpResponse response;
  response.code = code;
  response.headers.Add("content-type", "application/json");
  response.body = SharedBytes(body);
  return response;
}

// As etcd 3.4 to 3.6 have it, together: clients look for one or the other.
net::HttpResponse ErrorResponse(const grpc::GrpcStatus& status) {
  const std::string text = object::JsonText(status.message);
  return JsonResponse(HttpCode(status.code),
                      "{\"error\":" + text + ",\"message\":" + text +
                          ",\"code\":" + std::to_string(static_cast<int>(status.code)) + "}");
}

net::HttpResponse AnswerOf(const grpc::GrpcResult<SharedBytes>& result,
                           const ProtoMessage& message) {
  if (!result) return ErrorResponse(result.error());
  ByteBuffer json;
  if (Result<void> made = ProtoToJson(result->view().substr(grpc::kGrpcPrefixBytes), message, json);
      !made)
    return ErrorResponse(FromStore(made.error()));
  return JsonResponse(200, json.view());
}

// The first of the objects in a text, which is left with the rest. Empty: there is no more. What is
// no object is taken as a whole, and whoever reads it finds that out.
std::string_view TakeObject(std::string_view& text) {
  text = TrimSpace(text);
  int depth = 0;
  bool is_in_string = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (is_in_string) {
      if (c == '\\') ++i;
      is_in_string = c != '"';
      continue;
    }
    is_in_string = c == '"';
    if (c == '{' || c == '[') ++depth;
    if ((c == '}' || c == ']') && --depth <= 0) {
      const std::string_view object = text.substr(0, i + 1);
      text.remove_prefix(i + 1);
      return object;
    }
  }
  return std::exchange(text, {});
}

// Frames of gRPC, as lines of JSON.
class LineSource final : public net::BodySource {
 public:
  LineSource(std::unique_ptr<BodySource> inner, const ProtoMessage& message)
      : inner_(std::move(inner)), message_(message), reader_(SIZE_MAX) {}

  void OnStart(std::function<void()> wake) override { inner_->OnStart(std::move(wake)); }

  Result<State> Read(ByteBuffer& out, size_t room) override {
    ByteBuffer frames;
    SKIFF_ASSIGN_OR_RETURN(const State state, inner_->Read(frames, room));
    Result<void> made;
    const grpc::GrpcStatus read = reader_.Read(frames.view(), [&](std::string_view bytes) {
      if (!made) return;
      out.Append("{\"result\":");
      made = ProtoToJson(bytes, message_, out);
      out.Append("}\n");
    });
    SKIFF_RETURN_IF_ERROR(std::move(made));
    if (!read.ok()) return Fail(StatusReason::kInternalError, read.message);
    if (state == State::kEnd) AppendError(out);
    return state;
  }

 private:
  void AppendError(ByteBuffer& out) {
    const net::HttpHeaders trailers = inner_->Trailers();
    const std::string_view code = trailers.Get("grpc-status");
    if (code == "0") return;
    const std::string text = object::JsonText(trailers.Get("grpc-message"));
    out.Append("{\"error\":{\"grpc_code\":" + std::string(code) + ",\"code\":" + std::string(code) +
               ",\"message\":" + text + "}}\n");
  }

  const std::unique_ptr<BodySource> inner_;
  const ProtoMessage& message_;
  grpc::GrpcReader reader_;
};

// Whether a browser sends this for a page of another host. Nothing but browsers says an origin.
bool IsCrossOrigin(const net::HttpRequest& request) {
  const std::string_view origin = request.headers.Get("origin");
  if (origin.empty()) return false;
  const size_t at = origin.find("://");
  return at == std::string_view::npos || origin.substr(at + 3) != request.headers.Get("host");
}

}  // namespace

void JsonGateway::Handle(net::HttpRequest request, net::Responder responder) {
  if (!request.path.starts_with(kRoot))
    return other_->Handle(std::move(request), std::move(responder));
  if (IsCrossOrigin(request)) {
    return std::move(responder).Respond(ErrorResponse(
        {grpc::GrpcCode::kPermissionDenied, "pages of other origins may not ask here"}));
  }
  const std::string_view path = std::string_view(request.path).substr(kRoot.size());
  const auto route = std::ranges::find(kRoutes, path, &Route::path);
  if (route == std::end(kRoutes))
    return std::move(responder).Respond(net::PlainTextResponse(404, "Not Found\n"));
  if (request.method != "POST") {
    net::HttpResponse refusal = net::PlainTextResponse(405, "Method Not Allowed\n");
    refusal.headers.Add("allow", "POST");
    return std::move(responder).Respond(std::move(refusal));
  }
  const std::string method_path(route->method);
  const ProtoMethod* method = ProtoSchema::OfEtcd().FindMethod(method_path);
  if (method != nullptr && method->has_streams)
    return HandleStreams(method_path, request, std::move(responder));
  std::string message;
  // Services that are not here have no messages either.
  if (method != nullptr) {
    Result<std::string> read = JsonToProto(request.body, *method->request, request.body.size());
    if (!read) {
      return std::move(responder).Respond(
          ErrorResponse({grpc::GrpcCode::kInvalidArgument, read.error().message()}));
    }
    message = *std::move(read);
  }
  router_->Call(method_path, message,
                [method, responder = std::move(responder)](auto result) mutable {
                  static const ProtoMessage kNothing;
                  std::move(responder).Respond(
                      AnswerOf(result, method == nullptr ? kNothing : *method->response));
                });
}

void JsonGateway::HandleStreams(const std::string& path, const net::HttpRequest& request,
                                net::Responder responder) {
  const ProtoMethod& method = *ProtoSchema::OfEtcd().FindMethod(path);
  std::vector<std::string> messages;
  std::string_view rest = request.body;
  do {
    Result<std::string> read = JsonToProto(TakeObject(rest), *method.request, request.body.size());
    if (!read) {
      return std::move(responder).Respond(
          ErrorResponse({grpc::GrpcCode::kInvalidArgument, read.error().message()}));
    }
    messages.push_back(*std::move(read));
  } while (!TrimSpace(rest).empty());
  grpc::GrpcStreamCall call = router_->CallStream(path);
  net::HttpResponse response = JsonResponse(200, "");
  response.source = std::make_unique<LineSource>(std::move(call.source), *method.response);
  std::move(responder).Respond(std::move(response));
  for (const std::string& message : messages) {
    std::string prefix(grpc::kGrpcPrefixBytes, '\0');
    grpc::WriteGrpcPrefix(prefix.data(), message.size());
    call.sink->OnBytes(prefix);
    call.sink->OnBytes(message);
  }
  call.sink->OnEnd();
}

void JsonGateway::HandleTooLarge(net::HttpRequest request, net::Responder responder) {
  if (!request.path.starts_with(kRoot))
    return other_->HandleTooLarge(std::move(request), std::move(responder));
  std::move(responder).Respond(ErrorResponse(kRequestTooLarge));
}

}  // namespace skiff::store
