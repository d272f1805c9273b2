#include "load/fan_out.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <utility>

namespace skiff::load {
namespace {

constexpr std::chrono::milliseconds kTickInterval{50};
// Without any news for so long, nothing more is expected to come.
constexpr std::chrono::seconds kPatience{15};
// As much of an event's line as tells what it is about.
constexpr size_t kHeadBytes = 1024;

void SleepFor(Clock& clock, Duration time) {
  std::mutex mutex;
  std::condition_variable never;
  std::unique_lock lock(mutex);
  const Duration end = clock.Monotonic() + time;
  while (clock.Monotonic() < end) clock.WaitUntil(never, lock, end);
}

}  // namespace

class FanOut::Watch final : public net::ResponseHandler {
 public:
  Watch(FanOut& fan, Side& side) : fan_(fan), side_(side) {}

  void OnHead(int code, const net::HttpHeaders&) override;
  void OnBody(std::string_view bytes) override;
  void OnEnd(Result<void> outcome) override;

 private:
  void OnLine();

  FanOut& fan_;
  Side& side_;
  std::string head_;  // of the line that is coming in
  int code_ = 0;
  uint64_t heard_ = 0;
};

struct FanOut::Side {
  net::EventLoop* loop = nullptr;
  std::unique_ptr<net::HttpClient> client;
  std::vector<std::unique_ptr<Watch>> watches;
  LatencyHistogram latency;
  uint64_t body_bytes = 0;
  std::string first_error;
  std::atomic<uint64_t> delivered = 0;
};

void FanOut::Watch::OnHead(int code, const net::HttpHeaders&) {
  code_ = code;
  if (code == 200) fan_.open_.fetch_add(1);
}

void FanOut::Watch::OnBody(std::string_view bytes) {
  side_.body_bytes += bytes.size();
  while (!bytes.empty()) {
    const size_t end = bytes.find('\n');
    const std::string_view line = bytes.substr(0, end);
    head_ += line.substr(0, kHeadBytes - std::min(kHeadBytes, head_.size()));
    if (end == std::string_view::npos) return;
    if (code_ == 200) OnLine();
    head_.clear();
    bytes.remove_prefix(end + 1);
  }
}

void FanOut::Watch::OnLine() {
  uint64_t number = 0;
  if (!FindLoadNumber(head_, number) || number >= fan_.sent_ns_.size()) return;
  const Duration sent{fan_.sent_ns_[number].load(std::memory_order_relaxed)};
  side_.latency.Record(side_.loop->clock().Monotonic() - sent);
  side_.delivered.fetch_add(1, std::memory_order_relaxed);
  ++heard_;
}

void FanOut::Watch::OnEnd(Result<void> outcome) {
  if (heard_ >= fan_.options_.events) return;
  fan_.ended_.fetch_add(1);
  if (!side_.first_error.empty()) return;
  if (!outcome) {
    side_.first_error = outcome.error().message();
  } else {
    side_.first_error = code_ == 200 ? "the server ended the watch" : DescribeAnswer(code_, head_);
  }
}

class FanOut::Creates final : public LoadPlan {
 public:
  explicit Creates(FanOut& fan)
      : fan_(fan), plan_(MakeCreates(fan.objects_, 0, fan.options_.events)) {}
  std::optional<LoadStep> Next(Random& random) override {
    std::optional<LoadStep> step = plan_->Next(random);
    uint64_t number = 0;
    if (step && FindLoadNumber(step->request.body.view(), number))
      fan_.sent_ns_[number].store(fan_.engine_.clock().Monotonic().count(),
                                  std::memory_order_relaxed);
    return step;
  }

