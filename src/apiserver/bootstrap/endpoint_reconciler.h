// Keeps the endpoints of the service default/kubernetes equal to the API servers that live.
//
// Each server has a key PREFIX/masterleases/IP, a v1 Endpoints with its address, whose lease ends
// soon after the server stops renewing it; kube-apiserver keeps the same keys, so both kinds of
// server may share a store. The endpoints are made from the keys that are there.
//
// Owner: Bootstrap, whose thread alone uses it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "apiserver/bootstrap/system_writer.h"
#include "base/ip_address.h"
#include "base/status.h"
#include "store/store.h"

namespace skiff::apiserver {

class EndpointReconciler {
 public:
  EndpointReconciler(SystemWriter& writer, store::Store& store, const std::string& prefix,
                     const IpAddress& address, uint16_t port)
      : writer_(writer),
        store_(store),
        prefix_(prefix + "/masterleases/"),
        address_(address),
        port_(port) {}

  // Renews this server's key and brings the endpoints up to date.
  Result<void> Reconcile();
  // Takes this server away.
  Result<void> Remove();

 private:
  Result<void> RenewKey();
  Result<void> WriteKey();
  Result<std::vector<std::string>> LiveAddresses();
  Result<void> WriteEndpoints(const std::vector<std::string>& addresses);
  std::string key() const { return prefix_ + address_.ToString(); }

  SystemWriter& writer_;
  store::Store& store_;
  const std::string prefix_;
  const IpAddress address_;
  const uint16_t port_;
  store::LeaseId lease_;
  bool ports_checked_ = false;
};

}  // namespace skiff::apiserver
