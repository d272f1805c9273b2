// An etcd of one member, in memory, that answers wrongly when told to: for faults of the server
// that no real one shows on demand.
//
// Keys, transactions, ranges, compaction and watches work as in etcd, as far as the store uses
// them; leases do not. A test bends what goes out with three hooks, which are called with the
// server's lock held and must not call it:
//
//   etcd->SetHeaderHook([](auto& header) { header.set_cluster_id(7); });
//   etcd->SetWatchHook([](auto response) -> std::vector<…> { return {response, response}; });
//   etcd->SetCallHook([](const std::string& call) { return GrpcStatus{…}; });
//
// Threads: that of its server. Thread-safe.
#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <etcd_rpc.pb.h>

#include "base/clock.h"
#include "base/metrics.h"
#include "base/status.h"
#include "grpc/router.h"
#include "net/server.h"

namespace skiff::testing {

class ScriptedEtcd {
 public:
  using HeaderHook = std::function<void(etcdserverpb::ResponseHeader&)>;
  // What goes out instead of a response with events.
  using WatchHook =
      std::function<std::vector<etcdserverpb::WatchResponse>(etcdserverpb::WatchResponse)>;
  // Asked after "Txn", "Range", … has been carried out: an error goes out instead of the answer.
  using CallHook = std::function<grpc::GrpcStatus(const std::string& call)>;

  static Result<std::unique_ptr<ScriptedEtcd>> Start(std::string version = "3.5.21");
  ~ScriptedEtcd();

  std::string url() const { return "http://" + server_->addresses()[0]; }

  void SetHeaderHook(HeaderHook hook);
  void SetWatchHook(WatchHook hook);
  void SetCallHook(CallHook hook);

  // As if another client wrote. Each returns the revision.
  int64_t Put(const std::string& key, const std::string& value);
  int64_t Delete(const std::string& key);
  int64_t revision();
  void Compact(int64_t revision);
  // Forgets the newest revisions, as a member does that lost what it had acknowledged.
  void GoBackTo(int64_t revision);

  // The watches that are open: what they asked for.
  std::vector<etcdserverpb::WatchCreateRequest> watches();
  // Sends a response as it is to every open watch; only the watch id is filled in.
  void SendRaw(etcdserverpb::WatchResponse response);
  // As when the connection is lost. The watches will come back.
  void BreakWatches();

  // Answers with the present header: for progress marks.
  etcdserverpb::ResponseHeader Header();

 private:
  class WatchHandler;
  struct Stream;
  struct Version {
    int64_t revision = 0;
    int64_t create_revision = 0;
    int64_t version = 0;
    bool deleted = false;
    std::string value;
  };

  explicit ScriptedEtcd(std::string version);
  void AddMethods();
  // A method that `carry_out` does with the lock held, before the hook is asked.
  template <typename Request, typename Response>
  void AddMethod(const std::string& service, const std::string& name,
                 std::function<grpc::GrpcStatus(const Request&, Response&)> carry_out);

  // All of these with the lock held.
  etcdserverpb::ResponseHeader HeaderLocked();
  const Version* FindLocked(const std::string& key, int64_t at) const;
  static mvccpb::KeyValue EntryOf(const std::string& key, const Version& version);
  void WriteLocked(const std::string& key, const std::string* value, int64_t revision,
                   std::vector<mvccpb::Event>& events);
  grpc::GrpcStatus RangeLocked(const etcdserverpb::RangeRequest& request,
                               etcdserverpb::RangeResponse& response);
  grpc::GrpcStatus TxnLocked(const etcdserverpb::TxnRequest& request,
                             etcdserverpb::TxnResponse& response);
  void PublishLocked(const std::vector<mvccpb::Event>& events);
  void SendEventsLocked(Stream& stream, std::vector<mvccpb::Event> events);
  void OpenWatchLocked(Stream& stream, const etcdserverpb::WatchCreateRequest& create);
  std::vector<mvccpb::Event> EventsLocked(const etcdserverpb::WatchCreateRequest& create);
  grpc::GrpcStatus AskHookLocked(const std::string& call);

  const std::string version_;
  std::mutex mutex_;
  HeaderHook header_hook_;
  WatchHook watch_hook_;
  CallHook call_hook_;
  int64_t revision_ = 1;
  int64_t compacted_ = 0;
  std::map<std::string, std::vector<Version>> keys_;
  std::list<Stream*> streams_;

  SystemClock clock_;
  MetricsRegistry metrics_;
  grpc::GrpcRouter router_;
  std::unique_ptr<net::HttpServer> server_;
};

}  // namespace skiff::testing
