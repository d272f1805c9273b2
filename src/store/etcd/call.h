// One request with one answer, tried at one member after another as far as that is safe. Internal
// to store/etcd.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "store/etcd/core.h"
#include "store/etcd/errors.h"

namespace skiff {

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

// Keeps itself alive while under way. `Send` starts the call on a connection.
template <typename Request, typename Response>
class EtcdCall final : public EtcdTask,
                       public std::enable_shared_from_this<EtcdCall<Request, Response>> {
 public:
  using Send = std::move_only_function<void(EtcdConnection&, grpc::ClientContext*, const Request*,
                                            Response*, std::function<void(grpc::Status)>)>;
  using Done = std::move_only_function<void(Result<Response>)>;

  static void Start(const std::shared_ptr<EtcdCore>& core, EtcdCallKind kind, Request request,
                    Send send, Done done) {
    auto call = std::make_shared<EtcdCall>(core, kind, std::move(request), std::move(send),
                                           std::move(done));
    if (auto added = core->Add(call); !added)
      return call->done_(std::unexpected(std::move(added).error()));
    call->Attempt();
  }

  EtcdCall(std::shared_ptr<EtcdCore> core, EtcdCallKind kind, Request request, Send send, Done done)
      : core_(std::move(core)),
        kind_(kind),
        request_(std::move(request)),
        send_(std::move(send)),
        done_(std::move(done)),
        deadline_(core_->clock().Monotonic() +
                  (kind.timeout.count() != 0 ? kind.timeout : core_->options().request_timeout)) {
    if (kind_.attempt_timeout.count() == 0)
      kind_.attempt_timeout = core_->options().attempt_timeout;
  }

  void Cancel() override {
    std::unique_lock lock(mutex_);
    cancelled_ = true;
    if (context_) context_->TryCancel();
  }

 private:
  void Attempt() {
    if (core_->closing()) return Finish(std::unexpected(EtcdCore::ClosingStatus()));
    if (auto connection = core_->members().Choose(avoid_)) return SendOn(std::move(connection));
    const Duration left = deadline_ - core_->clock().Monotonic();
    if (left <= Duration(0)) return Finish(std::unexpected(NobodyServes()));
    core_->members().Wait(left, [self = this->shared_from_this()](auto connection) {
      if (connection) return self->SendOn(std::move(connection));
      if (self->core_->closing()) return self->Finish(std::unexpected(EtcdCore::ClosingStatus()));
      self->Finish(std::unexpected(self->NobodyServes()));
    });
  }

  void SendOn(std::shared_ptr<EtcdConnection> connection) {
    const Duration left = deadline_ - core_->clock().Monotonic();
    if (left <= Duration(0)) return Finish(std::unexpected(NobodyServes()));
    grpc::ClientContext* context = nullptr;
    {
      std::unique_lock lock(mutex_);
      connection_ = std::move(connection);
      context_ = std::make_unique<grpc::ClientContext>();
      context = context_.get();
      if (cancelled_) context->TryCancel();
    }
    SetEtcdTimeout(*context, std::min(left, kind_.attempt_timeout));
    if (kind_.require_leader) RequireEtcdLeader(*context);
    not_before_ = kind_.current ? core_->seen_revision() : 0;
    response_.Clear();
    send_(
        *connection_, context, &request_, &response_,
        [self = this->shared_from_this()](const grpc::Status& status) { self->OnAnswer(status); });
  }

  void OnAnswer(const grpc::Status& status) {
    if (status.ok()) {
      if (kind_.current) core_->served = true;
      // What a write has done is done, wherever that was.
      auto fits = core_->Observe(*connection_, response_.header(), not_before_);
      if (!fits && kind_.read) return Finish(std::unexpected(std::move(fits).error()));
      return Finish(std::move(response_));
    }
    EtcdFailure failure = ClassifyEtcdError(status.error_code(), status.error_message());
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

  Status NobodyServes() {
    std::string why = core_->members().Complaints();
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
  const Request request_;
  Send send_;
  Done done_;
  const Duration deadline_;

  std::mutex mutex_;  // guards context_ against Cancel()
  bool cancelled_ = false;
  std::unique_ptr<grpc::ClientContext> context_;

  // Touched by one thread at a time: whoever carries the call on.
  std::shared_ptr<EtcdConnection> connection_;
  Response response_;
  int64_t not_before_ = 0;
  uint32_t avoid_ = 0;
  int failures_ = 0;
};

}  // namespace skiff
