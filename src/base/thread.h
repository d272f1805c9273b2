// A thread with a name and enough stack to work on documents. The only place that starts threads.
#pragma once

#include <pthread.h>

#include <functional>
#include <string>

namespace skiff {

class Thread {
 public:
  // Runs `body` at once. The kernel keeps the first 15 bytes of the name (ps, top, gdb). Ends the
  // process if the kernel has no thread to give: whoever starts one cannot go on without it.
  Thread(std::string name, std::function<void()> body);
  Thread(const Thread&) = delete;
  Thread& operator=(const Thread&) = delete;
  ~Thread() { Join(); }

  // Waits for the end of the body. Harmless when called again.
  void Join();

 private:
  pthread_t handle_;
  bool joined_ = false;
};

}  // namespace skiff
