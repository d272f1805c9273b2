#include "store/etcd/etcd_store.h"

#include <charconv>
#include <utility>

#include "base/limits.h"
#include "store/check.h"
#include "store/etcd/call.h"
#include "store/etcd/convert.h"
#include "store/etcd/core.h"
#include "store/etcd/lease.h"
#include "store/etcd/range.h"
#include "store/etcd/watch.h"

namespace skiff::store {
namespace {

using TxnCall = EtcdCall<etcdserverpb::TxnRequest, etcdserverpb::TxnResponse>;
using CompactCall = EtcdCall<etcdserverpb::CompactionRequest, etcdserverpb::CompactionResponse>;
using StatusCall = EtcdCall<etcdserverpb::StatusRequest, etcdserverpb::StatusResponse>;

// While something is wrong the check is repeated this often.
constexpr Duration kUnhealthyInterval = std::chrono::seconds(1);
// Where API servers that share an etcd note what they have compacted.
constexpr char kCompactKey[] = "compact_rev_key";

bool ChangedSomething(const etcdserverpb::TxnResponse& response) {
  if (!response.succeeded()) return false;
  for (const auto& op : response.responses()) {
    if (op.has_response_put() || op.response_delete_range().deleted() > 0) return true;
  }
  return false;
}

}  // namespace

// Holds commits back while a watch that begins with "the next" revision learns which one that is,
// so that a commit which follows it is seen by it.
struct EtcdStore::Gate {
  std::mutex mutex;
  int watches = 0;
  std::vector<std::move_only_function<void()>> held;

  void Pass(std::move_only_function<void()> run) {
    {
      std::unique_lock lock(mutex);
      if (watches > 0 && held.size() < limits::kMaxStoreQueuedTransactions) {
        held.push_back(std::move(run));
        return;
      }
    }
    run();
  }

  void Open() {
    std::vector<std::move_only_function<void()>> run;
    {
      std::unique_lock lock(mutex);
      if (--watches > 0) return;
      run = std::exchange(held, {});
    }
    for (auto& one : run) one();
  }
};

// The background check behind Health(), which is made from time to time, and at once when a member
// that served has failed.
struct EtcdStore::Checks : std::enable_shared_from_this<Checks> {
  explicit Checks(std::shared_ptr<EtcdCore> c) : core(std::move(c)) {}

  void Run() {
    if (core->closing()) return;
    {
      std::unique_lock lock(mutex);
      if (std::exchange(is_running, true)) return;
    }
    core->members().Refresh();
    EtcdCallKind kind;
    kind.timeout = kind.attempt_timeout = core->options().health_timeout;
    StartEtcdRevision(
        core, [self = shared_from_this()](Result<Revision> revision) { self->OnAnswer(revision); },
        kind);
  }

  void OnAnswer(const Result<Revision>& revision) {
    const bool out_of_space = core->members().Alarms().find("NOSPACE") != std::string::npos;
    core->out_of_space = out_of_space;
    {
      std::unique_lock lock(mutex);
      error = revision ? "" : revision.error().message();
    }
    if (!revision) core->served = false;
    const bool is_well = revision.has_value() && !out_of_space;
    const Duration pause = core->options().health_interval;
    uint64_t now = 0;
    {
      std::unique_lock lock(mutex);
      is_running = false;
      now = ++answers;
    }
    if (core->closing()) return;
    core->timers().After(is_well ? pause : std::min(pause, kUnhealthyInterval),
                         [self = shared_from_this(), now] { self->RunUnlessAfter(now); });
  }

  // Whoever has made a check since has also seen to the next one.
  void RunUnlessAfter(uint64_t answer) {
    {
      std::unique_lock lock(mutex);
      if (answers != answer) return;
    }
    Run();
  }

  void OnTrouble() {
    {
      std::unique_lock lock(mutex);
      // While something is wrong, checks follow upon each other as it is.
      if (is_running || !error.empty()) return;
    }
    core->timers().After(Duration(0), [self = shared_from_this()] { self->Run(); });
  }

