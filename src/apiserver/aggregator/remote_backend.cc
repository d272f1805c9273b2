#include "apiserver/aggregator/remote_backend.h"

#include <utility>

#include "apiserver/aggregator/backend_caller.h"
#include "base/aggregation_limits.h"
#include "crypto/digest.h"
#include "serving/request/forwarded_headers.h"

namespace skiff::apiserver {
namespace {

// An answer that is read whole. Owns itself while it is under way.
class Collected final : public net::ResponseHandler {
 public:
  Collected(BackendCaller& caller, size_t max_bytes, Backend::Done done)
      : caller_(caller), max_bytes_(max_bytes), done_(std::move(done)) {}

  static void Start(std::unique_ptr<Collected> call, RemoteBackendPtr backend, CalledAddress at,
                    net::ClientRequest request) {
    Collected* const self = call.release();
    self->id_ = self->caller_.Send(std::move(backend), std::move(at), std::move(request), self);
  }
  void Fail(Status why) { Finish(std::unexpected(std::move(why))); }

  void OnHead(int code, const net::HttpHeaders& headers) override {
    reply_.code = code;
    reply_.headers = headers;
  }
  void OnBody(std::string_view bytes) override {
    caller_.collected_bytes += bytes.size();
    counted_ += bytes.size();
    if (counted_ <= max_bytes_ && caller_.collected_bytes <= limits::kMaxBackendRepliesBytes) {
      reply_.body += bytes;
      return;
    }
    caller_.Cancel(id_);
    End(skiff::Fail(StatusReason::kServiceUnavailable, "its answer is too large"));
  }
  void OnEnd(Result<void> outcome) override {
    if (!outcome) return End(std::unexpected(outcome.error()));
    End(std::move(reply_));
  }

 private:
  void End(Result<BackendReply> reply) {
    const std::unique_ptr<Collected> self(this);
    caller_.collected_bytes -= counted_;
    Finish(std::move(reply));
  }
  void Finish(Result<BackendReply> reply) {
    Backend::Done done = std::move(done_);
    done(std::move(reply));
  }

  BackendCaller& caller_;
  const size_t max_bytes_;
  Backend::Done done_;
  BackendCaller::CallId id_ = 0;
  size_t counted_ = 0;
  BackendReply reply_;
};

Result<net::HttpHeaders> HeadersOf(const BackendRequest& request, const std::string& host) {
  net::HttpHeaders given;
  given.Add("user-agent", "kube-aggregator");
  if (!request.accept.empty()) given.Add("accept", request.accept);
  if (!request.if_none_match.empty()) given.Add("if-none-match", request.if_none_match);
  serving::UserInfo user;
  user.name = request.user;
  user.groups = request.groups;
  return serving::ForwardedRequestHeaders(
      given,
      {.user = user, .audit_id = {}, .remote_address = {}, .host = host, .path = request.path});
}

}  // namespace

RemoteBackend::RemoteBackend(BackendState of, BackendCaller& caller)
    : Backend(std::move(of)),
      caller_(caller),
      trust_key_(crypto::AsBytes(crypto::Sha256(spec().service.HostName() + "\n" +
                                                (spec().insecure ? "any" : spec().ca_pem)))) {}

void RemoteBackend::Get(BackendRequest request, Done done) const {
  auto call = std::make_unique<Collected>(caller_, request.max_bytes, std::move(done));
  Result<CalledAddress> at = caller_.Resolve(spec().service);
  net::ClientRequest out;
  out.path = request.path;
  out.timeout = request.timeout;
  Status fault(StatusReason::kServiceUnavailable, "the server is shutting down");
  if (!at) {
    fault = at.error();
  } else if (Result<net::HttpHeaders> headers =
                 HeadersOf(request, at->host + ":" + std::to_string(at->port));
             !headers) {
    fault = headers.error();
  } else {
    out.headers = std::move(*headers);
  }
  // Whoever asks is not told before the call returns, unless there is nobody who could tell later.
  auto shared = std::make_shared<std::unique_ptr<Collected>>(std::move(call));
  const bool is_ready = !out.headers.fields().empty();
  const bool posted = caller_.Post(
      [shared, backend = shared_from_this(), at, fault, is_ready, out = std::move(out)]() mutable {
        if (!is_ready) return (*shared)->Fail(fault);
        Collected::Start(std::move(*shared), backend, *at, std::move(out));
      });
  if (!posted) {
    (*shared)->Fail(Status(StatusReason::kServiceUnavailable, "the server is shutting down"));
  }
}

}  // namespace skiff::apiserver
