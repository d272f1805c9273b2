#include "grpc/router.h"

#include <optional>

#include <gtest/gtest.h>

namespace skiff::grpc {
namespace {

using std::chrono::seconds;

// Keeps the answer.
class RecordedResponse final : public net::Responder::Sink {
 public:
  void Respond(net::HttpResponse response) override {
    std::lock_guard lock(mutex_);
    EXPECT_FALSE(response_) << "answered twice";
    response_ = std::move(response);
    if (response_->source != nullptr) response_->source->OnStart([this] { Wake(); });
    changed_.notify_all();
  }
  bool gone() const override { return false; }
  void Post(std::move_only_function<void()> task) override { task(); }

  bool has_answer() {
    std::lock_guard lock(mutex_);
    return response_.has_value();
  }
  // How a stream ended: the status in its trailers; "open": it has not.
  std::string StreamStatus() {
    std::lock_guard lock(mutex_);
    return StatusOfStream();
  }
  std::string WaitForEnd() {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, seconds(30), [this] { return StatusOfStream() != "open"; });
    return StatusOfStream();
  }
  // The trailer, or the header of an answer that is nothing else.
  std::string WaitForStatus() {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, seconds(60), [this] { return response_.has_value(); });
    if (!response_) return "none";
    const std::string_view trailer = response_->trailers.Get("grpc-status");
    return std::string(trailer.empty() ? response_->headers.Get("grpc-status") : trailer);
  }

 private:
  void Wake() {
    std::lock_guard lock(mutex_);
    changed_.notify_all();
  }
  std::string StatusOfStream() {
    if (!response_ || response_->source == nullptr) return "none";
    ByteBuffer out;
    const Result<net::BodySource::State> state = response_->source->Read(out, 1000);
    if (!state || *state != net::BodySource::State::kEnd) return "open";
    return std::string(response_->source->Trailers().Get("grpc-status"));
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<net::HttpResponse> response_;
};

class Follower final : public GrpcStreamHandler {
 public:
  void OnMessage(std::string_view) override {}
};

class GrpcRouterTest : public testing::Test {
 protected:
  GrpcRouterTest() {
    router_.AddStream("/test.Slow/Follow",
                      [](std::shared_ptr<GrpcOutput>) { return std::make_unique<Follower>(); });
    router_.AddBytes("/test.Slow/Wait", [this](std::string_view, GrpcResponder responder) {
      waiting_.push_back(std::move(responder));
    });
  }
  static net::HttpRequest RequestFor(std::string path, std::string timeout) {
    net::HttpRequest request;
    request.method = "POST";
    request.path = std::move(path);
    request.version = 20;
    request.headers.Add("content-type", "application/grpc");
    if (!timeout.empty()) request.headers.Add("grpc-timeout", std::move(timeout));
    return request;
  }
  std::shared_ptr<RecordedResponse> Call(std::string timeout) {
    net::HttpRequest request = RequestFor("/test.Slow/Wait", std::move(timeout));
    request.body = std::string(kGrpcPrefixBytes, '\0');
    auto answer = std::make_shared<RecordedResponse>();
    router_.Handle(std::move(request), net::Responder(answer));
    return answer;
  }
  // A stream whose sink is kept: the client does not end it.
  std::shared_ptr<RecordedResponse> Follow(std::string timeout) {
    net::HttpRequest request = RequestFor("/test.Slow/Follow", std::move(timeout));
    auto answer = std::make_shared<RecordedResponse>();
    net::Responder responder(answer);
    sinks_.push_back(router_.HandleStream(request, responder));
    EXPECT_NE(sinks_.back(), nullptr);
    return answer;
  }
  void AnswerFirst() {
    std::move(waiting_.front()).SendStatus({GrpcCode::kNotFound, "there is none"});
    waiting_.erase(waiting_.begin());
  }

  ManualClock clock_;
  MetricsRegistry metrics_;
  std::vector<GrpcResponder> waiting_;
  std::vector<std::unique_ptr<net::RequestSink>> sinks_;
  GrpcRouter router_{nullptr, metrics_, clock_, 1000};
};

TEST_F(GrpcRouterTest, ACallThatIsNotAnsweredInTimeEndsAndItsAnswerIsDropped) {
  const auto patient = Call("");
  const auto hasty = Call("5S");
  clock_.Advance(seconds(4));
  EXPECT_FALSE(hasty->has_answer());
  clock_.Advance(seconds(1));
  EXPECT_EQ(hasty->WaitForStatus(), "4");
  AnswerFirst();
  AnswerFirst();
  EXPECT_EQ(patient->WaitForStatus(), "5");
  EXPECT_EQ(hasty->WaitForStatus(), "4");
}

TEST_F(GrpcRouterTest, ACallThatIsAnsweredInTimeIsNotEndedLater) {
  const auto answer = Call("5S");
  AnswerFirst();
  EXPECT_EQ(answer->WaitForStatus(), "5");
  clock_.Advance(seconds(10));
  const auto next = Call("1m");
  clock_.Advance(seconds(1));
  EXPECT_EQ(next->WaitForStatus(), "4");
  EXPECT_EQ(answer->WaitForStatus(), "5");
}

TEST_F(GrpcRouterTest, AStreamEndsWhenTheTimeThatItsClientGaveItIsOver) {
  const auto patient = Follow("");
  const auto hasty = Follow("5S");
  clock_.Advance(seconds(4));
  EXPECT_EQ(hasty->StreamStatus(), "open");
  clock_.Advance(seconds(1));
  EXPECT_EQ(hasty->WaitForEnd(), "4");
  EXPECT_EQ(patient->StreamStatus(), "open");
}

TEST_F(GrpcRouterTest, AStreamWithoutTimeDoesNotBegin) {
  EXPECT_EQ(Follow("0n")->WaitForStatus(), "4");
  EXPECT_EQ(Follow("soon")->WaitForStatus(), "13");
}

}  // namespace
}  // namespace skiff::grpc
