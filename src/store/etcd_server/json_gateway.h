// etcd's JSON gateway: its methods as POST /v3/…, with messages in JSON (json_transcode.h), over
// HTTP/1.1 and HTTP/2. Methods with streams take any number of objects, one behind the other, and
// answer with a line for each message, {"result": …} or, at the end, {"error": …}.
//
// Browsers send what the pages of others ask for, also to addresses of this machine alone. So what
// comes from a page of another host (Origin) is refused.
//
// Whatever is not under /v3/ goes to another handler.
#pragma once

#include "grpc/router.h"
#include "net/http.h"

namespace skiff::store {

class JsonGateway final : public net::HttpHandler {
 public:
  // `other` outlives it, and so does the router, which is set before the first request.
  explicit JsonGateway(HttpHandler* other) : other_(other) {}
  void SetRouter(grpc::GrpcRouter* router) { router_ = router; }

  void Handle(net::HttpRequest request, net::Responder responder) override;
  void HandleTooLarge(net::HttpRequest request, net::Responder responder) override;

 private:
  void HandleStreams(const std::string& method, const net::HttpRequest& request,
                     net::Responder responder);

  HttpHandler* const other_;
  grpc::GrpcRouter* router_ = nullptr;
};

}  // namespace skiff::store
