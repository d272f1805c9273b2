// Streams of watches with a client that reads when the test says so.
#include "store/etcd_server/watch_stream.h"

#include <condition_variable>
#include <mutex>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/limits.h"
#include "store/embedded/testing.h"

namespace skiff::store {
namespace {

using etcdserverpb::WatchCreateRequest;
using etcdserverpb::WatchRequest;
using etcdserverpb::WatchResponse;

constexpr size_t kMaxRequestBytes = 64 * 1024;

class WatchStreamTest : public EmbeddedStoreTestBase {
 protected:
  void SetUp() override {
    Open();
    EtcdCoreOptions options;
    options.max_request_bytes = kMaxRequestBytes;
    core_.emplace(*store_, options, metrics_, log_);
    output_ = std::make_shared<grpc::GrpcOutput>();
    call_ = grpc::MakeGrpcStream(
        [this](std::shared_ptr<grpc::GrpcOutput> output) {
          return std::make_unique<WatchStream>(*core_, registry_, std::move(output));
        },
        output_, kMaxRequestBytes, grpc::GrpcEncoding::kIdentity);
    call_.source->OnStart([this] {
      std::lock_guard lock(mutex_);
      woken_ = true;
      wake_.notify_all();
    });
  }
  void TearDown() override {
    call_ = {};
    core_->jobs().Stop();
  }

  void Send(const WatchRequest& request) {
    call_.sink->OnBytes(grpc::FrameMessage(request).view());
  }
  void Create(const std::function<void(WatchCreateRequest&)>& change = [](auto&) {}) {
    WatchRequest request;
    request.mutable_create_request()->set_key("k");
    request.mutable_create_request()->set_range_end("l");
    change(*request.mutable_create_request());
    Send(request);
  }
  void AskForProgress() {
    WatchRequest request;
    request.mutable_progress_request();
    Send(request);
  }

  // What the client can have now.
  std::vector<WatchResponse> Read() {
    std::vector<WatchResponse> out;
    ByteBuffer bytes;
    while (*call_.source->Read(bytes, 64 * 1024) == net::BodySource::State::kMore) {
    }
    EXPECT_TRUE(reader_
                    .Read(bytes.view(),
                          [&](std::string_view message) {
                            EXPECT_TRUE(out.emplace_back().ParseFromArray(
                                message.data(), static_cast<int>(message.size())));
                          })
                    .ok());
    return out;
  }
  // Reads until the client has heard of that revision, or of progress to it, and notes all events.
  void ReadUntil(int64_t revision, bool wants_progress = false) {
    bool is_done = false;
    while (!is_done) {
      for (const WatchResponse& response : Read()) {
        messages_.push_back(response);
        for (const auto& event : response.events()) revisions_.push_back(event.kv().mod_revision());
        const bool is_report = response.watch_id() == -1;
        progress_ += is_report ? 1 : 0;
        if (is_report) {
          EXPECT_EQ(revisions_.empty() ? 0 : revisions_.back(), revision);
        }
        is_done |= is_report ? wants_progress : (!wants_progress && HasHeard(revision));
      }
      if (!is_done) WaitUntilWoken();
    }
  }
  bool HasHeard(int64_t revision) const {
    return !revisions_.empty() && revisions_.back() >= revision;
  }
  void WaitUntilWoken() {
    std::unique_lock lock(mutex_);
    wake_.wait(lock, [this] { return woken_; });
    woken_ = false;
  }
  int64_t PutMany(int count, size_t bytes) {
    int64_t revision = 0;
    for (int i = 0; i < count; ++i)
      revision = Put("k" + std::to_string(i), std::string(bytes, 'x'));
    return revision;
  }
  std::vector<int64_t> Through(int64_t first, int64_t last) {
    std::vector<int64_t> out;
    for (int64_t at = first; at <= last; ++at) out.push_back(at);
    return out;
  }