 private:
  FanOut& fan_;
  std::unique_ptr<LoadPlan> plan_;
};

FanOut::FanOut(LoadEngine& engine, const LoadObjects& objects, const FanOutOptions& options)
    : engine_(engine), objects_(objects), options_(options), sent_ns_(options.events) {
  const auto& loops = engine.loops();
  const size_t streams = (options.watchers + options.connections - 1) / options.connections;
  for (size_t i = 0; i < loops.size(); ++i) {
    auto side = std::make_unique<Side>();
    side->loop = loops[i].get();
    const size_t watchers = (options.watchers + loops.size() - 1 - i) / loops.size();
    net::HttpClientOptions client;
    client.endpoint = engine.target().endpoint;
    client.tls = engine.target().tls;
    client.headers = engine.target().headers;
    client.streams_per_connection = streams;
    client.connections = (watchers + streams - 1) / streams;
    side->client = std::make_unique<net::HttpClient>(loops[i], std::move(client));
    for (size_t k = 0; k < watchers; ++k)
      side->watches.push_back(std::make_unique<Watch>(*this, *side));
    sides_.push_back(std::move(side));
  }
}

FanOut::~FanOut() {
  for (const auto& side : sides_) {
    RunOnLoop(*side->loop, engine_.clock(), [&] {
      side->client->Close();
      side->client.reset();
    });
  }
}

uint64_t FanOut::Delivered() const {
  uint64_t sum = 0;
  for (const auto& side : sides_) sum += side->delivered.load(std::memory_order_relaxed);
  return sum;
}

bool FanOut::WaitUntil(const std::function<bool()>& condition, const LoadTick& tick) {
  Clock& clock = engine_.clock();
  const Duration started = clock.Monotonic();
  Duration news = started;
  uint64_t last = 0;
  while (!condition()) {
    const uint64_t state = Delivered() + open_.load() + ended_.load();
    const Duration now = clock.Monotonic();
    if (state != std::exchange(last, state)) news = now;
    if (now - news > kPatience) return false;
    if (tick && !tick({.done = Delivered(), .errors = ended_.load(), .elapsed = now - started}))
      return false;
    SleepFor(clock, kTickInterval);
  }
  return true;
}

Result<void> FanOut::Open(const std::string& resource_version, const LoadTick& tick) {
  const std::string path =
      objects_.collection() +
      "?watch=true&allowWatchBookmarks=true&resourceVersion=" + QueryEscaped(resource_version);
  for (const auto& side : sides_) {
    RunOnLoop(*side->loop, engine_.clock(), [&] {
      for (const auto& watch : side->watches) {
        net::ClientRequest request;
        request.path = path;
        request.headers.Add("accept", "application/json");
        request.timeout = Clock::kForever;
        side->client->Send(std::move(request), watch.get());
      }
    });
  }
  WaitUntil([this] { return open_.load() + ended_.load() >= options_.watchers; }, tick);
  if (ended_.load() == 0 && open_.load() == options_.watchers) return {};
  std::string why = "the server does not answer";
  for (const auto& side : sides_) {
    RunOnLoop(*side->loop, engine_.clock(), [&] {
      if (!side->first_error.empty()) why = side->first_error;
    });
  }
  return Fail(StatusReason::kServiceUnavailable, "only " + std::to_string(open_.load()) + " of " +
                                                     std::to_string(options_.watchers) +
                                                     " watches could be opened: " + why);
}

FanOutFigures FanOut::Run(const LoadTick& tick) {
  FanOutFigures figures;
  Clock& clock = engine_.clock();
  const Duration started = clock.Monotonic();
  Creates plan(*this);
  const auto watching = [&](const LoadProgress& progress) {
    return !tick || tick({.done = Delivered(),
                          .errors = progress.errors + ended_.load(),
                          .elapsed = progress.elapsed});
  };
  LoadFigures creates = engine_.Run(plan, 1, Clock::kForever, watching);
  figures.creates = creates.operations.front();
  figures.expected = figures.creates.count * options_.watchers;
  figures.ended_early = creates.ended_early;
  const auto complete = [&] {
    return Delivered() >= figures.expected || ended_.load() == options_.watchers;
  };
  if (!figures.ended_early) {
    const bool all = WaitUntil(complete, tick);
    figures.ended_early = !all && tick && !tick({.done = Delivered()});
  }
  figures.elapsed = clock.Monotonic() - started;
  figures.cut_off = ended_.load();
  figures.first_error = figures.creates.first_error;
  for (const auto& side : sides_) {
    RunOnLoop(*side->loop, clock, [&] {
      figures.latency.Add(side->latency);
      figures.body_bytes += side->body_bytes;
      if (figures.first_error.empty()) figures.first_error = side->first_error;
    });
  }
  figures.delivered = Delivered();
  return figures;
}

}  // namespace skiff::load
