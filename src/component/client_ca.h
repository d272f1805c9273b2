// The CA that signs the certificates of clients, as the cluster says: API servers publish it in the
// config map kube-system/extension-apiserver-authentication. It is read again every minute.
#pragma once

#include <functional>
#include <string>

#include "base/log.h"
#include "client/client.h"
#include "component/memory_file.h"

namespace skiff::component {

// What the config map says; "" when there is no CA.
Task<Result<std::string>> ReadClientCa(client::Client client);

// Belongs to the client's executor.
class ClientCaFollower {
 public:
  // `file` holds what was read first; all outlive it.
  ClientCaFollower(client::Client client, std::string current, MemoryFile& file, Log& log);
  ~ClientCaFollower();
  ClientCaFollower(const ClientCaFollower&) = delete;
  ClientCaFollower& operator=(const ClientCaFollower&) = delete;

 private:
  void Schedule();
  void Take(Result<std::string> read);

  client::Client client_;
  Executor& executor_;
  std::string current_;
  MemoryFile& file_;
  Log& log_;
  Executor::TimerId timer_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace skiff::component
