#include "load/engine.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <utility>

#include "base/limits.h"

namespace skiff::load {
namespace {

constexpr std::chrono::milliseconds kTickInterval{100};
// Of an answer that is an error, as much as holds a message.
constexpr size_t kErrorBodyBytes = 4096;
constexpr uint64_t kRandomSeed = 0x5eed;
// Requests under way at the end are waited for that long: what is given up while the server works
// on it may happen after all, behind the back of who cleans up.
constexpr std::chrono::seconds kStopPatience{10};

// Something that one thread waits for and another brings about.
class Event {
 public:
  void Set() {
    std::lock_guard lock(mutex_);
    set_ = true;
    changed_.notify_all();
  }
  bool WaitUntil(Clock& clock, Duration deadline) {
    std::unique_lock lock(mutex_);
    while (!set_ && clock.Monotonic() < deadline) clock.WaitUntil(changed_, lock, deadline);
    return set_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool set_ = false;
};

class AskHandler final : public net::ResponseHandler {
 public:
  void OnHead(int code, const net::HttpHeaders&) override { answer_.code = code; }
  void OnBody(std::string_view bytes) override {
    answer_.body += bytes.substr(0, limits::kMaxDocumentBytes - answer_.body.size());
  }
  void OnEnd(Result<void> outcome) override {
    outcome_ = std::move(outcome);
    done_.Set();
  }
  Result<LoadResponse> Wait(Clock& clock) {
    done_.WaitUntil(clock, Clock::kForever);
    if (!outcome_) return std::unexpected(outcome_.error());
    return std::move(answer_);
  }

 private:
  LoadResponse answer_;
  Result<void> outcome_;
  Event done_;
};

}  // namespace

std::string DescribeAnswer(int code, std::string_view body) {
  std::string text = "HTTP " + std::to_string(code);
  constexpr std::string_view kKey = "\"message\":\"";
  const size_t at = body.find(kKey);
  if (at == std::string_view::npos) return text;
  body.remove_prefix(at + kKey.size());
  text += ": ";
  for (size_t i = 0; i < body.size() && body[i] != '"'; ++i) {
    if (body[i] == '\\' && i + 1 < body.size()) ++i;
    text += body[i];
  }
  return text;
}

void OperationFigures::Add(const OperationFigures& other) {
  count += other.count;
  errors += other.errors;
  body_bytes += other.body_bytes;
  latency.Add(other.latency);
  if (first_error.empty()) first_error = other.first_error;
}

void RunOnLoop(net::EventLoop& loop, Clock& clock, const std::function<void()>& task) {
  Event done;
  loop.Post([&] {
    task();
    done.Set();
  });
  done.WaitUntil(clock, Clock::kForever);
}

// The slots of one loop. All of it but Start() and the counters belongs to the loop's thread.
class LoadEngine::Worker {
 public:
  Worker(net::HttpClient& client, net::EventLoop& loop, LoadPlan& plan, size_t slots,
         size_t operations, uint64_t seed)
      : client_(client), loop_(loop), plan_(plan), random_(seed), operations_(operations) {
    for (size_t i = 0; i < slots; ++i) slots_.emplace_back(*this);
  }

  void Start() {
    active_ = slots_.size();
    for (Slot& slot : slots_) slot.Next();
  }
  // No further requests; those under way are waited for, or given up when `at_once`.
  void Stop(bool at_once) {
    stopping_ = true;
    if (!at_once) return;
    for (Slot& slot : slots_) slot.GiveUp();
  }

  Event& done() { return done_; }
  uint64_t finished() const { return finished_.load(std::memory_order_relaxed); }
  uint64_t errors() const { return errors_.load(std::memory_order_relaxed); }
  const std::vector<OperationFigures>& operations() const { return operations_; }

 private:
  class Slot final : public net::ResponseHandler {
   public:
    explicit Slot(Worker& worker) : worker_(worker) {}

    void Next() {
      std::optional<LoadStep> step;
      if (!worker_.stopping_) step = worker_.plan_.Next(worker_.random_);
      if (!step) return worker_.OnSlotDone();
      operation_ = step->operation;
      code_ = 0;
      bytes_ = 0;
      error_.clear();
      started_ = worker_.loop_.clock().Monotonic();
      request_ = worker_.client_.Send(std::move(step->request), this);
    }
    void GiveUp() {
      if (request_ == 0) return;
      worker_.client_.Cancel(std::exchange(request_, 0));
      worker_.OnSlotDone();
    }

    void OnHead(int code, const net::HttpHeaders&) override { code_ = code; }
    void OnBody(std::string_view bytes) override {
      bytes_ += bytes.size();
      if (code_ >= 300) error_ += bytes.substr(0, kErrorBodyBytes - error_.size());
    }
    void OnEnd(Result<void> outcome) override {
      request_ = 0;
      const Duration took = worker_.loop_.clock().Monotonic() - started_;
      std::string fault;
      if (!outcome) {
        fault = outcome.error().message();
      } else if (code_ < 200 || code_ >= 300) {
        fault = DescribeAnswer(code_, error_);
      }
      worker_.Record(operation_, took, bytes_, std::move(fault));
      Next();
    }

