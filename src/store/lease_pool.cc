#include "store/lease_pool.h"

#include <algorithm>
#include <condition_variable>
#include <utility>

#include "base/limits.h"

namespace skiff::store {
namespace {

// A lease may be shared for one part in so many of the time to live.
constexpr int kReusePart = 20;

}  // namespace

// Shared with the grants that are under way.
struct LeasePool::State : std::enable_shared_from_this<LeasePool::State> {
  struct Waiter {
    Duration asked;  // when
    StoreCallback<LeaseId> done;
  };
  // The lease that objects of one time to live share at present.
  struct Shared {
    LeaseId id;
    Duration ends{0};
    int objects = 0;
    bool granting = false;
    std::vector<Waiter> waiters;
  };

  State(Store& s, Clock& c, LeasePoolOptions o) : store(s), clock(c), options(o) {}

  std::chrono::seconds Reuse(std::chrono::seconds ttl) const {
    return std::min(options.max_reuse, ttl / kReusePart);
  }

  // Whether the lease lasts long enough for the object. It does not last too long: it was made for
  // this very time to live.
  bool Take(Shared& lease, std::chrono::seconds ttl, Duration now) const {
    if (lease.id == LeaseId() || lease.objects >= options.max_objects) return false;
    if (now + ttl >= lease.ends) return false;
    ++lease.objects;
    return true;
  }

  void Grant(std::chrono::seconds ttl) {
    const Duration begun = clock.Monotonic();
    const std::chrono::seconds length = ttl + Reuse(ttl);
    store.GrantLease(length, LeaseId(), [self = shared_from_this(), ttl, begun, length](auto info) {
      self->OnGranted(ttl, begun + length, std::move(info));
    });
  }

  void OnGranted(std::chrono::seconds ttl, Duration ends, Result<LeaseInfo> info) {
    std::vector<Waiter> served;
    std::vector<Waiter> failed;
    bool again = false;
    LeaseId id;
    {
      const std::lock_guard lock(mutex);
      if (closed) return;
      ++calling;
      Shared& lease = leases[ttl];
      lease.granting = false;
      if (!info) {
        failed = std::exchange(lease.waiters, {});
      } else {
        id = lease.id = info->id;
        lease.ends = ends;
        lease.objects = 0;
        auto waiter = lease.waiters.begin();
        while (waiter != lease.waiters.end() && CanShare(lease, ttl, *waiter)) {
          ++lease.objects;
          served.push_back(std::move(*waiter++));
        }
        lease.waiters.erase(lease.waiters.begin(), waiter);
        // Whoever is left came too late for this one, or is one too many.
        again = lease.granting = !lease.waiters.empty();
      }
    }
    for (Waiter& waiter : failed) waiter.done(std::unexpected(info.error()));
    for (Waiter& waiter : served) waiter.done(id);
    {
      const std::lock_guard lock(mutex);
      --calling;
      again = again && !closed;
    }
    called.notify_all();
    if (again) Grant(ttl);
  }

  void Close() {
    std::vector<Waiter> waiters;
    {
      std::unique_lock lock(mutex);
      closed = true;
      for (auto& [ttl, lease] : leases) {
        for (Waiter& waiter : lease.waiters) waiters.push_back(std::move(waiter));
        lease.waiters.clear();
      }
      called.wait(lock, [this] { return calling == 0; });
    }
    for (Waiter& waiter : waiters) waiter.done(Closed());
  }
  static std::unexpected<Status> Closed() {
    return Fail(StatusReason::kServiceUnavailable, "the server is stopping");
  }

  // The first who waits always can, so that every grant serves somebody, however slow it was.
  bool CanShare(const Shared& lease, std::chrono::seconds ttl, const Waiter& waiter) const {
    if (lease.objects == 0) return true;
    return lease.objects < options.max_objects && waiter.asked + ttl <= lease.ends;
  }

  Store& store;
  Clock& clock;
  const LeasePoolOptions options;
  std::mutex mutex;
  std::map<std::chrono::seconds, Shared> leases;
  bool closed = false;
  int calling = 0;  // grants whose waiters are being answered
  std::condition_variable called;
};

LeasePool::LeasePool(Store& store, Clock& clock, LeasePoolOptions options)
    : state_(std::make_shared<State>(store, clock, options)) {}

LeasePool::~LeasePool() = default;

void LeasePool::Close() { state_->Close(); }

void LeasePool::LeaseFor(std::chrono::seconds ttl, StoreCallback<LeaseId> done) {
  if (ttl.count() <= 0)
    return done(BadRequest("a time to live of " + std::to_string(ttl.count()) +
                           " s; it must be at least 1 s"));
  State& state = *state_;
  std::unique_lock lock(state.mutex);
  if (state.closed) {
    lock.unlock();
    return done(State::Closed());
  }
  const Duration now = state.clock.Monotonic();
  if (!state.leases.contains(ttl) && state.leases.size() >= limits::kMaxSharedLeases) {
    // Times to live that are not in use any more make room; the lease itself goes on.
    std::erase_if(state.leases, [&](const auto& entry) {
      return !entry.second.granting && now + entry.first >= entry.second.ends;
    });
    if (state.leases.size() >= limits::kMaxSharedLeases) {
      lock.unlock();
      return done(Fail(StatusReason::kTooManyRequests,
                       "more than " + std::to_string(limits::kMaxSharedLeases) +
                           " different times to live are in use; try again later"));
    }
  }
  State::Shared& lease = state.leases[ttl];
  if (!lease.granting && state.Take(lease, ttl, now)) {
    const LeaseId id = lease.id;
    lock.unlock();
    return done(id);
  }
  if (lease.waiters.size() >= limits::kMaxStoreQueuedTransactions) {
    lock.unlock();
    return done(Fail(StatusReason::kTooManyRequests, "too many objects wait for a lease"));
  }
  lease.waiters.push_back({now, std::move(done)});
  if (std::exchange(lease.granting, true)) return;
  lock.unlock();
  state.Grant(ttl);
}

}  // namespace skiff::store
