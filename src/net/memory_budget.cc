#include "net/memory_budget.h"

namespace skiff::net {
namespace {

constexpr size_t kChargeStepBytes = 4096;

}  // namespace

bool MemoryBudget::has_room() const {
  return used() < bytes_ / 4 * 3 && (above_ == nullptr || above_->has_room());
}

bool MemoryBudget::Take(size_t bytes) {
  const size_t before = used_.fetch_add(bytes, std::memory_order_relaxed);
  if (before <= bytes_ && bytes <= bytes_ - before && (above_ == nullptr || above_->Take(bytes)))
    return true;
  used_.fetch_sub(bytes, std::memory_order_relaxed);
  return false;
}

void MemoryBudget::TakeAnyway(size_t bytes) {
  used_.fetch_add(bytes, std::memory_order_relaxed);
  if (above_ != nullptr) above_->TakeAnyway(bytes);
}

void MemoryBudget::GiveBack(size_t bytes) {
  used_.fetch_sub(bytes, std::memory_order_relaxed);
  if (above_ != nullptr) above_->GiveBack(bytes);
}

size_t MemoryCharge::MissingFor(size_t bytes) const {
  const size_t wanted = used_ + bytes;
  if (wanted <= taken_) return 0;
  return (wanted - taken_ + kChargeStepBytes - 1) / kChargeStepBytes * kChargeStepBytes;
}

bool MemoryCharge::Add(size_t bytes) {
  const size_t missing = MissingFor(bytes);
  if (missing > 0 && budget_ != nullptr && !budget_->Take(missing)) return false;
  taken_ += missing;
  used_ += bytes;
  return true;
}

void MemoryCharge::AddAnyway(size_t bytes) {
  const size_t missing = MissingFor(bytes);
  if (missing > 0 && budget_ != nullptr) budget_->TakeAnyway(missing);
  taken_ += missing;
  used_ += bytes;
}

void MemoryCharge::Clear() {
  if (taken_ > 0 && budget_ != nullptr) budget_->GiveBack(taken_);
  used_ = taken_ = 0;
}

}  // namespace skiff::net
