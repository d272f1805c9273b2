#include "apiserver/aggregator/byte_pipe.h"

#include <algorithm>
#include <utility>

namespace skiff::apiserver {

void BytePipe::Put(std::string_view bytes) {
  if (bytes.empty()) return;
  std::function<void()> tell;
  {
    const std::lock_guard lock(mutex_);
    if (closed_ || state_ != State::kOpen) return;
    const bool was_empty = bytes_.size() == taken_;
    if (was_empty) {
      bytes_.clear();
      taken_ = 0;
    }
    bytes_ += bytes;
    if (bytes_.size() - taken_ >= bound_) was_full_ = true;
    if (was_empty) tell = ready_;
  }
  if (tell) tell();
}

bool BytePipe::has_room() const {
  const std::lock_guard lock(mutex_);
  return !closed_ && bytes_.size() - taken_ < bound_;
}

bool BytePipe::closed() const {
  const std::lock_guard lock(mutex_);
  return closed_;
}

void BytePipe::End(State how) {
  std::function<void()> tell;
  {
    const std::lock_guard lock(mutex_);
    if (closed_ || state_ != State::kOpen) return;
    state_ = how;
    tell = ready_;
  }
  if (tell) tell();
}

void BytePipe::OnRoom(std::function<void()> room) {
  bool now = false;
  {
    const std::lock_guard lock(mutex_);
    room_ = room;
    now = closed_;
  }
  if (now) room();
}

BytePipe::Taken BytePipe::Take(size_t most) {
  Taken out;
  std::function<void()> tell;
  {
    const std::lock_guard lock(mutex_);
    const size_t there = bytes_.size() - taken_;
    const size_t take = std::min(most, there);
    if (taken_ == 0 && take == there) {
      out.bytes = std::exchange(bytes_, {});
    } else {
      out.bytes = bytes_.substr(taken_, take);
      taken_ += take;
      if (taken_ >= bound_ || taken_ == bytes_.size()) {
        bytes_.erase(0, taken_);
        taken_ = 0;
      }
    }
    if (bytes_.size() == taken_) out.state = state_;
    // Half of it is room that is worth telling of.
    if (was_full_ && bytes_.size() - taken_ <= bound_ / 2) {
      was_full_ = false;
      tell = room_;
    }
  }
  if (tell) tell();
  return out;
}

void BytePipe::OnReady(std::function<void()> ready) {
  bool now = false;
  {
    const std::lock_guard lock(mutex_);
    ready_ = ready;
    now = bytes_.size() > taken_ || state_ != State::kOpen;
  }
  if (now) ready();
}

void BytePipe::Close() {
  std::function<void()> tell;
  {
    const std::lock_guard lock(mutex_);
    if (std::exchange(closed_, true)) return;
    bytes_ = {};
    taken_ = 0;
    ready_ = nullptr;
    tell = room_;
  }
  if (tell) tell();
}

size_t BytePipe::held_bytes() const {
  const std::lock_guard lock(mutex_);
  return bytes_.size() - taken_;
}

}  // namespace skiff::apiserver
