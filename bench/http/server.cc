// A server of one body, to be measured beside nginx: tools/bench-http runs both.
//
//   skiff_http_server ADDRESS BYTES [CERTIFICATE KEY [CLIENT-CA]]
//
// /watch is a stream of events: one line of BYTES bytes for each request of /event, to all who
// watch. Says on the first line where it listens; ends in order with SIGTERM.
#include "net/server.h"

#include <signal.h>

#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string>
#include <vector>

#include "base/clock.h"

namespace skiff {
namespace {

class Broadcast {
 public:
  class Source final : public net::BodySource {
   public:
    explicit Source(Broadcast& broadcast) : broadcast_(broadcast) {}
    ~Source() override {
      std::lock_guard lock(broadcast_.mutex_);
      std::erase(broadcast_.sources_, this);
    }
    void OnStart(std::function<void()> wake) override {
      std::lock_guard lock(broadcast_.mutex_);
      wake_ = std::move(wake);
      broadcast_.sources_.push_back(this);
    }
    Result<State> Read(ByteBuffer& out, size_t room) override {
      std::lock_guard lock(broadcast_.mutex_);
      for (; waiting_ > 0 && out.size() < room; --waiting_) out.Append(broadcast_.event_.view());
      return waiting_ > 0 ? State::kMore : broadcast_.ended_ ? State::kEnd : State::kWaiting;
    }

   private:
    friend class Broadcast;
    Broadcast& broadcast_;
    std::function<void()> wake_;
    int waiting_ = 0;
  };

  explicit Broadcast(SharedBytes event) : event_(std::move(event)) {}
  void Send(bool end) {
    std::lock_guard lock(mutex_);
    ended_ |= end;
    for (Source* source : sources_) {
      source->waiting_ += end ? 0 : 1;
      source->wake_();
    }
  }

 private:
  std::mutex mutex_;
  SharedBytes event_;
  std::vector<Source*> sources_;
  bool ended_ = false;
};

class OneBody final : public net::HttpHandler {
 public:
  explicit OneBody(size_t bytes)
      : body_(SharedBytes(std::string(bytes, 'x'))),
        broadcast_(SharedBytes(std::string(bytes - 1, 'e') + "\n")) {}

  void Handle(net::HttpRequest request, net::Responder responder) override {
    net::HttpResponse response;
    response.headers.Add("content-type", "application/json");
    if (request.path == "/watch") {
      response.source = std::make_unique<Broadcast::Source>(broadcast_);
    } else {
      if (request.path == "/event") broadcast_.Send(false);
      response.body = body_;
    }
    std::move(responder).Respond(std::move(response));
  }
  void EndWatches() { broadcast_.Send(true); }

 private:
  SharedBytes body_;
  Broadcast broadcast_;
};

int Main(int argc, char** argv) {
  if (argc != 3 && argc != 5 && argc != 6) return 2;
  sigset_t ends;
  sigemptyset(&ends);
  sigaddset(&ends, SIGTERM);
  sigaddset(&ends, SIGINT);
  sigprocmask(SIG_BLOCK, &ends, nullptr);
  OneBody handler(std::strtoul(argv[2], nullptr, 10));
  SystemClock clock;
  net::HttpServerOptions options;
  options.addresses = {argv[1]};
  options.handler = &handler;
  options.clock = &clock;
  options.on_error = [](std::string_view text) {
    std::fprintf(stderr, "%.*s\n", static_cast<int>(text.size()), text.data());
  };
  if (const char* loops = std::getenv("LOOPS")) options.loops = std::atoi(loops);
  if (argc > 3) {
    options.tls.emplace();
    options.tls->certificate = {argv[3], argv[4], {}};
    if (argc > 5) options.tls->client_ca_files = {argv[5]};
  }
  auto server = net::HttpServer::Start(std::move(options));
  if (!server) {
    std::fprintf(stderr, "%s\n", server.error().message().c_str());
    return 1;
  }
  (*server)->OnDrain([&] { handler.EndWatches(); });
  std::printf("%s\n", (*server)->addresses().front().c_str());
  std::fflush(stdout);
  int signal = 0;
  sigwait(&ends, &signal);
  (*server)->Drain(std::chrono::seconds(5));
  return 0;
}

}  // namespace
}  // namespace skiff

int main(int argc, char** argv) { return skiff::Main(argc, argv); }
