#include "client/https/api_channel.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/limits.h"
#include "base/strings.h"
#include "client/https/api_request.h"
#include "net/gzip.h"
#include "net/http1_parser.h"
#include "object/scalar/base64.h"

namespace skiff::client {
namespace {

constexpr int kUnauthorized = 401;

std::optional<int> ParseSeconds(std::string_view text) {
  int seconds = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  if (error != std::errc() || end != text.data() + text.size() || seconds < 0) return std::nullopt;
  return seconds;
}

Status TooLong(const std::string& server) {
  Status why(StatusReason::kInternalError, server + ": the answer is too long");
  why.AddCause({.reason = std::string(kAnswerTooLong), .message = {}, .field = {}});
  return why;
}

Status Closed() { return Status(StatusReason::kServiceUnavailable, "the client was closed"); }

}  // namespace

net::HttpHeaders IdentityHeaders(const RestConfig& config) {
  net::HttpHeaders headers;
  headers.Add("user-agent", config.user_agent);
  if (!config.user.empty()) {
    std::string credentials;
    object::AppendBase64(config.user + ":" + config.password, credentials);
    headers.Add("authorization", "Basic " + credentials);
  }
  const ImpersonatedUser& as = config.impersonation;
  if (as.empty()) return headers;
  headers.Add("impersonate-user", as.user);
  if (!as.uid.empty()) headers.Add("impersonate-uid", as.uid);
  for (const std::string& group : as.groups) headers.Add("impersonate-group", group);
  for (const auto& [key, values] : as.extra)
    for (const std::string& value : values)
      headers.Add("impersonate-extra-" + AsciiLower(PercentEncoded(key)), value);
  return headers;
}

// One call, through all its tries.
struct ApiChannel::Call final : net::ResponseHandler {
  Call(ApiChannel& its_channel, net::ClientRequest its_request)
      : channel(its_channel), request(std::move(its_request)) {}
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;
  ~Call() override { *alive = false; }

  void OnHead(int code, const net::HttpHeaders& headers) override {
    const std::string_view encoding = headers.Get("content-encoding");
    inflating.reset();
    if (net::EqualsIgnoringCase(encoding, "gzip")) inflating = std::make_shared<net::GzipReader>();
    answer.code = code;
    answer.content_type = headers.Get("content-type");
    answer.etag = headers.Get("etag");
    answer.retry_after_seconds = ParseSeconds(headers.Get("retry-after"));
    // A watch has been answered when it begins; how long it lasts is another matter.
    if (stream != nullptr) channel.Count(*this, {});
    // Whether it is tried again is decided at the end; until then the stream does not hear of it.
    holds_back = stream != nullptr && code == kUnauthorized;
    if (holds_back) held_headers = headers;
    if (stream != nullptr && !holds_back) stream->OnHead(code, headers);
  }

  void OnBody(std::string_view bytes) override {
    if (inflating == nullptr) return static_cast<void>(Take(bytes));
    // Whoever takes a piece may end the call, and with it this.
    const std::shared_ptr<net::GzipReader> reader = inflating;
    const std::shared_ptr<bool> is_alive = alive;
    const Result<void> read = reader->Add(
        bytes, [this, &is_alive](std::string_view piece) { return Take(piece) && *is_alive; });
    if (!read && *is_alive) GiveUp(read.error());
  }

  // Whether more is wanted.
  bool Take(std::string_view bytes) {
    if (stream != nullptr && !holds_back) {
      stream->OnBody(bytes);
      return true;
    }
    if (answer.body.size() + bytes.size() <= limits::kMaxApiResponseBytes) {
      answer.body += bytes;
      return true;
    }
    GiveUp(TooLong(channel.server()));
    return false;
  }

  void GiveUp(Status why) {
    if (ticket) channel.parts_.connections->Cancel(*std::exchange(ticket, std::nullopt));
    channel.FailLater(id, std::move(why));
  }

  void OnEnd(Result<void> outcome) override {
    ticket.reset();
    if (outcome && inflating != nullptr && !inflating->at_end()) {
      outcome = Fail(StatusReason::kServerTimeout,
                     channel.server() + ": the compressed answer is not complete");
    }
    channel.OnEnd(*this, std::move(outcome));
  }

  // The last word. The call is no longer among those of the channel.
  void Tell(Result<void> outcome) {
    if (stream == nullptr) {
      if (outcome) return done(std::move(answer));
      return done(std::unexpected(std::move(outcome).error()));
    }
    if (holds_back && outcome) {
      if (!answer.advice.empty()) stream->OnAdvice(answer.advice);
      stream->OnHead(answer.code, held_headers);
      stream->OnBody(answer.body);
    }
    stream->OnEnd(std::move(outcome));
  }

