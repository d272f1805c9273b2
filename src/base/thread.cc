#include "base/thread.h"

#include <exception>
#include <memory>
#include <system_error>
#include <utility>

#include "base/limits.h"

namespace skiff {
namespace {

struct Start {
  std::string name;
  std::function<void()> body;
};

void* Run(void* argument) {
  const std::unique_ptr<Start> start(static_cast<Start*>(argument));
  pthread_setname_np(pthread_self(), start->name.substr(0, 15).c_str());
  start->body();
  return nullptr;
}

// Nobody can go on without a thread that it needs, and a server that ends should say why: the
// standard library shows what the exception says.
[[noreturn]] void EndWithoutThread(int error) {
  try {
    throw std::system_error(error, std::generic_category(),
                            "a thread cannot be started; there may be too little memory (ulimit "
                            "-v), or too few processes allowed (ulimit -u, pids of the cgroup)");
  } catch (const std::system_error&) {
    std::terminate();
  }
}

}  // namespace

Thread::Thread(std::string name, std::function<void()> body) {
  auto start = std::make_unique<Start>(std::move(name), std::move(body));
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, limits::kThreadStackBytes);
  if (const int error = pthread_create(&handle_, &attributes, Run, start.get()); error != 0) {
    EndWithoutThread(error);
  }
  start.release();  // Run() owns it now.
  pthread_attr_destroy(&attributes);
}

void Thread::Join() {
  if (std::exchange(joined_, true)) return;
  pthread_join(handle_, nullptr);
}

}  // namespace skiff
