#include "client/leader_election.h"

#include <algorithm>
#include <cassert>
#include <optional>
#include <utility>

#include "client/with_timeout.h"
#include "views/coordination.k8s.io/v1.h"

namespace skiff::client {
namespace {

namespace coordination = views::coordination_k8s_io_v1;
using std::chrono::seconds;

// Candidates try again after up to this much more than the retry period, so that they do not all
// come at once.
constexpr double kJitter = 1.2;
// What a lease that was given up says, so that those who only look at durations take over soon.
constexpr int32_t kReleasedSeconds = 1;

constexpr std::string_view kLabels[] = {"name"};
constexpr MetricSpec kStatus{.name = "leader_election_master_status",
                             .help = "[ALPHA] Whether this instance leads.",
                             .labels = kLabels};
constexpr MetricSpec kSlowPaths{.name = "leader_election_slowpath_total",
                                .help = "[ALPHA] Renewals that had to read the lease first.",
                                .labels = kLabels};

const ApiResource& Leases() { return BuiltIn("coordination.k8s.io", "v1", "leases"); }

// What a Lease says of an election.
struct Record {
  std::string holder;
  int32_t duration_seconds = 0;
  object::Timestamp acquired;
  object::Timestamp renewed;
  int32_t transitions = 0;
};

Record ReadRecord(const object::Document& lease) {
  const auto view = object::ViewAs<coordination::Lease>(lease);
  if (!view) return {};
  const coordination::LeaseSpec spec = view->spec();
  return {.holder = std::string(spec.holder_identity().value_or("")),
          .duration_seconds = spec.lease_duration_seconds().value_or(0),
          .acquired = spec.acquire_time().value_or(object::kZeroTimestamp),
          .renewed = spec.renew_time().value_or(object::kZeroTimestamp),
          .transitions = spec.lease_transitions().value_or(0)};
}

void WriteRecord(const Record& record, object::Document& lease) {
  coordination::MutableLease writer(lease);
  writer.clear_spec();
  coordination::MutableLeaseSpec spec = writer.mutable_spec();
  spec.set_holder_identity(record.holder);
  spec.set_lease_duration_seconds(record.duration_seconds);
  spec.set_acquire_time(record.acquired);
  spec.set_renew_time(record.renewed);
  spec.set_lease_transitions(record.transitions);
}

int32_t WholeSeconds(Duration duration) {
  return static_cast<int32_t>(std::chrono::ceil<seconds>(duration).count());
}

// Lives until its last task and timer have ended, which may be after the elector has gone.
class Core : public std::enable_shared_from_this<Core> {
 public:
  Core(Client client, LeaderElectionOptions options, Random& random)
      : client_(std::move(client)),
        executor_(client_.executor()),
        options_(std::move(options)),
        random_(&random) {}

  void Start(std::function<void()> on_lead, std::function<void()> on_lost) {
    assert(state_ == State::kNew);
    state_ = State::kStandsBy;
    TellMetrics(false);
    on_lead_ = std::move(on_lead);
    on_lost_ = std::move(on_lost);
    ScheduleAttempt(Duration::zero());
  }

  void Stop(std::function<void()> done) {
    const bool held = state_ == State::kLeads;
    End();
    if (!held || !options_.release_on_stop) {
      executor_.Post(std::move(done));
      return;
    }
    release_done_ = std::move(done);
    // What has been sent must be settled first: it would collide with the release.
    if (!attempting_) Release();
  }

  // Nobody is told of anything any more.
  void Abandon() {
    End();
    on_lead_ = nullptr;
    on_lost_ = nullptr;
    release_done_ = nullptr;
    options_.events = nullptr;
  }

  bool leads() const { return state_ == State::kLeads && Now() < leads_until_; }
  std::optional<Duration> renewed() const {
    if (state_ != State::kLeads) return std::nullopt;
    return leads_until_ - options_.renew_deadline;
  }
  const std::string& leader() const { return observed_.holder; }

 private:
  enum class State : uint8_t { kNew, kStandsBy, kLeads, kEnded };

  Duration Now() const { return executor_.clock().Monotonic(); }

  object::Timestamp WallNow() const {
    const Duration wall = executor_.clock().Wall();
    const seconds whole = std::chrono::floor<seconds>(wall);
    return object::MakeTimestamp(whole.count(), (wall - whole).count());
  }

  void TellMetrics(bool leads) {
    if (options_.metrics != nullptr) options_.metrics->SetLeads(options_.lease.name, leads);
  }

  void TellPeople(std::string_view what) const {
    if (options_.events == nullptr || lease_ == nullptr) return;
    options_.events->Record(Leases(), *lease_, EventLevel::kNormal, "LeaderElection",
                            options_.identity + " " + std::string(what));
  }