  const std::shared_ptr<EtcdCore> core;
  std::mutex mutex;
  std::string error = "etcd has not answered yet";
  bool is_running = false;
  uint64_t answers = 0;
};

EtcdStore::EtcdStore(std::shared_ptr<EtcdCore> core)
    : core_(std::move(core)),
      gate_(std::make_shared<Gate>()),
      checks_(std::make_shared<Checks>(core_)) {
  core_->on_trouble = [checks = std::weak_ptr(checks_)] {
    if (const auto alive = checks.lock()) alive->OnTrouble();
  };
}

Result<std::unique_ptr<EtcdStore>> EtcdStore::Open(EtcdOptions options) {
  SKIFF_ASSIGN_OR_RETURN(std::vector<EtcdEndpoint> endpoints, CheckEtcdOptions(options));
  for (const EtcdEndpoint& endpoint : endpoints) {
    // Only to tell of unreadable files now; connections are made by the members.
    SKIFF_RETURN_IF_ERROR(ReadEtcdCertificates(options, endpoint));
  }
  SKIFF_ASSIGN_OR_RETURN(std::unique_ptr<grpc::GrpcClient> client,
                         grpc::GrpcClient::Start(*options.clock, "etcd-client"));
  auto core =
      std::make_shared<EtcdCore>(std::move(options), std::move(endpoints), std::move(client));
  std::unique_ptr<EtcdStore> out(new EtcdStore(core));
  core->Start();
  out->checks_->Run();
  return out;
}

EtcdStore::~EtcdStore() { core_->Close(); }

void EtcdStore::Range(RangeRequest request, StoreCallback<RangeReply> done) {
  StartEtcdRange(core_, std::move(request), std::move(done));
}

void EtcdStore::Scan(KeyRange range, ScanSink* sink, StoreCallback<Revision> done) {
  StartEtcdScan(core_, std::move(range), sink, std::move(done));
}

void EtcdStore::CurrentRevision(StoreCallback<Revision> done) {
  StartEtcdRevision(core_, std::move(done));
}

void EtcdStore::Commit(Transaction transaction, StoreCallback<CommitReply> done) {
  if (auto checked = CheckTransaction(transaction); !checked)
    return done(std::unexpected(std::move(checked).error()));
  const size_t conditions = transaction.conditions.size();
  auto message = ToTxn(transaction);
  const size_t bytes = message.ByteSizeLong();
  if (core_->commit_bytes.fetch_add(bytes) + bytes > limits::kMaxStoreQueuedBytes) {
    core_->commit_bytes -= bytes;
    return done(Fail(StatusReason::kTooManyRequests,
                     "too many bytes are on their way to etcd; try again later"));
  }
  EtcdCallKind kind;
  kind.read = false;
  gate_->Pass([core = core_, kind, conditions, bytes, message = std::move(message),
               done = std::move(done)]() mutable {
    TxnCall::Start(core, kind, kEtcdTxn, message,
                   [core, conditions, bytes, done = std::move(done)](auto response) mutable {
                     core->commit_bytes -= bytes;
                     if (!response) return done(std::unexpected(std::move(response).error()));
                     if (ChangedSomething(*response)) ++core->commits;
                     done(TakeCommitReply(*response, conditions));
                   });
  });
}

std::unique_ptr<Watch> EtcdStore::StartWatch(WatchRequest request, WatchSink* sink) {
  const Revision from = request.from;
  auto session = std::make_shared<EtcdWatchSession>(core_, std::move(request), sink);
  core_->AddFollower(session);
  if (from.value < 0) {
    session->End(Status(StatusReason::kBadRequest,
                        "a watch from the negative revision " + std::to_string(from.value)));
    return std::make_unique<EtcdWatch>(std::move(session));
  }
  if (from.value > 0) {
    session->Start(from);
    return std::make_unique<EtcdWatch>(std::move(session));
  }
  {
    std::unique_lock lock(gate_->mutex);
    ++gate_->watches;
  }
  session->StartAtNext([gate = gate_] { gate->Open(); });
  return std::make_unique<EtcdWatch>(std::move(session));
}

void EtcdStore::GrantLease(std::chrono::seconds ttl, LeaseId id, StoreCallback<LeaseInfo> done) {
  GrantEtcdLease(core_, ttl, id, std::move(done));
}
void EtcdStore::RenewLease(LeaseId id, StoreCallback<LeaseInfo> done) {
  RenewEtcdLease(core_, id, std::move(done));
}
void EtcdStore::RevokeLease(LeaseId id, StoreCallback<Revision> done) {
  RevokeEtcdLease(core_, id, std::move(done));
}
void EtcdStore::FindLease(LeaseId id, StoreCallback<LeaseInfo> done) {
  FindEtcdLease(core_, id, std::move(done));
}

void EtcdStore::Compact(Revision revision, StoreCallback<Revision> done) {
  if (revision.value < 0)
    return done(
        BadRequest("compaction to the negative revision " + std::to_string(revision.value)));
  etcdserverpb::CompactionRequest message;
  message.set_revision(revision.value);
  EtcdCallKind kind;
  kind.read = false;
  CompactCall::Start(core_, kind, kEtcdCompact, message,
                     [core = core_, revision, done = std::move(done)](auto response) mutable {
                       if (!response) return done(std::unexpected(std::move(response).error()));
                       RaiseTo(core->compacted, revision.value);
                       done(revision);
                     });
}

bool EtcdStore::HasReliableProgress() { return core_->members().HasReliableProgress(); }

StoreHealth EtcdStore::Health() {
  StoreHealth out;
  if (!core_->served) {
    std::unique_lock lock(checks_->mutex);
    out.reason = checks_->error;
  }
  out.readable = out.reason.empty();
  out.writable = out.readable && !core_->out_of_space;
  if (core_->out_of_space)
    out.reason += (out.reason.empty() ? "" : "; ") +
                  std::string(
                      "etcd is out of space and takes no writes: compact and defragment it "
                      "or raise its quota, then disarm the alarm");
  if (const std::string lost = core_->HistoryLost(); !lost.empty()) {
    out.reason += (out.reason.empty() ? "" : "; ") + lost;
  }
  return out;
}

void EtcdStore::Figures(StoreCallback<StoreFigures> done) {
  EtcdCallKind kind;
  kind.require_leader = kind.current = false;
  auto on_status = [core = core_, done = std::move(done)](auto status) mutable {
    if (!status) return done(std::unexpected(std::move(status).error()));
    StoreFigures out;
    out.engine = "etcd";
    out.revision.value = status->header().revision();
    out.keys = -1;
    out.bytes_on_disk = static_cast<uint64_t>(status->dbsize());
    out.bytes_in_use = static_cast<uint64_t>(status->dbsizeinuse());
    out.commits = core->commits;
    RangeRequest noted;
    noted.range = KeyRange::Single(kCompactKey);
    StartEtcdRange(core, std::move(noted),
                   [core, out, done = std::move(done)](Result<RangeReply> reply) mutable {
                     if (!reply) return done(std::unexpected(std::move(reply).error()));
                     int64_t noted_revision = 0;
                     if (!reply->entries.empty()) {
                       const std::string_view text = reply->entries[0].value.view();
                       std::from_chars(text.data(), text.data() + text.size(), noted_revision);
                     }
                     out.revision = std::max(out.revision, reply->revision);
                     out.compacted.value = std::max(core->compacted.load(), noted_revision);
                     done(std::move(out));
                   });
  };
  StatusCall::Start(core_, kind, kEtcdStatus, {}, std::move(on_status));
}

}  // namespace skiff::store
