// A whole server without a listener on a store in memory, for tests that speak to it from within
// the process, on their own thread.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>

#include <gtest/gtest.h>

#include "apiserver/server.h"
#include "client/client.h"
#include "store/embedded/embedded_store.h"
#include "store/embedded/memory_engine.h"

namespace skiff::apiserver {

// Runs on the thread of the test, when that waits for something.
class WaitingExecutor final : public Executor {
 public:
  explicit WaitingExecutor(Clock& clock) : clock_(clock) {}
  void Post(Work work) override {
    const std::lock_guard lock(mutex_);
    posted_.push_back(std::move(work));
    changed_.notify_all();
  }
  TimerId After(Duration, Work) override { return {}; }
  void Cancel(TimerId) override {}
  Clock& clock() override { return clock_; }

  // Runs what was posted until `holds`; false if that takes longer.
  bool Until(const std::function<bool()>& holds, Duration at_most = std::chrono::seconds(60)) {
    const Duration deadline = clock_.Monotonic() + at_most;
    while (!holds()) {
      Work work;
      {
        std::unique_lock lock(mutex_);
        while (posted_.empty() && clock_.Monotonic() < deadline) {
          clock_.WaitUntil(changed_, lock, deadline);
        }
        if (posted_.empty()) return false;
        work = std::move(posted_.front());
        posted_.pop_front();
      }
      work();
    }
    return true;
  }
  // Runs what is posted within that time.
  void RunFor(Duration time) {
    Until([] { return false; }, time);
  }
  // Runs what has been posted.
  void Drain() {
    bool marked = false;
    Post([&] { marked = true; });
    EXPECT_TRUE(Until([&] { return marked; }));
  }

 private:
  Clock& clock_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Work> posted_;
};

class ServerWithinTest : public testing::Test {
 protected:
  void SetUp() override {
    store::EmbeddedOptions embedded;
    embedded.open_engine = [this] { return disk_->Open(); };
    embedded.clock = &clock_;
    embedded.random = &random_;
    auto store = store::EmbeddedStore::Open(std::move(embedded));
    ASSERT_TRUE(store) << store.error().ToString();
    store_ = std::move(*store);
    StartServer();
  }

  // What a test wants otherwise.
  virtual void Change(ApiServerOptions&) {}

  // Null: it failed, and so has the test.
  std::unique_ptr<ApiServer> MakeServer() {
    ApiServerOptions options;
    options.listen = false;
    options.authorization_modes = {AuthorizationMode::kRbac};
    options.disable_admission_plugins = {"ServiceAccount"};
    Change(options);
    FillDerived(options, {.default_address = IpAddress::LoopbackV4(), .host_name = "test"});
    auto server = ApiServer::Start(std::move(options), clock_, server_random(), log_, store_.get());
    EXPECT_TRUE(server) << server.error().ToString();
    EXPECT_TRUE(server && Eventually([&] { return (*server)->ready(); }));
    return server ? std::move(*server) : nullptr;
  }
  void StartServer() {
    server_ = MakeServer();
    ASSERT_NE(server_, nullptr);
    admin_ = server_->Connect(Admin(), executor_);
  }
  virtual Random& server_random() { return random_; }
  static serving::UserInfo Admin() {
    return {.name = "admin",
            .uid = {},
            .groups = {serving::kMastersGroup, serving::kAuthenticatedGroup},
            .extra = {}};
  }

  // For what nobody posts a word of.
  bool Eventually(const std::function<bool()>& holds) {
    const Duration deadline = clock_.Monotonic() + std::chrono::seconds(60);
    while (!holds()) {
      if (clock_.Monotonic() > deadline) return false;
      executor_.RunFor(std::chrono::milliseconds(5));
    }
    return true;
  }
  template <typename T>
  T Await(Task<T> task) {
    std::optional<T> out;
    Detach<T>(std::move(task), [&](T result) { out.emplace(std::move(result)); });
    EXPECT_TRUE(executor_.Until([&] { return out.has_value(); }));
    return std::move(*out);
  }
  client::Client client() { return client::Client(*admin_, "test"); }

  SystemClock clock_;
  SystemRandom random_;
  MemoryLogSink sink_;
  Log log_{clock_, sink_};
  std::shared_ptr<store::MemoryDisk> disk_ = store::MemoryDisk::Make();
  std::unique_ptr<store::Store> store_;
  WaitingExecutor executor_{clock_};
  std::unique_ptr<ApiServer> server_;
  std::unique_ptr<client::ClientTransport> admin_;
};

}  // namespace skiff::apiserver
