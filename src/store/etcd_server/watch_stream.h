// One stream of watches: requests to create, cancel and report on watches come in; events of all of
// them go out, in the order in which they happened for each.
//
// Requests and everything that starts or ends a watch belong to the loop of the connection; events
// come on threads of the store. What a client does not read is not piled up: beyond a bound a watch
// lags, its events are left in the store's log, and it starts again from there once the client has
// taken what was waiting.
//
// A progress report for the whole stream (watch id -1) says that all of its watches have been told
// of everything up to a revision. The store answers each watch between commits, so what the last of
// them hears holds for all that do not lag.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <span>
#include <string_view>

#include "grpc/stream.h"
#include "store/etcd_server/core.h"
#include "store/etcd_server/watch_registry.h"
#include "store/store.h"

namespace skiff::store {

class WatchStream final : public grpc::GrpcStreamHandler {
 public:
  WatchStream(EtcdServerCore& core, WatchRegistry& registry,
              std::shared_ptr<grpc::GrpcOutput> output);
  ~WatchStream() override;

  void OnMessage(std::string_view message) override;
  void OnDrained() override;

 private:
  class Entry;

  void Create(const etcdserverpb::WatchCreateRequest& request);
  void Refuse(std::string_view reason);
  void Cancel(int64_t id);
  void RequestProgress();
  void Start(Entry& entry);
  void RestartLagging();
  void RemoveEnded();
  void ReportProgressIfQuiet();

  // From threads of the store.
  void OnEvents(Entry& entry, std::span<const Event> events);
  void OnProgress(Entry& entry, Revision revision);
  void OnEnd(Entry& entry, const Status& why);

  void SendEvents(const Entry& entry, std::span<const Event> events);
  void Send(etcdserverpb::WatchResponse& response);

  EtcdServerCore& core_;
  const std::shared_ptr<grpc::GrpcOutput> output_;
  const std::shared_ptr<WatchTicket> ticket_;

  std::mutex mutex_;  // guards what follows, and the state of entries
  std::map<int64_t, std::unique_ptr<Entry>> entries_;
  std::set<int64_t> unreported_;  // watches whose word the progress report waits for
  bool some_lag_ = false;
  bool some_ended_ = false;
  int64_t next_id_ = 0;
};

}  // namespace skiff::store