   private:
    Worker& worker_;
    net::HttpClient::RequestId request_ = 0;  // zero: none is under way
    size_t operation_ = 0;
    Duration started_{};
    int code_ = 0;
    uint64_t bytes_ = 0;
    std::string error_;
  };

  void Record(size_t operation, Duration took, uint64_t bytes, std::string fault) {
    OperationFigures& figures = operations_[operation];
    figures.body_bytes += bytes;
    finished_.fetch_add(1, std::memory_order_relaxed);
    if (fault.empty()) {
      ++figures.count;
      figures.latency.Record(took);
      return;
    }
    ++figures.errors;
    errors_.fetch_add(1, std::memory_order_relaxed);
    if (figures.first_error.empty()) figures.first_error = std::move(fault);
  }
  void OnSlotDone() {
    if (--active_ == 0) done_.Set();
  }

  net::HttpClient& client_;
  net::EventLoop& loop_;
  LoadPlan& plan_;
  SeededRandom random_;
  std::deque<Slot> slots_;
  std::vector<OperationFigures> operations_;
  size_t active_ = 0;
  bool stopping_ = false;
  std::atomic<uint64_t> finished_ = 0;
  std::atomic<uint64_t> errors_ = 0;
  Event done_;
};

Result<std::unique_ptr<LoadEngine>> LoadEngine::Start(LoadTarget target, LoadShape shape,
                                                      Clock& clock) {
  shape.threads = std::clamp<size_t>(shape.threads, 1, shape.connections);
  std::unique_ptr<LoadEngine> engine(new LoadEngine(std::move(target), shape, clock));
  for (size_t i = 0; i < shape.threads; ++i) {
    SKIFF_ASSIGN_OR_RETURN(auto loop, net::EventLoop::Create(clock));
    net::HttpClientOptions options;
    options.endpoint = engine->target_.endpoint;
    options.tls = engine->target_.tls;
    options.headers = engine->target_.headers;
    options.connections = (shape.connections + shape.threads - 1 - i) / shape.threads;
    options.streams_per_connection = shape.streams;
    engine->clients_.push_back(std::make_unique<net::HttpClient>(loop, std::move(options)));
    engine->loops_.push_back(std::move(loop));
    engine->loops_.back()->Start("load-" + std::to_string(i));
  }
  return engine;
}

LoadEngine::~LoadEngine() {
  for (size_t i = 0; i < loops_.size(); ++i) {
    RunOnLoop(*loops_[i], clock_, [this, i] { clients_[i]->Close(); });
    loops_[i]->Stop();
  }
}

LoadFigures LoadEngine::Run(LoadPlan& plan, size_t operations, Duration duration,
                            const LoadTick& tick) {
  const Duration started = clock_.Monotonic();
  const Duration end = duration == Clock::kForever ? Clock::kForever : started + duration;
  std::vector<std::unique_ptr<Worker>> workers;
  for (size_t i = 0; i < loops_.size(); ++i) {
    const size_t connections = (shape_.connections + loops_.size() - 1 - i) / loops_.size();
    workers.push_back(std::make_unique<Worker>(
        *clients_[i], *loops_[i], plan, connections * shape_.streams, operations, kRandomSeed + i));
    loops_[i]->Post([worker = workers.back().get()] { worker->Start(); });
  }
  LoadFigures figures;
  Duration stopped_at = Clock::kForever;
  const auto stop_all = [&](bool at_once) {
    for (size_t i = 0; i < workers.size(); ++i)
      RunOnLoop(*loops_[i], clock_, [&, i] { workers[i]->Stop(at_once); });
  };
  for (size_t i = 0; i < workers.size();) {
    const Duration now = clock_.Monotonic();
    Duration wake = now + kTickInterval;
    if (stopped_at == Clock::kForever) wake = std::min(wake, end);
    if (workers[i]->done().WaitUntil(clock_, wake)) {
      ++i;
      continue;
    }
    LoadProgress progress{.elapsed = clock_.Monotonic() - started};
    for (const auto& worker : workers) {
      progress.done += worker->finished();
      progress.errors += worker->errors();
    }
    const Duration seen = clock_.Monotonic();
    const bool end_now = !figures.ended_early && tick && !tick(progress);
    figures.ended_early |= end_now;
    if (stopped_at == Clock::kForever && (end_now || seen >= end)) {
      stopped_at = seen;
      stop_all(false);
    } else if (stopped_at != Clock::kForever && seen >= stopped_at + kStopPatience) {
      stop_all(true);
    }
  }
  figures.elapsed = clock_.Monotonic() - started;
  figures.operations.resize(operations);
  // A turn of each loop lies behind the last word of its slots, so that nothing refers to them.
  for (const auto& loop : loops_) RunOnLoop(*loop, clock_, [] {});
  for (const auto& worker : workers)
    for (size_t i = 0; i < operations; ++i) figures.operations[i].Add(worker->operations()[i]);
  return figures;
}

Result<LoadResponse> LoadEngine::Ask(net::ClientRequest request) {
  AskHandler handler;
  RunOnLoop(*loops_.front(), clock_, [&] { clients_.front()->Send(std::move(request), &handler); });
  return handler.Wait(clock_);
}

}  // namespace skiff::load
