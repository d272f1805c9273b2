// For tests of this folder: handlers made of functions, clients that say exactly what they are
// told, sources of bodies. A client gives up after kPatienceSeconds, so that no test hangs.
#pragma once

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/time.h>

#include "base/clock.h"
#include "net/server.h"
#include "net/unique_fd.h"

namespace skiff::net {

inline constexpr int kPatienceSeconds = 60;

class Latch {
 public:
  void Open() {
    std::lock_guard lock(mutex_);
    open_ = true;
    wake_.notify_all();
  }
  bool is_open() {
    std::lock_guard lock(mutex_);
    return open_;
  }
  // False when nobody opened it for a long time.
  bool Wait() {
    std::unique_lock lock(mutex_);
    return wake_.wait_for(lock, std::chrono::seconds(kPatienceSeconds), [&] { return open_; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable wake_;
  bool open_ = false;
};

// A port of 127.0.0.1 that no other test is given while this lives: it is bound, but nobody listens
// there until a server does, which may, since servers set SO_REUSEADDR too. So who connects to it
// before or after the server's life is refused, whatever else runs on this machine.
class HeldPort {
 public:
  HeldPort() : fd_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    const int on = 1;
    setsockopt(fd_.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(address);
    auto* generic = reinterpret_cast<sockaddr*>(&address);
    EXPECT_EQ(bind(fd_.get(), generic, size), 0);
    EXPECT_EQ(getsockname(fd_.get(), generic, &size), 0);
    address_ = "127.0.0.1:" + std::to_string(ntohs(address.sin_port));
  }
  const std::string& address() const { return address_; }

 private:
  UniqueFd fd_;
  std::string address_;
};

class FunctionHandler final : public HttpHandler {
 public:
  using Function = std::function<void(HttpRequest, Responder)>;
  explicit FunctionHandler(Function function) : function_(std::move(function)) {}
  void Handle(HttpRequest request, Responder responder) override {
    function_(std::move(request), std::move(responder));
  }

 private:
  Function function_;
};

// Decides on the head of a request, and gets the body if it asks for it.
class HeadHandler final : public HttpHandler {
 public:
  using Function = std::function<void(HttpRequest, Responder, bool is_head)>;
  explicit HeadHandler(Function function) : function_(std::move(function)) {}
  void Handle(HttpRequest request, Responder responder) override {
    function_(std::move(request), std::move(responder), false);
  }
  bool takes_heads() const override { return true; }
  void HandleHead(HttpRequest request, Responder responder) override {
    function_(std::move(request), std::move(responder), true);
  }

 private:
  Function function_;
};

inline HttpResponse TextResponse(std::string_view text, int code = 200) {
  return PlainTextResponse(code, text);
}

// Tells what was asked: "GET /path?query [body]".
inline void Echo(HttpRequest request, Responder responder) {
  std::string text = request.method + " " + request.path;
  if (!request.query.empty()) text += "?" + request.query;
  std::move(responder).Respond(TextResponse(text + " [" + request.body + "]"));
}

// Gives pieces that a test adds, from any thread. The source may go before the feed.
class Feed : public std::enable_shared_from_this<Feed> {
 public:
  std::unique_ptr<BodySource> MakeSource() { return std::make_unique<Source>(shared_from_this()); }
  void Add(std::string_view bytes) {
    Change([&] { bytes_ += bytes; });
  }
  void End() {
    Change([&] { ended_ = true; });
  }
  void Break() {
    Change([&] { broken_ = true; });
  }
  bool WaitUntilGone() { return gone_.Wait(); }
  size_t reads() const { return reads_; }

 private:
  class Source final : public BodySource {
   public:
    explicit Source(std::shared_ptr<Feed> feed) : feed_(std::move(feed)) {}
    ~Source() override { feed_->gone_.Open(); }
    void OnStart(std::function<void()> wake) override {
      std::lock_guard lock(feed_->mutex_);
      feed_->wake_ = std::move(wake);
    }
    Result<State> Read(ByteBuffer& out, size_t room) override {
      std::lock_guard lock(feed_->mutex_);
      ++feed_->reads_;
      if (feed_->broken_) return Fail(StatusReason::kInternalError, "broken");
      const size_t take = std::min(room, feed_->bytes_.size());
      out.Append(std::string_view(feed_->bytes_).substr(0, take));
      feed_->bytes_.erase(0, take);
      if (!feed_->bytes_.empty()) return State::kMore;
      return feed_->ended_ ? State::kEnd : State::kWaiting;
    }

   private:
    std::shared_ptr<Feed> feed_;
  };

  void Change(const std::function<void()>& change) {
    std::function<void()> wake;
    {
      std::lock_guard lock(mutex_);
      change();
      wake = wake_;
    }
    if (wake) wake();
  }

  std::mutex mutex_;
  std::string bytes_;
  bool ended_ = false;
  bool broken_ = false;
  std::atomic<size_t> reads_ = 0;
  std::function<void()> wake_;
  Latch gone_;
};

// An endless body of so many bytes at a time.
class EndlessSource final : public BodySource {
 public:
  explicit EndlessSource(std::atomic<size_t>* given, Duration deadline = Clock::kForever)
      : given_(given), deadline_(deadline) {}
  Result<State> Read(ByteBuffer& out, size_t room) override {
    out.Append(std::string(room, 'x'));
    given_->fetch_add(room);
    return State::kMore;
  }
  Duration Deadline() const override { return deadline_; }

 private:
  std::atomic<size_t>* given_;
  const Duration deadline_;
};

// A blocking socket.
class RawClient {
 public:
  explicit RawClient(const std::string& address, int receive_buffer_bytes = 0) {
    const size_t colon = address.rfind(':');
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(static_cast<uint16_t>(std::stoi(address.substr(colon + 1))));
    inet_pton(AF_INET, address.substr(0, colon).c_str(), &to.sin_addr);
    fd_ = UniqueFd(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const timeval patience{.tv_sec = kPatienceSeconds, .tv_usec = 0};
    setsockopt(fd_.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
    setsockopt(fd_.get(), SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
    const int on = 1;
    setsockopt(fd_.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    if (receive_buffer_bytes > 0)
      setsockopt(fd_.get(), SOL_SOCKET, SO_RCVBUF, &receive_buffer_bytes,
                 sizeof(receive_buffer_bytes));
    connected_ = connect(fd_.get(), reinterpret_cast<sockaddr*>(&to), sizeof(to)) == 0;
  }

  bool connected() const { return connected_; }
  int fd() const { return fd_.get(); }
  // False when the server has closed.
  bool Send(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t sent = send(fd_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) return false;
      bytes.remove_prefix(static_cast<size_t>(sent));
    }
    return true;
  }
  void EndOutput() { shutdown(fd_.get(), SHUT_WR); }
  void Close() { fd_.Reset(); }
  // "" at the end, or when nothing comes.
  std::string Receive() {
    std::string bytes(64 * 1024, '\0');
    const ssize_t got = recv(fd_.get(), bytes.data(), bytes.size(), 0);
    bytes.resize(got > 0 ? static_cast<size_t>(got) : 0);
    return bytes;
  }
  std::string ReceiveAll() {
    std::string all = std::exchange(unread_, {});
    for (std::string piece = Receive(); !piece.empty(); piece = Receive()) all += piece;
    return all;
  }
  // Up to and with `mark`; what comes after it stays for the next call.
  std::string ReceiveUntil(std::string_view mark) {
    size_t at;
    while ((at = unread_.find(mark)) == std::string::npos) {
      std::string piece = Receive();
      if (piece.empty()) return std::exchange(unread_, {});
      unread_ += piece;
    }
    std::string out = unread_.substr(0, at + mark.size());
    unread_.erase(0, at + mark.size());
    return out;
  }
  std::string ReceiveBytes(size_t count) {
    while (unread_.size() < count) {
      std::string piece = Receive();
      if (piece.empty()) return std::exchange(unread_, {});
      unread_ += piece;
    }
    std::string out = unread_.substr(0, count);
    unread_.erase(0, count);
    return out;
  }
  // One answer with a Content-Length: head and body.
  std::pair<std::string, std::string> ReceiveAnswer() {
    std::string head = ReceiveUntil("\r\n\r\n");
    const size_t at = head.find("Content-Length: ");
    if (at == std::string::npos) return {head, ""};
    return {head, ReceiveBytes(std::stoul(head.substr(at + 16)))};
  }

 private:
  UniqueFd fd_;
  bool connected_ = false;
  std::string unread_;
};

// A server on a port of its own, plain unless told otherwise. With a manual clock, time passes by
// Advance() alone.
class TestServer {
 public:
  struct WithManualClock {};
  TestServer(WithManualClock, FunctionHandler::Function function,
             std::optional<TlsOptions> tls = std::nullopt)
      : TestServer(std::move(function), {}, 1, std::move(tls), true) {}
  explicit TestServer(FunctionHandler::Function function, HttpLimits limits = {}, int loops = 1,
                      std::optional<TlsOptions> tls = std::nullopt, bool is_manual = false)
      : handler_(std::move(function)) {
    Start(handler_, limits, loops, std::move(tls), is_manual);
  }
  TestServer(HttpHandler& handler, HttpLimits limits) : handler_(nullptr) {
    Start(handler, limits, 1, std::nullopt, false);
  }

  // Nobody listens on the port from now on.
  void Stop() { server_.reset(); }

  HttpServer& operator*() { return *server_; }
  HttpServer* operator->() { return server_.get(); }
  const std::string& address() const { return port_.address(); }
  std::string errors() {
    std::lock_guard lock(mutex_);
    return errors_;
  }
  // The loop does not know that its clock was moved: a client who comes and goes makes it look.
  void Advance(Duration by) {
    manual_clock_.Advance(by);
    RawClient poke(address());
  }
  // Looks until it is so; false when it does not come.
  bool Becomes(const std::function<bool()>& condition) {
    std::mutex mutex;
    std::condition_variable never;
    std::unique_lock lock(mutex);
    const Duration end = clock_.Monotonic() + std::chrono::seconds(kPatienceSeconds);
    while (!condition() && clock_.Monotonic() < end)
      never.wait_for(lock, std::chrono::milliseconds(1));
    return condition();
  }

 private:
  void Start(HttpHandler& handler, HttpLimits limits, int loops, std::optional<TlsOptions> tls,
             bool is_manual) {
    HttpServerOptions options;
    options.addresses = {port_.address()};
    options.handler = &handler;
    options.clock = &clock_;
    if (is_manual) options.clock = &manual_clock_;
    manual_clock_.JumpWall(clock_.Wall() - manual_clock_.Wall());
    options.loops = loops;
    options.limits = limits;
    options.tls = std::move(tls);
    options.on_error = [this](std::string_view text) {
      std::lock_guard lock(mutex_);
      errors_ += text;
    };
    auto server = HttpServer::Start(std::move(options));
    if (server) server_ = std::move(*server);
    EXPECT_TRUE(server) << server.error().message();
  }

  HeldPort port_;
  SystemClock clock_;
  ManualClock manual_clock_;
  FunctionHandler handler_;
  std::mutex mutex_;
  std::string errors_;
  std::unique_ptr<HttpServer> server_;
};

// A server whose bodies take longer for each byte, by its clock, than a phase of a turn may take.
// It counts how often its loop asks for another before it does anything else.
class SlowBodyServer {
 public:
  SlowBodyServer()
      : handler_([this](HttpRequest, Responder responder) {
          std::shared_ptr<Responder::Sink> sink = std::move(responder).Release();
          HttpResponse response;
          response.source = std::make_unique<Source>(*this, sink);
          Responder(sink).Respond(std::move(response));
        }) {
    HttpServerOptions options;
    options.addresses = {"127.0.0.1:0"};
    options.handler = &handler_;
    options.clock = &clock_;
    options.loops = 1;
    auto server = HttpServer::Start(std::move(options));
    EXPECT_TRUE(server) << server.error().message();
    server_ = std::move(*server);
  }
  const std::string& address() const { return server_->addresses().front(); }
  static std::string Body() { return std::string(kBytes, 'x'); }
  int longest() const { return longest_; }

 private:
  static constexpr size_t kBytes = 100;

  class Source final : public BodySource {
   public:
    Source(SlowBodyServer& server, std::shared_ptr<Responder::Sink> sink)
        : server_(server), sink_(std::move(sink)) {}
    Result<State> Read(ByteBuffer& out, size_t room) override {
      static_cast<void>(room);
      server_.clock_.Advance(limits::kLoopPhaseTime);
      server_.longest_ = std::max(server_.longest_.load(), ++server_.in_a_row_);
      sink_->Post([&server = server_] { server.in_a_row_ = 0; });
      out.Append('x');
      return ++given_ == kBytes ? State::kEnd : State::kMore;
    }

   private:
    SlowBodyServer& server_;
    const std::shared_ptr<Responder::Sink> sink_;
    size_t given_ = 0;
  };

  ManualClock clock_;
  std::atomic<int> longest_ = 0;
  int in_a_row_ = 0;  // on the loop
  FunctionHandler handler_;
  std::unique_ptr<HttpServer> server_;
};

}  // namespace skiff::net
