#include "store/embedded/disk_space_monitor.h"

#include <string>

#include "base/limits.h"

namespace skiff::store {

bool DiskSpaceMonitor::BeforeOpening() {
  const std::lock_guard lock(mutex_);
  limits_ = given_limits_ ? *given_limits_
                          : DiskSpaceLimits::For(directory_->FreeBytes() + directory_->UsedBytes() +
                                                 directory_->ReserveBytes().value_or(0));
  if (directory_->FreeBytes() >= limits_->small_growth) return true;
  directory_->GiveUpReserve();
  return false;
}

DiskSpace DiskSpaceMonitor::Measure() {
  const std::lock_guard lock(mutex_);
  MeasureLocked(0);
  return room_;
}

void DiskSpaceMonitor::MeasureLocked(size_t bytes) {
  if (!limits_) return;
  unmeasured_bytes_ = 0;
  free_ = directory_->FreeBytes();
  const std::optional<uint64_t> held = directory_->ReserveBytes();
  const uint64_t all = free_ + held.value_or(0);
  room_ = limits_->Classify(all);
  if (held.value_or(0) < limits_->reserve && room_ < DiskSpace::kSmallGrowth) {
    directory_->KeepReserve(limits_->reserve);
    free_ = directory_->FreeBytes();
  } else if (held && free_ < limits_->nothing + bytes) {
    directory_->GiveUpReserve();
    free_ = directory_->FreeBytes();
  }
  refuses_ = limits_->nothing > 0 && free_ < limits_->nothing + bytes;
}

Result<void> DiskSpaceMonitor::Take(size_t bytes) {
  const std::lock_guard lock(mutex_);
  unmeasured_bytes_ += bytes;
  const bool is_easy = room_ < DiskSpace::kSmallGrowth && !refuses_;
  if (is_easy && unmeasured_bytes_ < limits::kStoreFreeCheckBytes) return {};
  MeasureLocked(bytes);
  if (!refuses_) return {};
  return Fail(StatusReason::kServiceUnavailable,
              "the store in " + directory_->path() + ": the disk is nearly full (" +
                  std::to_string(free_ >> 20) + " MB left, and no reserve); make room");
}

}  // namespace skiff::store