  ApiChannel& channel;
  net::ClientRequest request;
  CallId id = 0;
  bool idempotent = false;
  Done done;
  ApiStreamHandler* stream = nullptr;
  ApiResponse answer;
  std::shared_ptr<net::GzipReader> inflating;  // null: the answer comes as it is
  const std::shared_ptr<bool> alive = std::make_shared<bool>(true);
  bool holds_back = false;
  net::HttpHeaders held_headers;
  std::string token;  // of the last try
  int tries = 0;
  bool renewed = false;  // it was tried with other credentials once
  Duration began{};
  Duration entered{};  // when it asked for its turn
  Duration sent{};     // the last try
  std::optional<RateLimiter::Ticket> turn;
  std::optional<HttpsConnections::Ticket> ticket;
  Executor::TimerId timer;
};

ApiChannel::ApiChannel(Parts parts)
    : parts_(std::move(parts)), limiter_(parts_.executor, parts_.per_second, parts_.burst) {}

ApiChannel::~ApiChannel() {
  *self_ = nullptr;
  while (!calls_.empty()) Cancel(calls_.begin()->first);
}

ApiChannel::Call* ApiChannel::Find(CallId id) {
  const auto found = calls_.find(id);
  return found == calls_.end() ? nullptr : found->second.get();
}

ApiChannel::CallId ApiChannel::Send(net::ClientRequest request, bool idempotent, Done done) {
  auto call = std::make_unique<Call>(*this, std::move(request));
  call->idempotent = idempotent;
  call->done = std::move(done);
  return Start(std::move(call));
}

ApiChannel::CallId ApiChannel::Open(net::ClientRequest request, ApiStreamHandler* handler) {
  auto call = std::make_unique<Call>(*this, std::move(request));
  call->stream = handler;
  return Start(std::move(call));
}

ApiChannel::CallId ApiChannel::Start(std::unique_ptr<Call> made) {
  Call& call = *made;
  call.id = ++last_id_;
  call.began = parts_.executor.clock().Monotonic();
  calls_.emplace(call.id, std::move(made));
  if (closed_) {
    FailLater(call.id, Closed());
  } else {
    TakeTurn(call);
  }
  return call.id;
}

void ApiChannel::TakeTurn(Call& call) {
  call.entered = parts_.executor.clock().Monotonic();
  call.turn = limiter_.Enter([this, id = call.id] { Authorize(id); });
  if (!call.turn)
    FailLater(call.id, Status(StatusReason::kTooManyRequests,
                              "too many calls of this client wait for their turn"));
}

void ApiChannel::Authorize(CallId id) {
  const Call* waited = Find(id);
  if (waited != nullptr && parts_.metrics != nullptr)
    parts_.metrics->Waited(parts_.connections->endpoint().authority, waited->request.method,
                           parts_.executor.clock().Monotonic() - waited->entered);
  parts_.tokens->Get([self = self_, id](Result<std::string> token) {
    ApiChannel* channel = *self;
    Call* call = channel == nullptr ? nullptr : channel->Find(id);
    if (call == nullptr) return;
    if (!token) return channel->FailLater(id, std::move(token).error());
    channel->Transmit(*call, *std::move(token));
  });
}

void ApiChannel::Transmit(Call& call, std::string token) {
  call.sent = parts_.executor.clock().Monotonic();
  call.token = std::move(token);
  call.answer = {};
  call.holds_back = false;
  net::ClientRequest request = call.request;
  for (const net::HttpHeaders::Field& field : parts_.headers.fields())
    request.headers.Add(field.name, field.value);
  if (!call.token.empty()) request.headers.Add("authorization", "Bearer " + call.token);
  call.ticket = parts_.connections->Send(std::move(request), &call);
}

bool ApiChannel::HasNewCredentials(Call& call) {
  if (call.answer.code != kUnauthorized || std::exchange(call.renewed, true)) return false;
  const bool renewed_token = !call.token.empty() && parts_.tokens->Refuse(call.token);
  return renewed_token || parts_.connections->RenewCertificate();
}

Duration ApiChannel::Backoff(int tries) {
  Duration pause = limits::kApiRetryFirst;
  for (int i = 1; i < tries && pause < limits::kApiRetryLongest; ++i) pause *= 2;
  pause = std::min<Duration>(pause, limits::kApiRetryLongest);
  // Half of it is chance, so that many clients of a server that comes back do not come as one.
  const double chance = 0.5 + parts_.random.UniformDouble() / 2;
  return Duration(static_cast<int64_t>(static_cast<double>(pause.count()) * chance));
}

std::optional<Duration> ApiChannel::RetryAfter(Call& call, const Result<void>& outcome) {
  if (outcome && HasNewCredentials(call)) return Duration::zero();
  if (call.stream != nullptr || call.tries >= limits::kApiRetries) return std::nullopt;
  Duration pause{};
  if (outcome) {
    const bool is_put_off = call.answer.code == 429 || call.answer.code == 503 ||
                            (call.answer.code >= 500 && call.idempotent);
    if (!is_put_off || !call.answer.retry_after_seconds) return std::nullopt;
    pause = std::max<Duration>(std::chrono::seconds(*call.answer.retry_after_seconds), Backoff(1));
  } else {
    const Status& why = outcome.error();
    const bool is_useless = std::ranges::any_of(why.causes(), [](const StatusCause& cause) {
      return cause.reason == net::kUntrustedServer;
    });
    const bool is_safe = why.reason() == StatusReason::kServiceUnavailable ||
                         (why.reason() == StatusReason::kServerTimeout && call.idempotent);
    if (is_useless || !is_safe) return std::nullopt;
    pause = Backoff(call.tries + 1);
  }
  const Duration spent = parts_.executor.clock().Monotonic() - call.began;
  if (spent + pause > parts_.retry_time) return std::nullopt;
  return pause;
}

void ApiChannel::TryAgain(Call& call, Duration after) {
  ++call.tries;
  if (parts_.metrics != nullptr)
    parts_.metrics->Retried(parts_.connections->endpoint().authority, call.request.method,
                            call.answer.code);
  if (after == Duration::zero()) return TakeTurn(call);
  call.timer = parts_.executor.After(after, [this, id = call.id] {
    if (Call* waiting = Find(id)) {
      waiting->timer = {};
      TakeTurn(*waiting);
    }
  });
}

void ApiChannel::Count(const Call& call, const Result<void>& outcome) {
  if (parts_.metrics == nullptr) return;
  parts_.metrics->Ended({.host = parts_.connections->endpoint().authority,
                         .method = call.request.method,
                         .code = outcome ? call.answer.code : 0,
                         .time = parts_.executor.clock().Monotonic() - call.sent,
                         .sent_bytes = call.request.body.size(),
                         .received_bytes = call.answer.body.size()});
}

void ApiChannel::OnEnd(Call& call, Result<void> outcome) {
  if (call.stream == nullptr || call.answer.code == 0) Count(call, outcome);
  if (!outcome) parts_.connections->OnUnreachable();
  if (const auto pause = RetryAfter(call, outcome)) return TryAgain(call, *pause);
  // A write that was under way when the time was over may have been carried out.
  if (!outcome && outcome.error().reason() == StatusReason::kTimeout && !call.idempotent &&
      call.stream == nullptr)
    outcome = Fail(StatusReason::kServerTimeout, outcome.error().message());
  if (outcome && call.answer.code == kUnauthorized) call.answer.advice = Advice(call);
  Finish(call, std::move(outcome));
}

std::string ApiChannel::Advice(const Call& call) const {
  const std::string fault = parts_.connections->CertificateFault();
  return fault.empty() && !call.token.empty() ? parts_.tokens->Advice() : fault;
}

void ApiChannel::Finish(Call& call, Result<void> outcome) {
  const auto found = calls_.find(call.id);
  const std::unique_ptr<Call> owned = std::move(found->second);
  calls_.erase(found);
  owned->Tell(std::move(outcome));
}

void ApiChannel::FailLater(CallId id, Status why) {
  parts_.executor.Post([self = self_, id, why = std::move(why)]() mutable {
    if (*self == nullptr) return;
    if (Call* call = (*self)->Find(id)) (*self)->Finish(*call, std::unexpected(std::move(why)));
  });
}

void ApiChannel::Cancel(CallId id) {
  const auto found = calls_.find(id);
  if (found == calls_.end()) return;
  const std::unique_ptr<Call> call = std::move(found->second);
  calls_.erase(found);
  if (call->ticket) parts_.connections->Cancel(*call->ticket);
  if (call->turn) limiter_.Leave(*call->turn);
  parts_.executor.Cancel(call->timer);
}

void ApiChannel::Close() {
  if (std::exchange(closed_, true)) return;
  // Those that are answered may make calls, which end later.
  const CallId last = last_id_;
  while (!calls_.empty() && calls_.begin()->first <= last) {
    const std::unique_ptr<Call> call = std::move(calls_.begin()->second);
    calls_.erase(calls_.begin());
    if (call->ticket) parts_.connections->Cancel(*call->ticket);
    if (call->turn) limiter_.Leave(*call->turn);
    parts_.executor.Cancel(call->timer);
    call->Tell(std::unexpected(Closed()));
  }
}

}  // namespace skiff::client
