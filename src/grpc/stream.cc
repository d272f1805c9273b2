#include "grpc/stream.h"

#include <algorithm>
#include <utility>

namespace skiff::grpc {

void GrpcOutput::Send(SharedBytes frame) {
  std::function<void()> wake;
  {
    std::lock_guard lock(mutex_);
    if (finished_) return;
    queued_bytes_.fetch_add(frame.size(), std::memory_order_relaxed);
    queue_.push_back(std::move(frame));
    wake = wake_;
  }
  if (wake) wake();
}

void GrpcOutput::Finish(const GrpcStatus& status) {
  std::function<void()> wake;
  std::function<void()> on_finish;
  {
    std::lock_guard lock(mutex_);
    if (std::exchange(finished_, true)) return;
    status_ = status;
    wake = wake_;
    on_finish = std::exchange(on_finish_, nullptr);
  }
  if (wake) wake();
  if (on_finish) on_finish();
}

void GrpcOutput::SetOnFinish(std::function<void()> on_finish) {
  {
    std::lock_guard lock(mutex_);
    if (!finished_) {
      on_finish_ = std::move(on_finish);
      return;
    }
  }
  on_finish();
}

void GrpcOutput::Wake() {
  std::function<void()> wake;
  {
    std::lock_guard lock(mutex_);
    wake = wake_;
  }
  if (wake) wake();
}

namespace {

// What the two directions of a call share.
struct Call {
  std::unique_ptr<GrpcStreamHandler> handler;
};

class StreamSink final : public net::RequestSink {
 public:
  StreamSink(std::shared_ptr<Call> call, std::shared_ptr<GrpcOutput> output, size_t max_bytes,
             GrpcEncoding encoding)
      : call_(std::move(call)), output_(std::move(output)), reader_(max_bytes, encoding) {}

  void OnBytes(std::string_view bytes) override {
    if (has_failed_) return;
    const GrpcStatus read = reader_.Read(
        bytes, [this](std::string_view message) { call_->handler->OnMessage(message); });
    has_failed_ = !read.ok();
    if (has_failed_) output_->Finish(read);
  }
  void OnEnd() override { call_->handler->OnInputEnd(); }
  void OnGone() override {}

 private:
  const std::shared_ptr<Call> call_;
  const std::shared_ptr<GrpcOutput> output_;
  GrpcReader reader_;
  bool has_failed_ = false;
};

}  // namespace

class GrpcStreamSource final : public net::BodySource {
 public:
  GrpcStreamSource(std::shared_ptr<Call> call, std::shared_ptr<GrpcOutput> output)
      : call_(std::move(call)), output_(std::move(output)) {}
  ~GrpcStreamSource() override {
    output_->Finish({GrpcCode::kCanceled, ""});
    std::lock_guard lock(output_->mutex_);
    output_->queue_.clear();
    output_->wake_ = nullptr;
  }

  void OnStart(std::function<void()> wake) override {
    std::lock_guard lock(output_->mutex_);
    output_->wake_ = std::move(wake);
  }

  Result<State> Read(ByteBuffer& out, size_t room) override {
    State state = Take(out, room);
    if (state != State::kWaiting) return state;
    call_->handler->OnDrained();
    return out.empty() ? Take(out, room) : state;
  }

  net::HttpHeaders Trailers() override {
    net::HttpHeaders trailers;
    std::lock_guard lock(output_->mutex_);
    AddGrpcStatus(trailers, output_->status_);
    return trailers;
  }

 private:
  State Take(ByteBuffer& out, size_t room) {
    std::lock_guard lock(output_->mutex_);
    auto& queue = output_->queue_;
    while (!queue.empty() && room > 0) {
      const std::string_view rest = queue.front().view().substr(output_->front_sent_);
      const size_t taken = std::min(room, rest.size());
      out.Append(rest.substr(0, taken));
      room -= taken;
      output_->front_sent_ += taken;
      output_->queued_bytes_.fetch_sub(taken, std::memory_order_relaxed);
      if (taken < rest.size()) continue;
      queue.pop_front();
      output_->front_sent_ = 0;
    }
    if (!queue.empty()) return State::kMore;
    return output_->finished_ ? State::kEnd : State::kWaiting;
  }

  const std::shared_ptr<Call> call_;
  const std::shared_ptr<GrpcOutput> output_;
};

GrpcStreamCall MakeGrpcStream(const GrpcStreamFactory& make, std::shared_ptr<GrpcOutput> output,
                              size_t max_message_bytes, GrpcEncoding encoding) {
  auto call = std::make_shared<Call>();
  call->handler = make(output);
  GrpcStreamCall out;
  out.source = std::make_unique<GrpcStreamSource>(call, output);
  out.sink =
      std::make_unique<StreamSink>(std::move(call), std::move(output), max_message_bytes, encoding);
  return out;
}

net::HttpResponse GrpcStreamResponse(std::unique_ptr<net::BodySource> source) {
  net::HttpResponse response;
  response.headers.Add("content-type", "application/grpc");
  response.source = std::move(source);
  return response;
}

}  // namespace skiff::grpc