  MetricsRegistry metrics_;
  MemoryLogSink log_sink_;
  Log log_{clock_, log_sink_};
  WatchRegistry registry_;
  std::optional<EtcdServerCore> core_;
  std::shared_ptr<grpc::GrpcOutput> output_;
  grpc::GrpcStreamCall call_;
  grpc::GrpcReader reader_{64 * 1024 * 1024};
  std::mutex mutex_;
  std::condition_variable wake_;
  bool woken_ = false;
  std::vector<WatchResponse> messages_;
  std::vector<int64_t> revisions_;
  int progress_ = 0;
};

TEST_F(WatchStreamTest, AClientThatReadsLateMissesNothingAndIsNotHeldInMemory) {
  Create();
  const int64_t last = PutMany(40, 512 * 1024);
  // Beyond the bound there is at most the event that passed it.
  EXPECT_LT(output_->queued_bytes(), limits::kMaxEtcdServerQueuedBytes + 1024 * 1024);
  ReadUntil(last);
  EXPECT_EQ(revisions_, Through(2, last));
  const int64_t next = Put("k", "after");
  ReadUntil(next);
  EXPECT_EQ(revisions_, Through(2, next));
}

TEST_F(WatchStreamTest, AWatchMayFallBehindAgainWhileItCatchesUp) {
  Create();
  for (int round = 0; round < 3; ++round) {
    PutMany(20, 512 * 1024);
    // A little only, so that it starts again and meets a full queue.
    ByteBuffer some;
    ASSERT_TRUE(call_.source->Read(some, 64 * 1024));
    ASSERT_TRUE(reader_
                    .Read(some.view(),
                          [&](std::string_view message) {
                            WatchResponse response;
                            ASSERT_TRUE(response.ParseFromArray(message.data(),
                                                                static_cast<int>(message.size())));
                            for (const auto& event : response.events())
                              revisions_.push_back(event.kv().mod_revision());
                          })
                    .ok());
  }
  const int64_t last = Put("k", "last");
  ReadUntil(last);
  EXPECT_EQ(revisions_, Through(2, last));
}

TEST_F(WatchStreamTest, ProgressIsReportedAfterAllThatALaggingWatchHasMissed) {
  Create();
  const int64_t last = PutMany(40, 512 * 1024);
  AskForProgress();
  ReadUntil(last, true);
  EXPECT_EQ(revisions_, Through(2, last));
  EXPECT_EQ(progress_, 1);
}

TEST_F(WatchStreamTest, AWatchThatLagsBehindACompactionIsToldSo) {
  Create();
  const int64_t last = PutMany(40, 512 * 1024);
  ASSERT_TRUE(Compact(last));
  bool is_canceled = false;
  while (!is_canceled) {
    for (const WatchResponse& response : Read()) {
      is_canceled |= response.canceled();
      if (!response.canceled()) continue;
      EXPECT_EQ(response.compact_revision(), last);
      EXPECT_EQ(response.header().revision(), 0);
    }
    if (!is_canceled) WaitUntilWoken();
  }
}

TEST_F(WatchStreamTest, LargeAnswersComeInFragmentsIfTheClientAskedForThem) {
  std::vector<Write> writes;
  for (int i = 0; i < 10; ++i)
    writes.push_back(PutOf("k" + std::to_string(i), std::string(kMaxRequestBytes / 2, 'x')));
  const int64_t revision = Do(writes).revision.value;
  Create([](auto& request) {
    request.set_start_revision(1);
    request.set_fragment(true);
  });
  while (revisions_.size() < writes.size()) {
    for (const WatchResponse& response : Read()) {
      for (const auto& event : response.events()) revisions_.push_back(event.kv().mod_revision());
      if (response.events_size() == 0) continue;
      EXPECT_LT(response.ByteSizeLong(), kMaxRequestBytes + 1024);
      EXPECT_EQ(response.fragment(), revisions_.size() < writes.size());
    }
    if (revisions_.size() < writes.size()) WaitUntilWoken();
  }
  EXPECT_EQ(revisions_, std::vector<int64_t>(10, revision));
}

TEST_F(WatchStreamTest, QuietWatchesThatAskedForItHearOfProgressAlone) {
  Create([](auto& request) { request.set_progress_notify(true); });
  Create();
  const int64_t revision = Put("other", "1");
  ASSERT_EQ(Read().size(), 2U);  // both were created
  std::vector<WatchResponse> told;
  // The first tick finds out who is quiet, the second tells.
  for (int tick = 0; tick < 2; ++tick) {
    registry_.Tick();
    for (WatchResponse& response : Read()) told.push_back(std::move(response));
  }
  while (told.empty()) {
    WaitUntilWoken();
    for (WatchResponse& response : Read()) told.push_back(std::move(response));
  }
  ASSERT_EQ(told.size(), 1U);
  EXPECT_EQ(told[0].watch_id(), 0);
  EXPECT_EQ(told[0].header().revision(), revision);
  EXPECT_EQ(told[0].events_size(), 0);
}

}  // namespace
}  // namespace skiff::store
