// What requests and answers on their way may hold in memory: a budget, and charges to it.
//
// Budgets form a tree: whatever is charged to one is charged to the one above it too. A connection
// has two, one for the heads of its requests and one for bodies and answers; above them are those
// of the server. Who opens a connection is not known yet, so that heads have a small share.
//
// New work is taken while a budget has room, which is up to three quarters of it. The rest is for
// what has been taken already, so that it can be finished.
//
// Any thread, but each charge has one user at a time.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <utility>

namespace skiff::net {

class MemoryBudget {
 public:
  explicit MemoryBudget(size_t bytes, std::shared_ptr<MemoryBudget> above = nullptr)
      : bytes_(bytes), above_(std::move(above)) {}

  size_t bytes() const { return bytes_; }
  size_t used() const { return used_.load(std::memory_order_relaxed); }
  // Here and above.
  bool has_room() const;
  // False, and nothing taken, if there is not so much here or above.
  bool Take(size_t bytes);
  // Even if there is not so much.
  void TakeAnyway(size_t bytes);
  void GiveBack(size_t bytes);

 private:
  const size_t bytes_;
  const std::shared_ptr<MemoryBudget> above_;
  std::atomic<size_t> used_ = 0;
};

// What one holder has taken of a budget, given back when it ends.
class MemoryCharge {
 public:
  MemoryCharge() = default;  // to no budget: everything is granted
  explicit MemoryCharge(std::shared_ptr<MemoryBudget> budget) : budget_(std::move(budget)) {}
  MemoryCharge(MemoryCharge&& other) noexcept
      : budget_(std::move(other.budget_)),
        used_(std::exchange(other.used_, 0)),
        taken_(std::exchange(other.taken_, 0)) {}
  MemoryCharge& operator=(MemoryCharge&& other) noexcept {
    std::swap(budget_, other.budget_);
    std::swap(used_, other.used_);
    std::swap(taken_, other.taken_);
    return *this;
  }
  ~MemoryCharge() { Clear(); }

  // False, and nothing added, if the budget has not so much left.
  bool Add(size_t bytes);
  void AddAnyway(size_t bytes);
  void Clear();

 private:
  size_t MissingFor(size_t bytes) const;

  std::shared_ptr<MemoryBudget> budget_;
  size_t used_ = 0;
  size_t taken_ = 0;  // in steps, since there is one budget for many threads
};

}  // namespace skiff::net
