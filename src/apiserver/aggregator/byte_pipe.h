// Bytes on their way from one event loop to another, of which only so many wait.
//
// One side puts, the other takes, each on its own thread. Who puts beyond the bound is told that it
// is full, and heard again when there is room; who finds nothing hears when there is something. The
// calls that tell so come on the other side's thread, under no lock, and only post.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>

namespace skiff::apiserver {

class BytePipe {
 public:
  explicit BytePipe(size_t bound) : bound_(bound) {}
  BytePipe(const BytePipe&) = delete;
  BytePipe& operator=(const BytePipe&) = delete;

  enum class State : uint8_t {
    kOpen,    // there may be more later
    kEnded,   // that was all
    kBroken,  // there should have been more
  };

  // Of the side that puts. Bytes beyond the bound are taken all the same: what was on its way.
  void Put(std::string_view bytes);
  // False: it is full, or nobody takes any more.
  bool has_room() const;
  bool closed() const;
  // Once; what is there can still be taken.
  void End(State how);
  // `room` is called when there is room again, and when nobody takes any more. If either is so
  // already, at once.
  void OnRoom(std::function<void()> room);

  // Of the side that takes: what there is, up to `most` bytes; and, once nothing is left, how it
  // has ended.
  struct Taken {
    std::string bytes;
    State state = State::kOpen;
  };
  Taken Take(size_t most);
  // `ready` is called when there is something again, and at the end. If either is so already, at
  // once.
  void OnReady(std::function<void()> ready);
  // Nobody takes any more. What is there goes.
  void Close();

  size_t held_bytes() const;

 private:
  const size_t bound_;
  mutable std::mutex mutex_;  // guards what follows
  std::string bytes_;
  size_t taken_ = 0;  // of bytes_
  State state_ = State::kOpen;
  bool closed_ = false;
  bool was_full_ = false;
  std::function<void()> room_;
  std::function<void()> ready_;
};

}  // namespace skiff::apiserver
