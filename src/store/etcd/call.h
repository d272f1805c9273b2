// One request with one answer, tried at one member after another as far as that is safe. Internal
// to store/etcd.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "base/limits.h"
#include "grpc/unary.h"
#include "store/etcd/core.h"
#include "store/etcd/errors.h"

namespace skiff::store {

struct EtcdCallKind {
  // A read is tried again until its time is up. A write is only if it is certain that the last
  // attempt changed nothing; otherwise the answer is kServerTimeout.
  bool read = true;
  // A member without a leader refuses at once. Off for reads that may be stale.
  bool require_leader = true;
  // The answer tells the newest state, so its revision must not be lower than any seen before.
  bool current = true;
  Duration attempt_timeout{0};  // zero: as the options say
  Duration timeout{0};          // likewise
};

// Keeps itself alive while under way.
template <typename Request, typename Response>
class EtcdCall final : public EtcdTask,
                       public std::enable_shared_from_this<EtcdCall<Request, Response>> {
 public:
  using Done = std::move_only_function<void(Result<Response>)>;

  static void Start(const std::shared_ptr<EtcdCore>& core, EtcdCallKind kind,
                    std::string_view method, const Request& request, Done done) {
    auto call = std::make_shared<EtcdCall>(core, kind, method, request, std::move(done));
    if (const size_t size = call->frame_.size(); size > limits::kMaxEtcdSentBytes)
      return call->done_(std::unexpected(TooLarge(size)));
    if (auto added = core->Add(call); !added)
      return call->done_(std::unexpected(std::move(added).error()));
    call->Attempt();
  }

  EtcdCall(std::shared_ptr<EtcdCore> core, EtcdCallKind kind, std::string_view method,
           const Request& request, Done done)
      : core_(std::move(core)),
        kind_(kind),
        method_(method),
        frame_(grpc::FrameMessage(request)),
        done_(std::move(done)),
        deadline_(core_->clock().Monotonic() +
                  (kind.timeout.count() != 0 ? kind.timeout : core_->options().request_timeout)) {
    if (kind_.attempt_timeout.count() == 0)
      kind_.attempt_timeout = core_->options().attempt_timeout;
  }

  void Cancel() override {
    std::unique_lock lock(mutex_);
    cancelled_ = true;
    if (call_) call_->Cancel();
  }

 private:
  void Attempt() {
    if (core_->closing()) return Finish(std::unexpected(EtcdCore::ClosingStatus()));
    if (auto connection = core_->members().Choose(avoid_)) return SendOn(std::move(connection));
    const Duration left = deadline_ - core_->clock().Monotonic();
    if (left <= Duration(0)) return Finish(std::unexpected(NoMemberServes()));
    core_->members().Wait(left, [self = this->shared_from_this()](auto connection) {
      if (connection) return self->SendOn(std::move(connection));
      if (self->core_->closing()) return self->Finish(std::unexpected(EtcdCore::ClosingStatus()));
      self->Finish(std::unexpected(self->NoMemberServes()));
    });
  }

  void SendOn(std::shared_ptr<EtcdConnection> connection) {
    const Duration left = deadline_ - core_->clock().Monotonic();
    if (left <= Duration(0)) return Finish(std::unexpected(NoMemberServes()));
    grpc::GrpcCallOptions options =
        EtcdCallOptions(method_, std::min(left, kind_.attempt_timeout), kind_.require_leader);
    // The answer may come, and the next attempt begin, before this one is noted.
    std::unique_lock lock(mutex_);
    connection_ = std::move(connection);
    not_before_ = kind_.current ? core_->seen_revision() : 0;
    call_ = grpc::CallUnary<Response>(
        *connection_->channel, std::move(options), frame_,
        [self = this->shared_from_this()](grpc::GrpcResult<Response> result) {
          self->OnAnswer(std::move(result));
        });
    if (cancelled_) call_->Cancel();
  }

  void OnAnswer(grpc::GrpcResult<Response> result) {
    if (result) {
      if (kind_.current) core_->served = true;
      // What a write has done is done, wherever that was.
      auto fits = core_->Observe(*connection_, result->header(), not_before_);
      if (!fits && kind_.read) return Finish(std::unexpected(std::move(fits).error()));
      return Finish(std::move(*result));
    }
    EtcdFailure failure = ClassifyEtcdError(result.error());
    if (failure.out_of_space) core_->out_of_space = true;
    if (!core_->closing()) core_->members().Report(*connection_, failure);
    using Kind = EtcdFailure::Kind;
    if (failure.kind == Kind::kFinal) return Finish(std::unexpected(std::move(failure.status)));
    if (!kind_.read && failure.kind != Kind::kTryAgain)
      return Finish(
          Fail(StatusReason::kServerTimeout,
               "it is not known whether etcd made the change: " + failure.status.message()));
    if (core_->closing()) return Finish(std::unexpected(EtcdCore::ClosingStatus()));
    avoid_ |= uint32_t{1} << connection_->endpoint;
    const Duration pause = core_->members().Backoff(++failures_);
    if (core_->clock().Monotonic() + pause >= deadline_)
      return Finish(std::unexpected(std::move(failure.status)));
    // The first time another member is tried at once, if there is one.
    if (failures_ == 1 && core_->options().endpoints.size() > 1) return Attempt();
    if (failures_ % static_cast<int>(core_->options().endpoints.size()) == 0) avoid_ = 0;
    core_->timers().After(pause, [self = this->shared_from_this()] { self->Attempt(); });
  }

  static Status TooLarge(size_t size) {
    return ClassifyEtcdError({grpc::GrpcCode::kResourceExhausted,
                              "message is larger than max (" + std::to_string(size) + " vs. " +
                                  std::to_string(limits::kMaxEtcdSentBytes) + ")"})
        .status;
  }

  Status NoMemberServes() {
    std::string why = core_->members().ErrorSummary();
    return Status(StatusReason::kServiceUnavailable,
                  "no etcd endpoint serves requests: " +
                      (why.empty() ? std::string("none did in time") : why));
  }

  void Finish(Result<Response> result) {
    auto done = std::move(done_);
    done(std::move(result));
    core_->Remove(this);  // may destroy this
  }

  const std::shared_ptr<EtcdCore> core_;
  EtcdCallKind kind_;
  const std::string_view method_;
  const SharedBytes frame_;
  Done done_;
  const Duration deadline_;

  std::mutex mutex_;  // guards call_ against Cancel()
  bool cancelled_ = false;
  std::shared_ptr<grpc::GrpcCall> call_;

  // Touched by one thread at a time: whoever carries the call on.
  std::shared_ptr<EtcdConnection> connection_;
  int64_t not_before_ = 0;
  uint32_t avoid_ = 0;
  int failures_ = 0;
};

}  // namespace skiff::store
