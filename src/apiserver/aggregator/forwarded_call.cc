#include "apiserver/aggregator/forwarded_call.h"

#include <charconv>
#include <cstdint>
#include <utility>

#include "apiserver/aggregator/forwarded_bodies.h"
#include "base/aggregation_limits.h"
#include "base/limits.h"
#include "serving/request/forwarded_headers.h"
#include "serving/request/respond.h"

namespace skiff::apiserver {
namespace {

constexpr std::string_view kRedirected =
    "the backend attempted to redirect this request, which is not permitted";
constexpr std::string_view kDocuments = "/openapi/v3/";

// Whether the whole of it is worth waiting for.
bool IsSmall(const net::HttpHeaders& headers) {
  const std::string* length = headers.Find("content-length");
  if (length == nullptr) return false;
  uint64_t bytes = 0;
  const char* const end = length->data() + length->size();
  const auto [at, error] = std::from_chars(length->data(), end, bytes);
  return error == std::errc() && at == end && bytes <= limits::kForwardedAtOnceBytes;
}

bool IsLong(const serving::ApiRequest& request, const net::ClientRequest& out) {
  return out.asks_upgrade || serving::IsLongRunning(request.info);
}

}  // namespace

void RespondPlainError(serving::ApiRequest& request, int code, std::string_view text) {
  net::HttpHeaders extra;
  extra.Add("x-content-type-options", "nosniff");
  serving::RespondBytes(request, code, "text/plain; charset=utf-8",
                        SharedBytes(std::string(text) + "\n"), std::move(extra));
}

ForwardedCall::ForwardedCall(BackendCaller& caller, ForwardedRequest what)
    : caller_(caller),
      request_(std::move(what.request)),
      backend_(std::move(what.backend)),
      at_(std::move(what.at)),
      host_(std::move(what.host)),
      out_(std::move(what.out)),
      reject_redirects_(what.reject_redirects),
      is_document_(out_.path.starts_with(kDocuments)),
      asks_upgrade_(out_.asks_upgrade),
      is_long_(IsLong(*request_, out_)),
      deadline_(is_long_ || request_->deadline == Duration{} ? Clock::kForever
                                                             : request_->deadline) {
  if (request_->awaits_body || asks_upgrade_) {
    up_ = std::make_shared<BytePipe>(limits::kForwardedBufferBytes);
    out_.streams_body = uploading_ = true;
  }
}

std::function<void()> ForwardedCall::Later(void (ForwardedCall::*what)()) {
  return [&caller = caller_, weak = weak_from_this(), what] {
    caller.Post([weak, what] {
      if (const auto self = weak.lock()) ((*self).*what)();
    });
  };
}

void ForwardedCall::TakeBody() {
  if (up_ == nullptr) return;
  up_->OnReady(Later(&ForwardedCall::Feed));
  if (!request_->awaits_body) return;
  request_->awaits_body = false;
  request_->responder.PassBody(SinkInto(up_));
}

void ForwardedCall::Refuse(std::string_view why) {
  if (up_ != nullptr) up_->Close();
  RespondPlainError(*request_, 503, why);
  request_.reset();
}

void ForwardedCall::Begin(std::function<void()> done) {
  done_ = std::move(done);
  id_ = caller_.Send(backend_, at_, std::move(out_), this);
}

void ForwardedCall::LookForClient() {
  if (request_ != nullptr && request_->responder.gone()) GiveUp();
}

void ForwardedCall::Break() {
  if (id_ != 0) caller_.Cancel(std::exchange(id_, 0));
  OnEnd(skiff::Fail(StatusReason::kServiceUnavailable, "the server is shutting down"));
}

// Later, since the server's client is in the middle of something.
void ForwardedCall::OnBodyTaken() {
  hungry_ = true;
  Later (&ForwardedCall::Feed)();
}

void ForwardedCall::Feed() {
  if (!hungry_ || !uploading_ || id_ == 0) return;
  BytePipe::Taken taken = up_->Take(limits::kHttpWriteBytes);
  if (!taken.bytes.empty()) {
    hungry_ = false;
    caller_.SendMore(id_, SharedBytes(taken.bytes));
  }
  if (taken.state == BytePipe::State::kOpen) return;
  // Nobody tells the server that a client has closed one direction: then all of it ends, once what
  // was said has been taken.
  if (is_upgraded_) {
    if (hungry_) GiveUp();
    return;
  }
  uploading_ = false;
  if (taken.state == BytePipe::State::kEnded) return OnUploadEnd();
  // The client has gone, or has its answer already.
  if (request_ != nullptr) GiveUp();
}

void ForwardedCall::OnUploadEnd() {
  caller_.EndBody(id_);
  if (code_ != 0 && !is_whole_) Answer();
}

void ForwardedCall::OnHead(int code, const net::HttpHeaders& headers) {
  if (asks_upgrade_) return OnUpgradeHead(code, headers);
  const std::string_view location = headers.Get("location");
  // An OpenAPI document that has changed is elsewhere among those that are asked for here.
  const bool is_document = is_document_ && location.starts_with(kDocuments);
  if (reject_redirects_ && code >= 300 && code < 400 && !location.empty() && !is_document) {
    return Fail(502, kRedirected);
  }
  code_ = code;
  headers_ = serving::ForwardedAnswerHeaders(headers, code, host_);
  is_whole_ = !is_long_ && IsSmall(headers) && request_->http.method != "HEAD";
  down_ = std::make_shared<BytePipe>(limits::kForwardedBufferBytes);
  if (!uploading_ && !is_whole_) Answer();
}

void ForwardedCall::OnUpgradeHead(int code, const net::HttpHeaders& headers) {
  code_ = code;
  headers_ = serving::ForwardedAnswerHeaders(headers, code, host_);
  down_ = std::make_shared<BytePipe>(limits::kForwardedBufferBytes);
  if (code != 101) {
    if (code < 400)
      return Fail(503, "invalid upgrade response: status code " + std::to_string(code));
    uploading_ = false;
    return Answer();
  }
  is_upgraded_ = true;
  down_->OnRoom(Later(&ForwardedCall::LetGoOn));
  net::HttpResponse response;
  response.code = code;
  response.headers = std::move(headers_);
  response.source = UpgradedBetween(down_, up_);
  const serving::ApiRequestPtr request = std::move(request_);
  serving::RespondUpgrade(*request, std::move(response));
}

void ForwardedCall::OnBody(std::string_view bytes) {
  if (id_ == 0) return;
  if (is_whole_) {
    whole_ += bytes;
    if (whole_.size() <= limits::kForwardedAtOnceBytes) return;
    // It is longer than it said.
    is_whole_ = false;
    bytes = whole_;
  }
  down_->Put(bytes);
  if (down_->has_room()) return;
  if (down_->closed()) return GiveUp();
  caller_.Hold(id_, true);
  held_ = true;
  // More will not come before somebody takes some.
  if (request_ != nullptr) Answer();
}

void ForwardedCall::LetGoOn() {
  if (id_ == 0) return;
  if (down_->closed()) return GiveUp();
  if (std::exchange(held_, false)) caller_.Hold(id_, false);
}

void ForwardedCall::Answer() {
  if (request_ == nullptr) return;
  down_->OnRoom(Later(&ForwardedCall::LetGoOn));
  net::HttpResponse response;
  response.code = code_;
  response.headers = std::move(headers_);
  response.source = SourceFrom(down_, deadline_);
  const serving::ApiRequestPtr request = std::move(request_);
  serving::RespondForwarded(*request, std::move(response));
}

void ForwardedCall::AnswerWhole() {
  net::HttpResponse response;
  response.code = code_;
  response.headers = std::move(headers_);
  response.body = SharedBytes(whole_);
  const serving::ApiRequestPtr request = std::move(request_);
  serving::RespondForwarded(*request, std::move(response));
}

void ForwardedCall::OnEnd(Result<void> outcome) {
  id_ = 0;
  if (outcome && code_ == 0) {
    outcome = skiff::Fail(StatusReason::kServiceUnavailable, "EOF");
  }
  const bool has_nothing = code_ == 0 || is_whole_;
  if (request_ != nullptr) {
    if (!outcome && has_nothing) {
      const bool is_ours = outcome.error().reason() == StatusReason::kInternalError;
      const std::string what = asks_upgrade_ ? "error dialing backend: " : "";
      RespondPlainError(*request_, is_ours ? 500 : 503, what + outcome.error().message());
      request_.reset();
    } else if (is_whole_) {
      AnswerWhole();
    } else {
      Answer();
    }
  }
  if (down_ != nullptr) down_->End(outcome ? BytePipe::State::kEnded : BytePipe::State::kBroken);
  Finish();
}

void ForwardedCall::Fail(int code, std::string_view text) {
  if (id_ != 0) caller_.Cancel(std::exchange(id_, 0));
  if (request_ != nullptr) RespondPlainError(*request_, code, text);
  request_.reset();
  Finish();
}

void ForwardedCall::GiveUp() {
  if (id_ != 0) caller_.Cancel(std::exchange(id_, 0));
  request_.reset();
  if (down_ != nullptr) {
    down_->End(is_upgraded_ ? BytePipe::State::kEnded : BytePipe::State::kBroken);
  }
  Finish();
}

void ForwardedCall::Finish() {
  if (up_ != nullptr) up_->Close();
  if (const std::function<void()> done = std::exchange(done_, nullptr)) done();
}

}  // namespace skiff::apiserver
