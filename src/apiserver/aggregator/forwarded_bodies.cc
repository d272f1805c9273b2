#include "apiserver/aggregator/forwarded_bodies.h"

#include <utility>

#include "net/protocol.h"

namespace skiff::apiserver {
namespace {

Result<net::BodySource::State> ReadFrom(BytePipe& down, ByteBuffer& out, size_t room) {
  const BytePipe::Taken taken = down.Take(room);
  out.Append(taken.bytes);
  switch (taken.state) {
    case BytePipe::State::kEnded:
      return net::BodySource::State::kEnd;
    case BytePipe::State::kBroken:
      if (taken.bytes.empty()) {
        return Fail(StatusReason::kServiceUnavailable, "the server behind has broken off");
      }
      return net::BodySource::State::kMore;
    case BytePipe::State::kOpen:
      break;
  }
  return taken.bytes.empty() ? net::BodySource::State::kWaiting : net::BodySource::State::kMore;
}

class Source final : public net::BodySource {
 public:
  Source(std::shared_ptr<BytePipe> down, Duration deadline)
      : down_(std::move(down)), deadline_(deadline) {}
  ~Source() override { down_->Close(); }

  void OnStart(std::function<void()> wake) override { down_->OnReady(std::move(wake)); }
  Result<State> Read(ByteBuffer& out, size_t room) override { return ReadFrom(*down_, out, room); }
  size_t HeldBytes() const override { return down_->held_bytes(); }
  Duration Deadline() const override { return deadline_; }

 private:
  const std::shared_ptr<BytePipe> down_;
  const Duration deadline_;
};

// Who goes without an end was answered before, or is gone.
class Sink final : public net::RequestSink {
 public:
  explicit Sink(std::shared_ptr<BytePipe> up) : up_(std::move(up)) {}
  ~Sink() override { up_->End(BytePipe::State::kBroken); }

  void OnStart(std::function<void()> wake) override { up_->OnRoom(std::move(wake)); }
  bool wants_input() const override { return up_->has_room() || up_->closed(); }
  void OnBytes(std::string_view bytes) override { up_->Put(bytes); }
  void OnEnd() override { up_->End(BytePipe::State::kEnded); }
  void OnGone() override { up_->End(BytePipe::State::kBroken); }

 private:
  const std::shared_ptr<BytePipe> up_;
};

class Upgraded final : public net::UpgradedStream {
 public:
  Upgraded(std::shared_ptr<BytePipe> down, std::shared_ptr<BytePipe> up)
      : down_(std::move(down)), up_(std::move(up)) {}
  ~Upgraded() override {
    up_->End(BytePipe::State::kBroken);
    down_->Close();
  }

  void OnStart(std::function<void()> wake) override {
    down_->OnReady(wake);
    up_->OnRoom(std::move(wake));
  }
  Result<State> Read(ByteBuffer& out, size_t room) override { return ReadFrom(*down_, out, room); }
  size_t HeldBytes() const override { return down_->held_bytes() + up_->held_bytes(); }
  void OnBytes(std::string_view bytes) override { up_->Put(bytes); }
  void OnInputEnd() override { up_->End(BytePipe::State::kEnded); }
  bool wants_input() const override { return up_->has_room(); }

 private:
  const std::shared_ptr<BytePipe> down_;
  const std::shared_ptr<BytePipe> up_;
};

}  // namespace

std::unique_ptr<net::BodySource> SourceFrom(std::shared_ptr<BytePipe> down, Duration deadline) {
  return std::make_unique<Source>(std::move(down), deadline);
}

std::unique_ptr<net::RequestSink> SinkInto(std::shared_ptr<BytePipe> up) {
  return std::make_unique<Sink>(std::move(up));
}

std::unique_ptr<net::BodySource> UpgradedBetween(std::shared_ptr<BytePipe> down,
                                                 std::shared_ptr<BytePipe> up) {
  return std::make_unique<Upgraded>(std::move(down), std::move(up));
}

}  // namespace skiff::apiserver
