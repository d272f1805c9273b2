// For tests of this folder: an API server of a few lines, which answers as the test says, and a
// transport to it whose time passes when the test says so.
#pragma once

#include <algorithm>
#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/clock.h"
#include "base/random.h"
#include "client/client.h"
#include "client/https/https_transport.h"
#include "client/https/rest_config.h"
#include "net/loop_executor.h"
#include "net/server.h"
#include "net/testing.h"
#include "net/testing_tls.h"
#include "object/json/decode.h"
#include "object/json/encode.h"
#include "object/protobuf/envelope.h"

namespace skiff::client {

inline net::HttpResponse TypedResponse(std::string_view type, std::string_view body,
                                       int code = 200) {
  net::HttpResponse response;
  response.code = code;
  response.headers.Add("content-type", std::string(type));
  response.body = SharedBytes(body);
  return response;
}
inline net::HttpResponse JsonResponse(std::string_view body, int code = 200) {
  return TypedResponse("application/json", body, code);
}

// An object of any built-in kind, as protobuf in its envelope.
inline std::string AsProtobuf(std::string_view json) {
  const auto meta = object::PeekTypeMeta(json);
  const auto document = object::DecodeJson(json, object::FindKind(meta->api_version, meta->kind));
  std::string bytes;
  object::EncodeStorage(document->root(), &bytes);
  return bytes;
}

// What a watch brings, as text: "ADDED a", "BOOKMARK 7 end", "end", "end Expired".
class RecordingSink final : public ClientWatchSink {
 public:
  void OnEvents(std::span<const ClientEvent> events) override {
    for (const ClientEvent& event : events) {
      constexpr const char* kNames[] = {"ADDED", "MODIFIED", "DELETED", "BOOKMARK"};
      std::string line = kNames[static_cast<size_t>(event.type)];
      line += ' ';
      line += event.type == ClientEvent::Type::kBookmark ? ResourceVersionOf(*event.object)
                                                         : NameOf(*event.object).name;
      if (event.initial_end) line += " end";
      Add(std::move(line), event.object);
    }
    if (on_events) on_events();
  }
  void OnEnd(std::optional<Status> why) override {
    {
      std::lock_guard lock(mutex_);
      fault_ = why;
    }
    Add("end" + (why ? " " + std::string(StatusReasonName(why->reason())) : ""), nullptr);
  }

  // Whether there are, or come to be, that many lines.
  bool WaitFor(size_t count) {
    std::unique_lock lock(mutex_);
    return wake_.wait_for(lock, std::chrono::seconds(net::kPatienceSeconds),
                          [&] { return lines_.size() >= count; });
  }
  std::string text() {
    std::lock_guard lock(mutex_);
    std::string out;
    for (const std::string& line : lines_) out += (out.empty() ? "" : ", ") + line;
    return out;
  }
  ObjectPtr object(size_t index) {
    std::lock_guard lock(mutex_);
    return objects_.at(index);
  }
  std::string fault() {
    std::lock_guard lock(mutex_);
    return fault_ ? fault_->message() : "";
  }

  std::function<void()> on_events;

 private:
  void Add(std::string line, ObjectPtr object) {
    std::lock_guard lock(mutex_);
    lines_.push_back(std::move(line));
    objects_.push_back(std::move(object));
    wake_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable wake_;
  std::vector<std::string> lines_;
  std::vector<ObjectPtr> objects_;
  std::optional<Status> fault_;
};

// The loop's executor, which can tell what it was asked to do later: the tries again of calls and
// the turns of those beyond the rate. Who waits for these waits for nothing but the time. Belongs
// to the loop.
class PausingExecutor final : public Executor {
 public:
  explicit PausingExecutor(std::shared_ptr<net::EventLoop> loop) : executor_(std::move(loop)) {}

  void Post(Work work) override { executor_.Post(std::move(work)); }
  TimerId After(Duration delay, Work work) override {
    const uint64_t id = ++last_;
    const TimerId timer = executor_.After(delay, [this, id, work = std::move(work)]() mutable {
      waits_.erase(id);
      work();
    });
    waits_[id] = {clock().Monotonic() + delay, timer};
    return {id};
  }
  void Cancel(TimerId timer) override {
    const auto found = waits_.find(timer.value);
    if (found == waits_.end()) return;
    executor_.Cancel(found->second.timer);
    waits_.erase(found);
  }
  Clock& clock() override { return executor_.clock(); }

  // When the first of them is due; nothing when nobody waits.
  std::optional<Duration> FirstDue() const {
    std::optional<Duration> first;
    for (const auto& [id, wait] : waits_)
      if (!first || wait.due < *first) first = wait.due;
    return first;
  }

 private:
  struct Wait {
    Duration due{};
    TimerId timer;
  };

