#include "base/thread.h"

#include <cstdlib>
#include <memory>
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

}  // namespace

Thread::Thread(std::string name, std::function<void()> body) {
  auto start = std::make_unique<Start>(std::move(name), std::move(body));
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, limits::kThreadStackBytes);
  if (pthread_create(&handle_, &attributes, Run, start.get()) != 0) std::abort();
  start.release();  // Run() owns it now.
  pthread_attr_destroy(&attributes);
}

void Thread::Join() {
  if (std::exchange(joined_, true)) return;
  pthread_join(handle_, nullptr);
}

}  // namespace skiff
