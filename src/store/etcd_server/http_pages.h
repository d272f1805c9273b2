// What an etcd answers to plain HTTP: /version, /health, /livez, /readyz and /metrics.
#pragma once

#include "net/http.h"
#include "store/etcd_server/core.h"

namespace skiff {

class HttpPages final : public HttpHandler {
 public:
  explicit HttpPages(EtcdServerCore& core) : core_(core) {}
  void Handle(HttpRequest request, Responder responder) override;

 private:
  HttpResponse Answer(const HttpRequest& request);
  HttpResponse Health(const HttpRequest& request);
  HttpResponse Checks(const HttpRequest& request, bool ready);

  EtcdServerCore& core_;
};

}  // namespace skiff