  void End() {
    if (state_ == State::kLeads) TellMetrics(false);
    state_ = State::kEnded;
    executor_.Cancel(std::exchange(attempt_timer_, {}));
    executor_.Cancel(std::exchange(deadline_timer_, {}));
  }

  void ScheduleAttempt(Duration delay) {
    attempt_timer_ = executor_.After(delay, [self = shared_from_this()] {
      self->attempt_timer_ = {};
      Detach(self->Attempt(self));
    });
  }

  // How long one request may take: two of them fit into the time in which a renewal must succeed.
  Duration RequestTimeout() const { return options_.renew_deadline / 2; }

  // A call that is late goes on without us, with our client.
  static Task<Result<ObjectPtr>> Keeping(std::shared_ptr<Core> /*self*/,
                                         Task<Result<ObjectPtr>> call) {
    co_return co_await std::move(call);
  }
  Task<Result<ObjectPtr>> Timed(Task<Result<ObjectPtr>> call) {
    return WithTimeout(executor_, RequestTimeout(), Keeping(shared_from_this(), std::move(call)));
  }

  // `self` keeps this alive until the end.
  Task<void> Attempt(std::shared_ptr<Core> /*self*/) {
    const Duration began = Now();
    if (state_ == State::kLeads && !leads()) Lose();
    if (state_ == State::kEnded) co_return;
    attempting_ = true;
    const std::optional<Duration> written = co_await AcquireOrRenew();
    attempting_ = false;
    if (state_ == State::kEnded) {
      if (release_done_) Release();
      co_return;
    }
    if (written) Hold(*written);
    // Somebody else has it, which cannot happen unless this one was thought dead.
    if (!written && state_ == State::kLeads && !IsOurs()) Lose();
    if (state_ == State::kLeads) {
      ScheduleAttempt(std::max(Duration::zero(), began + options_.retry_period - Now()));
    } else if (state_ == State::kStandsBy) {
      const double factor = 1 + kJitter * random_->UniformDouble();
      ScheduleAttempt(std::chrono::duration_cast<Duration>(options_.retry_period * factor));
    }
  }

  // The lease was written by a request that was sent at that time. Others count from a later
  // moment, when they see it.
  void Hold(Duration sent) {
    const Duration until = sent + options_.renew_deadline;
    if (until <= Now()) return;
    // Who was late to renew has not led for a while, and does not begin again.
    if (state_ == State::kLeads && !leads()) return Lose();
    leads_until_ = until;
    executor_.Cancel(deadline_timer_);
    deadline_timer_ = executor_.After(until - Now(), [self = shared_from_this()] {
      self->deadline_timer_ = {};
      self->Lose();
    });
    if (state_ == State::kLeads) return;
    state_ = State::kLeads;
    TellMetrics(true);
    TellPeople("became leader");
    // A copy, since what it calls may let go of the elector.
    if (const auto on_lead = on_lead_) on_lead();
  }

  void Lose() {
    if (state_ != State::kLeads) return;
    TellPeople("stopped leading");
    End();
    if (const auto on_lost = on_lost_) on_lost();
  }

  bool IsOurs() const { return observed_.holder == options_.identity; }

  // Only the clock of this process counts: a record that does not change grows old.
  bool HasExpired() const { return Now() - observed_at_ >= seconds(observed_.duration_seconds); }

  void Observe(ObjectPtr lease) {
    const bool same = lease_ != nullptr &&
                      ResourceVersionOf(*lease_) == ResourceVersionOf(*lease) &&
                      UidOf(*lease_) == UidOf(*lease);
    lease_ = std::move(lease);
    if (same) return;
    observed_ = ReadRecord(*lease_);
    observed_at_ = Now();
  }

  // When the request that wrote the lease in our name was sent; nothing: it was not written, as far
  // as is known.
  Task<std::optional<Duration>> AcquireOrRenew() {
    // Who leads need not read what it wrote last.
    if (state_ == State::kLeads && lease_ != nullptr && IsOurs()) {
      const std::optional<Duration> sent = co_await Write();
      if (sent || state_ == State::kEnded) co_return sent;
      if (options_.metrics != nullptr) options_.metrics->CountSlowPath(options_.lease.name);
    }
    const auto read = co_await Timed(client_.Get(Leases(), options_.lease));
    if (state_ == State::kEnded) co_return std::nullopt;
    if (!read) {
      if (read.error().reason() == StatusReason::kNotFound) co_return co_await Create();
      Tell("Error retrieving lease lock", read.error());
      co_return std::nullopt;
    }
    Observe(*read);
    if (!observed_.holder.empty() && !IsOurs() && !HasExpired()) co_return std::nullopt;
    co_return co_await Write();
  }

