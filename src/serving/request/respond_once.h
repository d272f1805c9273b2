// Stands between a request and its client where two may answer: the handler, and the clock when the
// handler takes too long. The first answer goes out; later ones are dropped.
//
// Any thread.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <string_view>
#include <utility>

#include "base/clock.h"
#include "net/http.h"

namespace skiff::serving {

class RespondOnce final : public net::Responder::Sink {
 public:
  explicit RespondOnce(std::shared_ptr<net::Responder::Sink> client) : client_(std::move(client)) {}

  // Of the one who began the request, on its thread: when the answer is due (Clock::Monotonic();
  // zero: never), and by what name it is known, of which the first bytes are kept.
  Duration deadline{0};
  void SetAuditId(std::string_view id) {
    audit_id_size_ = std::min(id.size(), audit_id_.size());
    std::copy_n(id.data(), audit_id_size_, audit_id_.data());
  }
  std::string_view audit_id() const { return {audit_id_.data(), audit_id_size_}; }

  void Respond(net::HttpResponse response) override {
    if (Take()) client_->Respond(std::move(response));
  }
  // The same for an answer that takes another way. False: somebody was quicker.
  bool Take() {
    if (!Claim()) return false;
    std::function<void()> call;
    {
      const std::lock_guard lock(mutex_);
      call = std::exchange(on_answer_, nullptr);
    }
    if (call) call();
    return true;
  }
  bool gone() const override { return answered() || client_->gone(); }
  void Post(std::move_only_function<void()> task) override { client_->Post(std::move(task)); }
  void ReadBody(net::BodyCallback then) override { client_->ReadBody(std::move(then)); }
  void PassBody(std::unique_ptr<net::RequestSink> sink) override {
    client_->PassBody(std::move(sink));
  }

  // The same for who must not be told of it by OnAnswer(). False: somebody was quicker.
  bool RespondInstead(net::HttpResponse response) {
    if (!Claim()) return false;
    client_->Respond(std::move(response));
    return true;
  }
  bool answered() const { return answered_.load(); }
  // Called when the answer comes by Respond(). False, and not called, if it has come already.
  bool OnAnswer(std::function<void()> call) {
    const std::lock_guard lock(mutex_);
    if (answered()) return false;
    on_answer_ = std::move(call);
    return true;
  }

 private:
  bool Claim() { return !answered_.exchange(true); }

  const std::shared_ptr<net::Responder::Sink> client_;
  std::atomic<bool> answered_{false};
  std::mutex mutex_;
  std::function<void()> on_answer_;
  // Most requests are answered at once and need it never, so it is not worth an allocation.
  size_t audit_id_size_ = 0;
  std::array<char, 64> audit_id_;
};

}  // namespace skiff::serving