  net::LoopExecutor executor_;
  std::map<uint64_t, Wait> waits_;
  uint64_t last_ = 0;
};

class HttpsTest : public testing::Test {
 protected:
  HttpsTest() {
    server_tls_.certificate.certificate_file =
        folder_.Write("tls.crt", server_certificate_.CertificatePem());
    server_tls_.certificate.key_file = folder_.Write("tls.key", server_certificate_.KeyPem());
    server_tls_.client_ca_files = {folder_.Write("ca.crt", ca_.CertificatePem())};
    config_.ca.text = ca_.CertificatePem();
    clock_.JumpWall(system_clock_.Wall() - clock_.Wall());
    loop_ = *net::EventLoop::Create(clock_);
    loop_->Start("client");
    executor_ = std::make_unique<PausingExecutor>(loop_);
  }
  // Not in the destructor: a request under way then would reach the handler of a test whose members
  // are gone already.
  void TearDown() override {
    OnLoop([this] {
      if (transport_ != nullptr) transport_->Close();
      transport_.reset();
    });
    StopServer();
    loop_->Stop();
  }

  void OnLoop(const std::function<void()>& task) {
    net::Latch done;
    loop_->Post([&] {
      task();
      done.Open();
    });
    ASSERT_TRUE(done.Wait());
  }
  // A turn of the loop that begins now has ended.
  void PassATurn() {
    OnLoop([] {});
    OnLoop([] {});
  }
  // Between two turns of the loop: none of them sees both times. What was due has been done.
  void Advance(Duration by) {
    PassATurn();
    clock_.Advance(by);
    PassATurn();
  }

  // On the same port each time; nobody else listens there after StopServer().
  void Serve(net::FunctionHandler::Function function) {
    handler_ = std::make_unique<net::FunctionHandler>(std::move(function));
    net::HttpServerOptions options;
    options.addresses = {port_.address()};
    options.handler = handler_.get();
    options.clock = &system_clock_;
    options.loops = 1;
    if (!is_plain_) options.tls = server_tls_;
    auto server = net::HttpServer::Start(std::move(options));
    ASSERT_TRUE(server) << server.error().message();
    server_ = std::move(*server);
    config_.server = (is_plain_ ? "http://" : "https://") + port_.address();
  }
  void StopServer() { server_.reset(); }

  HttpsEnvironment Environment() { return {loop_, *executor_, random_}; }
  void Connect() {
    auto made = HttpsTransport::Open(Environment(), config_);
    ASSERT_TRUE(made) << made.error().message();
    transport_ = std::move(*made);
  }

  // Answered later; the latch opens then.
  struct Pending {
    net::Latch done;
    Result<ClientReply> reply = ClientReply();
  };
  std::unique_ptr<Pending> Start(ClientCall call) {
    auto pending = std::make_unique<Pending>();
    OnLoop([&] {
      transport_->Send(std::move(call), [raw = pending.get()](Result<ClientReply> reply) {
        raw->reply = std::move(reply);
        raw->done.Open();
      });
    });
    return pending;
  }
  Result<ClientReply> Call(ClientCall call) {
    auto pending = Start(std::move(call));
    EXPECT_TRUE(pending->done.Wait());
    return std::move(pending->reply);
  }
  // Moves the time on whenever somebody waits for that, until the latch opens. While the server is
  // asked or connected to, the time stands still, however long that takes.
  void PassTimeUntil(net::Latch& done) {
    const Duration end = system_clock_.Monotonic() + std::chrono::seconds(net::kPatienceSeconds);
    std::mutex mutex;
    std::condition_variable never;
    while (!done.is_open() && system_clock_.Monotonic() < end) {
      std::optional<Duration> due;
      OnLoop([&] { due = executor_->FirstDue(); });
      std::unique_lock lock(mutex);
      if (due)
        Advance(std::max(*due - clock_.Monotonic(), Duration::zero()));
      else
        never.wait_for(lock, std::chrono::milliseconds(1));
    }
    EXPECT_TRUE(done.is_open());
  }
  Result<ClientReply> CallThroughTime(ClientCall call) {
    auto pending = Start(std::move(call));
    PassTimeUntil(pending->done);
    return std::move(pending->reply);
  }

  static ClientCall GetCall(const std::string& name = "a") {
    ClientCall call;
    call.resource = &BuiltIn("", "v1", "configmaps");
    call.target = {"default", name};
    return call;
  }
  static ClientCall CreateCall(const std::string& name = "a") {
    ClientCall call = GetCall();
    call.verb = ClientVerb::kCreate;
    call.body = *ParseObject(*call.resource,
                             R"({"metadata":{"name":")" + name + R"(","namespace":"default"}})");
    return call;
  }
  static std::string ConfigMap(const std::string& name, const std::string& version = "1") {
    return R"({"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":")" + name +
           R"(","namespace":"default","resourceVersion":")" + version + R"("}})";
  }

  SystemClock system_clock_;
  ManualClock clock_;
  SeededRandom random_{1};
  net::TestFolder folder_;
  net::TestCertificate ca_{{.common_name = "ca", .is_ca = true}};
  net::TestCertificate server_certificate_{
      {.common_name = "server", .names = "DNS:localhost,IP:127.0.0.1"}, &ca_};
  net::TlsOptions server_tls_;
  bool is_plain_ = false;  // the server has no TLS
  RestConfig config_;
  net::HeldPort port_;
  std::unique_ptr<net::FunctionHandler> handler_;
  std::unique_ptr<net::HttpServer> server_;
  std::shared_ptr<net::EventLoop> loop_;
  std::unique_ptr<PausingExecutor> executor_;
  std::unique_ptr<HttpsTransport> transport_;
};

}  // namespace skiff::client