  void Tell(std::string_view what, const Status& why) const {
    if (options_.log == nullptr) return;
    const std::string lock = options_.lease.name_space + "/" + options_.lease.name;
    options_.log->Error(what, {{"lock", lock}, {"err", why.ToString()}});
  }

  Record OwnRecord() const {
    const object::Timestamp now = WallNow();
    return {.holder = options_.identity,
            .duration_seconds = WholeSeconds(options_.lease_duration),
            .acquired = now,
            .renewed = now};
  }

  Task<std::optional<Duration>> Create() {
    auto lease = std::make_shared<object::Document>(coordination::Lease::New());
    {
      coordination::MutableLease writer(*lease);
      writer.mutable_metadata().set_name(options_.lease.name);
      writer.mutable_metadata().set_namespace(options_.lease.name_space);
    }
    WriteRecord(OwnRecord(), *lease);
    const Duration sent = Now();
    auto created = co_await Timed(client_.Create(Leases(), std::move(lease)));
    if (!created) {
      Tell("Error initially creating lease lock", created.error());
      co_return std::nullopt;
    }
    Observe(std::move(*created));
    co_return sent;
  }

  // Replaces what was observed, unless it has changed since.
  Task<std::optional<Duration>> Write() {
    Record record = OwnRecord();
    if (IsOurs()) {
      record.acquired = observed_.acquired;
      record.transitions = observed_.transitions;
    } else {
      record.transitions = observed_.transitions + 1;
    }
    auto lease = MutableCopy(*lease_);
    WriteRecord(record, *lease);
    const Duration sent = Now();
    auto updated = co_await Timed(client_.Update(Leases(), std::move(lease)));
    if (!updated) {
      Tell("Failed to update lease", updated.error());
      co_return std::nullopt;
    }
    Observe(std::move(*updated));
    co_return sent;
  }

  void Release() { Detach(ReleaseTask(shared_from_this())); }

  Task<void> ReleaseTask(std::shared_ptr<Core> /*self*/) {
    const auto read = co_await Timed(client_.Get(Leases(), options_.lease));
    if (read && ReadRecord(**read).holder == options_.identity) {
      Record record = OwnRecord();
      record.holder.clear();
      record.duration_seconds = kReleasedSeconds;
      record.transitions = ReadRecord(**read).transitions;
      auto lease = MutableCopy(**read);
      WriteRecord(record, *lease);
      auto updated = co_await Timed(client_.Update(Leases(), std::move(lease)));
      if (updated) Observe(std::move(*updated));
    }
    TellPeople("stopped leading");
    if (const auto done = std::exchange(release_done_, nullptr)) done();
  }

  Client client_;
  Executor& executor_;
  LeaderElectionOptions options_;
  Random* const random_;
  std::function<void()> on_lead_;
  std::function<void()> on_lost_;
  std::function<void()> release_done_;

  State state_ = State::kNew;
  bool attempting_ = false;
  Executor::TimerId attempt_timer_;
  Executor::TimerId deadline_timer_;
  Duration leads_until_{};
  // What was read or written last, and when it was first seen to be so.
  ObjectPtr lease_;
  Record observed_;
  Duration observed_at_{};
};

class Elector final : public LeaderElector {
 public:
  explicit Elector(std::shared_ptr<Core> core) : core_(std::move(core)) {}
  ~Elector() override { core_->Abandon(); }

  void Start(std::function<void()> on_lead, std::function<void()> on_lost) override {
    core_->Start(std::move(on_lead), std::move(on_lost));
  }
  void Stop(std::function<void()> done) override { core_->Stop(std::move(done)); }
  bool leads() const override { return core_->leads(); }
  std::optional<Duration> renewed() const override { return core_->renewed(); }
  const std::string& leader() const override { return core_->leader(); }

 private:
  const std::shared_ptr<Core> core_;
};

}  // namespace

LeaderElectionMetrics::LeaderElectionMetrics(MetricsRegistry& registry)
    : leads_(registry.AddGauge(kStatus)), slow_paths_(registry.AddCounter(kSlowPaths)) {}

void LeaderElectionMetrics::SetLeads(const std::string& lease, bool leads) {
  leads_.With({lease}).Set(leads ? 1 : 0);
}

void LeaderElectionMetrics::CountSlowPath(const std::string& lease) {
  slow_paths_.With({lease}).Add();
}

std::unique_ptr<LeaderElector> MakeLeaderElector(Client client, LeaderElectionOptions options,
                                                 Random& random) {
  return std::make_unique<Elector>(
      std::make_shared<Core>(std::move(client), std::move(options), random));
}

}  // namespace skiff::client
