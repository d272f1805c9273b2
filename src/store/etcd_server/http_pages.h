// What an etcd answers to plain HTTP: /version, /health, /livez, /readyz and /metrics.
#pragma once

#include "net/http.h"
#include "store/etcd_server/core.h"

namespace skiff::store {

class HttpPages final : public net::HttpHandler {
 public:
  explicit HttpPages(EtcdServerCore& core) : core_(core) {}
  void Handle(net::HttpRequest request, net::Responder responder) override;

 private:
  net::HttpResponse Answer(const net::HttpRequest& request);
  net::HttpResponse Health(const net::HttpRequest& request);
  net::HttpResponse Checks(const net::HttpRequest& request, bool ready);

  EtcdServerCore& core_;
};

}  // namespace skiff::store
