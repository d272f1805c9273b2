// /debug/pprof/: what the process spends its time and memory on, for `go tool pprof` and for
// `kubectl get --raw`. The paths and parameters are those of Go's net/http/pprof; of its profiles
// those of goroutines, locks and blocking have no counterpart here.
//
//   profile?seconds=N   processor time of N seconds (30): gzip of pprof's protobuf
//   heap                memory in use, likewise; ?debug=1: as text; ?gc=1: freed memory is returned
//   cmdline, symbol     what older pprofs ask for
//
// Owner: the server. Profiles take long, so a thread of its own makes them, one at a time.
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>

#include "base/clock.h"
#include "base/thread.h"
#include "serving/request/api_request.h"

namespace skiff::serving {

class ProfilePages {
 public:
  explicit ProfilePages(Clock& clock) : clock_(clock) {}
  ProfilePages(const ProfilePages&) = delete;
  ProfilePages& operator=(const ProfilePages&) = delete;
  ~ProfilePages() { Stop(); }

  // Answers /debug/pprof/ and what is below. False: the path is another, and the request is left as
  // it was.
  bool Answer(ApiRequestPtr& request);
  // A profile that is being made is answered as far as it has come, and waited for. No other is
  // begun afterwards.
  void Stop();

 private:
  void AnswerProfile(ApiRequestPtr request);
  void AnswerSymbols(ApiRequestPtr request);
  // Runs the work on the thread, which the request goes to; it is refused if that is busy.
  void Begin(ApiRequestPtr request, std::function<void(ApiRequest&)> work);
  void TakeCpuProfile(ApiRequest& request, Duration length);

  Clock& clock_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool busy_ = false;
  bool stopping_ = false;
  std::unique_ptr<Thread> thread_;
};

}  // namespace skiff::serving
