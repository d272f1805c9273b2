// The cluster store in an etcd cluster.
//
// Keys and values pass through untouched; whoever makes keys adds --etcd-prefix. etcd's
// transactions, revisions, watches and leases are those of store.h, so this is a client that keeps
// their promises through lost connections, failing members and elections:
//
// - Requests go to a member that serves. Reads are tried again until EtcdOptions::request_timeout;
//   writes only while it is certain that nothing was changed, otherwise kServerTimeout tells that
//   the outcome is not known. This holds for destroying the store too: a write that was sent is
//   answered with kServerTimeout.
// - A commit that is begun after StartWatch has returned is seen by that watch, also if it begins
//   with "the next" revision.
// - A watch is one gRPC stream. After an interruption it goes on from the next revision it has not
//   told of. If etcd lost data, was restored from an older backup or replaced by another cluster,
//   the watch ends with kExpired. A cluster at the same endpoints, all of them, is then followed.
//
// Threads: one for the connections, on which answers are given and watches told, and one for
// timers; for endpoints with names one each, now and then, that asks for their addresses.
#pragma once

#include <memory>

#include "store/etcd/options.h"
#include "store/store.h"

namespace skiff::store {

class EtcdCore;

class EtcdStore final : public Store {
 public:
  // Checks the options and the TLS files and begins to connect; does not wait for etcd, so an error
  // is one of configuration. Health() tells when etcd can be used.
  static Result<std::unique_ptr<EtcdStore>> Open(EtcdOptions options);
  ~EtcdStore() override;

  void Range(RangeRequest request, StoreCallback<RangeReply> done) override;
  void Commit(Transaction transaction, StoreCallback<CommitReply> done) override;
  void Scan(KeyRange range, ScanSink* sink, StoreCallback<Revision> done) override;
  std::unique_ptr<Watch> StartWatch(WatchRequest request, WatchSink* sink) override;
  void GrantLease(std::chrono::seconds ttl, LeaseId id, StoreCallback<LeaseInfo> done) override;
  void RenewLease(LeaseId id, StoreCallback<LeaseInfo> done) override;
  void RevokeLease(LeaseId id, StoreCallback<Revision> done) override;
  void FindLease(LeaseId id, StoreCallback<LeaseInfo> done) override;
  void Compact(Revision revision, StoreCallback<Revision> done) override;
  void CurrentRevision(StoreCallback<Revision> done) override;
  bool HasReliableProgress() override;
  StoreHealth Health() override;
  void Figures(StoreCallback<StoreFigures> done) override;

 private:
  struct Gate;
  struct Checks;
  explicit EtcdStore(std::shared_ptr<EtcdCore> core);

  const std::shared_ptr<EtcdCore> core_;
  const std::shared_ptr<Gate> gate_;
  const std::shared_ptr<Checks> checks_;
};

}  // namespace skiff::store
