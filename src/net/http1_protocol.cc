// HTTP/1.1 and 1.0: one request at a time, answered in order. While one is being answered, the next
// ones of a pipeline wait, most of them in the socket.
//
// A body that is not there yet waits there too until the handler, which has the head, asks for it.
// If the answer comes first, a short rest is passed over; otherwise the connection closes.
#include <algorithm>
#include <cstring>
#include <limits>
#include <string>
#include <utility>

#include "base/limits.h"
#include "net/exchange.h"
#include "net/http1_parser.h"
#include "net/http1_writer.h"
#include "net/protocol.h"

namespace skiff::net {
namespace {

// A body is given this much room before its first byte has come, however long it claims to be.
constexpr size_t kFirstBodyRoom = 64 * 1024;
// What may be read of the next requests while one is being answered.
constexpr size_t kReadAheadBytes = 16 * 1024;
// How much of a body that nobody wants is passed over to keep the connection, as in Go.
constexpr size_t kSkippedBytes = 256 * 1024;
constexpr HttpFault kBusy{503, "the server has too much to do"};

class Http1Protocol final : public HttpProtocol, public Exchange::Owner {
 public:
  Http1Protocol(ServingLoop& serving, Host& host, const ConnectionPeer& peer)
      : serving_(serving),
        host_(host),
        peer_(peer),
        since_(serving.loop->now()),
        heads_(serving.service.MakeHeadBudget()),
        head_memory_(heads_),
        body_memory_(serving.service.memory),
        answer_memory_(serving.service.memory) {}
  ~Http1Protocol() override { EndExchange(); }

  void OnBytes(std::string_view bytes) override;
  void OnInputEnd() override;
  bool wants_input() const override;
  void Fill(ByteBuffer& out, size_t room) override;
  bool finished() const override { return state_ == State::kFinished && farewell_.empty(); }
  bool broken() const override { return broken_; }
  Duration deadline() const override;
  void OnDeadline() override;
  void Drain() override;

  void OnResponse(int32_t stream, HttpResponse response) override;
  void OnBodyReady(int32_t stream) override;
  void OnBodyWanted(int32_t stream, BodyCallback then) override;
  void OnBodyPassed(int32_t stream, std::unique_ptr<RequestSink> sink) override;

 private:
  enum class State : uint8_t {
    kHead,
    kHeld,  // the handler has the head, and has not asked for the body
    kBody,
    kHandling,
    kSending,
    kUpgraded,
    kFinished
  };

  std::string_view rest() const { return std::string_view(input_).substr(input_at_); }
  void Take(size_t bytes);
  void Advance();
  bool AdvanceHead();
  bool AdvanceBody();
  bool AdvanceChunks();
  bool PassBody();
  bool ChargeHead();
  bool ChargeBody(size_t bytes);
  bool body_is_pending() const { return state_ == State::kHeld || state_ == State::kBody; }
  bool is_answering() const { return state_ == State::kSending || state_ == State::kUpgraded; }
  void BeginBody();
  void EndBody(bool too_large);
  void DropBody();
  void SkipBody();
  Responder BeginExchange();
  void Dispatch(bool too_large);
  void DispatchHead();
  void Refuse(HttpFault fault);
  void Break();
  void EndExchange();
  void EndResponse();
  void FillHead(ByteBuffer& out);
  bool FillBody(ByteBuffer& out, size_t room);
  bool FillFromSource(ByteBuffer& out, size_t room);

  ServingLoop& serving_;
  Host& host_;
  const ConnectionPeer& peer_;

  State state_ = State::kHead;
  Duration since_;  // when the state began
  bool served_any_ = false;
  bool draining_ = false;
  bool broken_ = false;
  bool input_ended_ = false;
  std::string input_;  // what has come and is not used yet, from input_at_ on
  size_t input_at_ = 0;
  std::string farewell_;  // to be sent before anything else: 100 Continue, or a refusal

  HeadScanner scanner_;
  HttpRequest request_;
  Http1Framing framing_;
  std::unique_ptr<ChunkedReader> chunks_;
  std::string body_;      // as far as it has come
  BodyCallback on_body_;  // of a handler that waits for it
  std::unique_ptr<RequestSink> sink_;  // of one that takes it piece by piece
  uint64_t passed_ = 0;                // bytes that the sink got
  size_t to_skip_ = 0;    // bytes before the next head
  Duration skip_deadline_{};
  std::shared_ptr<MemoryBudget> heads_;
  size_t input_charged_ = 0;  // bytes of input_, to head_memory_
  // Of a request that has no exchange yet.
  MemoryCharge head_memory_;
  MemoryCharge body_memory_;

  std::shared_ptr<Exchange> exchange_;
  HttpResponse response_;
  MemoryCharge answer_memory_;
  bool is_head_ = false;  // the method, of which the answer has no body
  int version_ = 11;
  bool keep_alive_ = true;
  bool head_sent_ = false;
  bool source_waits_ = false;
  size_t body_sent_ = 0;
  Duration answer_due_{};               // while it is sent
  UpgradedStream* upgraded_ = nullptr;  // response_.source, once it has been upgraded to
};

void Http1Protocol::Take(size_t bytes) {
  input_at_ += bytes;
  if (input_at_ < input_.size()) return;
  // Idle connections keep no memory.
  if (input_.capacity() > 4096) std::string().swap(input_);
  input_.clear();
  input_at_ = 0;
}

void Http1Protocol::OnBytes(std::string_view bytes) {
  if (state_ == State::kFinished) return;
  if (state_ == State::kUpgraded && upgraded_ != nullptr) return upgraded_->OnBytes(bytes);
  if (state_ == State::kHead && input_.empty()) since_ = serving_.loop->now();
  if (input_at_ > 0) {
    input_.erase(0, input_at_);
    input_at_ = 0;
  }
  input_.append(bytes);
  SkipBody();
  if (state_ == State::kHead && !ChargeHead()) return Refuse(kBusy);
  Advance();
}

// Whoever has little on the way is let through while others have used up what there is for heads.
bool Http1Protocol::ChargeHead() {
  if (input_.size() <= input_charged_) return true;
  const size_t more = input_.size() - input_charged_;
  input_charged_ = input_.size();
  if (head_memory_.Add(more)) return true;
  if (input_.size() > limits::kSmallHttpHeadBytes || !serving_.service.memory->has_room())
    return false;
  head_memory_.AddAnyway(more);
  return true;
}

bool Http1Protocol::ChargeBody(size_t bytes) {
  MemoryCharge& charge = exchange_ != nullptr ? exchange_->body_memory : body_memory_;
  if (charge.Add(bytes)) return true;
  if (exchange_ == nullptr) {
    Refuse(kBusy);
  } else {
    HttpResponse busy = PlainTextResponse(kBusy.code, kBusy.text);
    busy.headers.Add("retry-after", "1");
    OnResponse(0, std::move(busy));
  }
  return false;
}

// Goes on with the input until a request waits for its answer, or more input is needed.
void Http1Protocol::Advance() {
  while (input_at_ < input_.size()) {
    if (state_ == State::kHead ? !AdvanceHead() : state_ != State::kBody || !AdvanceBody()) return;
  }
}

bool Http1Protocol::AdvanceHead() {
  switch (scanner_.Scan(rest(), serving_.service.limits.max_header_bytes)) {
    case HeadScanner::State::kIncomplete:
      return false;
    case HeadScanner::State::kFault:
      Refuse(scanner_.fault());
      return false;
    case HeadScanner::State::kComplete:
      break;
  }
  request_ = {};
  framing_ = {};
  passed_ = 0;
  const size_t head_bytes = scanner_.head_bytes();
  const HttpFault fault = ParseHttp1Head(rest().substr(0, head_bytes), request_, framing_);
  scanner_.Reset();
  Take(head_bytes);
  if (fault.code != 0 || !serving_.service.memory->has_room()) {
    Refuse(fault.code != 0 ? fault : kBusy);
    return false;
  }
  keep_alive_ = framing_.keep_alive && !draining_;
  since_ = serving_.loop->now();
  if (!framing_.has_body()) {
    Dispatch(false);
    return true;
  }
  const bool is_there = framing_.content_length && rest().size() >= *framing_.content_length;
  if (serving_.service.handler->takes_heads() && !is_there && !framing_.is_server_options) {
    DispatchHead();
  } else if (framing_.content_length.value_or(0) > serving_.service.limits.max_body_bytes) {
    Dispatch(true);
  } else {
    BeginBody();
  }
  return true;
}

void Http1Protocol::BeginBody() {
  if (framing_.expects_continue && rest().empty()) {
    farewell_ += "HTTP/1.1 100 Continue\r\n\r\n";
    host_.WantTurn();
  }
  state_ = State::kBody;
  if (framing_.chunked) {
    chunks_ = std::make_unique<ChunkedReader>();
  } else {
    body_.reserve(std::min<size_t>(*framing_.content_length, kFirstBodyRoom));
  }
}

// The body is there, or too large to be read.
void Http1Protocol::EndBody(bool too_large) {
  chunks_.reset();
  if (exchange_ == nullptr) {
    request_.body = std::exchange(body_, {});
    return Dispatch(too_large);
  }
  state_ = State::kHandling;
  if (const std::unique_ptr<RequestSink> sink = std::move(sink_)) return sink->OnEnd();
  if (too_large) {
    keep_alive_ = false;
    body_ = {};
  }
  std::exchange(on_body_, nullptr)({.bytes = std::exchange(body_, {}), .too_large = too_large});
}

// The answer has come before it. A client that was not told to go on may not send it at all, and
// the end of chunks is known only to who reads them.
void Http1Protocol::DropBody() {
  const uint64_t left = framing_.content_length.value_or(0) - body_.size() - passed_;
  if (framing_.chunked || framing_.expects_continue || left > kSkippedBytes) {
    keep_alive_ = false;
  } else {
    to_skip_ = left;
    skip_deadline_ = since_ + serving_.service.limits.body_timeout;
  }
  chunks_.reset();
  body_ = {};
  on_body_ = nullptr;
  sink_.reset();
}

void Http1Protocol::SkipBody() {
  if (state_ != State::kHead || to_skip_ == 0) return;
  const size_t taken = std::min(to_skip_, rest().size());
  Take(taken);
  to_skip_ -= taken;
}

bool Http1Protocol::AdvanceBody() {
  if (sink_ != nullptr) return PassBody();
  if (chunks_ != nullptr) return AdvanceChunks();
  const size_t missing = *framing_.content_length - body_.size();
  const size_t take = std::min(missing, rest().size());
  if (!ChargeBody(take)) return false;
  body_.append(rest().substr(0, take));
  Take(take);
  if (take == missing) EndBody(false);
  return true;
}

bool Http1Protocol::PassBody() {
  if (!sink_->wants_input()) return false;
  since_ = serving_.loop->now();
  std::string_view bytes = rest();
  bool is_end = false;
  if (chunks_ == nullptr) {
    bytes = bytes.substr(0, static_cast<size_t>(std::min<uint64_t>(
                                bytes.size(), *framing_.content_length - passed_)));
    const std::string piece(bytes);
    Take(piece.size());
    passed_ += piece.size();
    is_end = passed_ == *framing_.content_length;
    sink_->OnBytes(piece);
  } else {
    std::string piece;
    const auto state = chunks_->Read(bytes, piece, std::numeric_limits<size_t>::max());
    const HttpFault fault = chunks_->fault();
    Take(rest().size() - bytes.size());
    if (state != ChunkedReader::State::kMore && state != ChunkedReader::State::kEnd) {
      Refuse(fault);
      return false;
    }
    passed_ += piece.size();
    is_end = state == ChunkedReader::State::kEnd;
    if (!piece.empty()) sink_->OnBytes(piece);
  }
  if (is_end) EndBody(false);
  return true;
}

bool Http1Protocol::AdvanceChunks() {
  std::string_view bytes = rest();
  const size_t before = body_.size();
  const auto state = chunks_->Read(bytes, body_, serving_.service.limits.max_body_bytes);
  const HttpFault fault = chunks_->fault();
  Take(rest().size() - bytes.size());
  if (!ChargeBody(body_.size() - before)) return false;
  switch (state) {
    case ChunkedReader::State::kMore:
      return true;
    case ChunkedReader::State::kEnd:
      EndBody(false);
      return true;
    case ChunkedReader::State::kTooLarge:
      EndBody(true);
      return true;
    case ChunkedReader::State::kFault:
      Refuse(fault);
      return false;
  }
  return false;
}

Responder Http1Protocol::BeginExchange() {
  served_any_ = true;
  version_ = request_.version;
  is_head_ = request_.method == "HEAD";
  request_.remote_address = peer_.address;
  request_.peer = peer_.certificate;
  request_.peer_refused = peer_.refused;
  exchange_ = std::make_shared<Exchange>(serving_.loop, this, 0);
  serving_.service.requests.fetch_add(1, std::memory_order_relaxed);
  exchange_->head_memory = std::exchange(head_memory_, MemoryCharge(heads_));
  exchange_->body_memory = std::exchange(body_memory_, MemoryCharge(serving_.service.memory));
  input_charged_ = 0;
  serving_.service.requests_in_flight.fetch_add(1, std::memory_order_relaxed);
  return Responder(exchange_);
}

void Http1Protocol::DispatchHead() {
  state_ = State::kHeld;
  Responder responder = BeginExchange();
  serving_.service.handler->HandleHead(std::move(request_), std::move(responder));
}

void Http1Protocol::Dispatch(bool too_large) {
  state_ = State::kHandling;
  Responder responder = BeginExchange();
  if (framing_.is_server_options) return std::move(responder).Respond({});
  HttpHandler& handler = *serving_.service.handler;
  if (too_large) {
    keep_alive_ = false;  // the rest of the body is not read
    request_.body.clear();
    handler.HandleTooLarge(std::move(request_), std::move(responder));
  } else {
    handler.Handle(std::move(request_), std::move(responder));
  }
}

// As Go answers what it cannot read.
void Http1Protocol::Refuse(HttpFault fault) {
  const std::string line = std::to_string(fault.code) + " " + std::string(HttpPhrase(fault.code));
  const char* const retry = fault.code == kBusy.code ? "\r\nRetry-After: 1" : "";
  farewell_ += "HTTP/1.1 " + line + retry +
               "\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n" + line +
               ": " + fault.text;
  state_ = State::kFinished;
  EndExchange();
  host_.WantTurn();
}

void Http1Protocol::Break() {
  broken_ = true;
  state_ = State::kFinished;
  EndExchange();
  host_.WantTurn();
}

void Http1Protocol::EndExchange() {
  upgraded_ = nullptr;
  response_.source.reset();
  answer_memory_.Clear();
  if (const std::unique_ptr<RequestSink> sink = std::move(sink_)) sink->OnGone();
  if (exchange_ == nullptr) return;
  exchange_->Detach();
  exchange_.reset();
  serving_.service.requests_in_flight.fetch_sub(1, std::memory_order_relaxed);
  on_body_ = nullptr;
}

void Http1Protocol::OnInputEnd() {
  input_ended_ = true;
  switch (state_) {
    case State::kHead:
    case State::kBody:
      state_ = State::kFinished;
      EndExchange();
      break;
    case State::kHeld:  // the body may have come
      break;
    case State::kHandling:
      if (rest().empty()) exchange_->MarkGone();
      break;
    case State::kSending:
      // A client that only asked once and closed its side gets its answer; but a stream may go on
      // for hours, and nobody could tell any more that it has gone.
      if (response_.source != nullptr) Break();
      break;
    case State::kUpgraded:
      if (upgraded_ != nullptr) upgraded_->OnInputEnd();
      break;
    case State::kFinished:
      break;
  }
  host_.WantTurn();
}

bool Http1Protocol::wants_input() const {
  if (state_ == State::kUpgraded) return upgraded_ == nullptr || upgraded_->wants_input();
  if (sink_ != nullptr) return sink_->wants_input();
  // Beyond what is needed, a little: only who reads notices that the client has gone.
  return state_ == State::kHead || state_ == State::kBody || rest().size() < kReadAheadBytes;
}

void Http1Protocol::OnResponse(int32_t stream, HttpResponse response) {
  static_cast<void>(stream);
  const bool is_early = exchange_ != nullptr && body_is_pending();
  if (state_ != State::kHandling && !is_early) return;
  response_ = std::move(response);
  if (HasHttpToken(response_.headers, "connection", "close")) keep_alive_ = false;
  head_sent_ = false;
  source_waits_ = false;
  body_sent_ = 0;
  state_ = State::kSending;
  if (is_early) DropBody();
  exchange_->head_memory.Clear();
  exchange_->body_memory.Clear();
  if (response_.body.is_sole()) answer_memory_.AddAnyway(response_.body.size());
  if (response_.code == 101) {
    upgraded_ = dynamic_cast<UpgradedStream*>(response_.source.get());
    if (upgraded_ == nullptr || !framing_.asks_upgrade) {
      upgraded_ = nullptr;
      keep_alive_ = false;
      response_ = PlainTextResponse(500, "Internal Server Error\n");
    }
  }
  if (response_.source != nullptr) {
    answer_memory_.AddAnyway(response_.source->HeldBytes());
    response_.source->OnStart(exchange_->MakeWake());
  }
  answer_due_ = serving_.AnswerDue(response_);
  host_.WantTurn();
}

void Http1Protocol::OnBodyReady(int32_t stream) {
  static_cast<void>(stream);
  source_waits_ = false;
  if (sink_ != nullptr && state_ == State::kBody) Advance();
  host_.WantTurn();
}

void Http1Protocol::OnBodyWanted(int32_t stream, BodyCallback then) {
  static_cast<void>(stream);
  if (state_ != State::kHeld) return;
  on_body_ = std::move(then);
  if (framing_.content_length.value_or(0) > serving_.service.limits.max_body_bytes)
    return EndBody(true);
  BeginBody();
  Advance();
  if (input_ended_ && state_ == State::kBody) OnInputEnd();
  host_.WantTurn();
}

void Http1Protocol::OnBodyPassed(int32_t stream, std::unique_ptr<RequestSink> sink) {
  static_cast<void>(stream);
  if (state_ != State::kHeld) return sink->OnGone();
  sink_ = std::move(sink);
  sink_->OnStart(exchange_->MakeWake());
  BeginBody();
  Advance();
  if (input_ended_ && state_ == State::kBody && rest().empty()) OnInputEnd();
  host_.WantTurn();
}

void Http1Protocol::FillHead(ByteBuffer& out) {
  Http1HeadOptions options;
  options.is_1_0 = version_ == 10;
  options.keep_alive = keep_alive_;
  options.upgrade = upgraded_ != nullptr;
  const bool may_have_body = response_.code != 204 && response_.code != 304 && !options.upgrade;
  if (may_have_body && response_.source == nullptr) options.content_length = response_.body.size();
  if (may_have_body && response_.source != nullptr && !is_head_) {
    options.chunked = version_ == 11;
    if (!options.chunked) options.keep_alive = keep_alive_ = false;
  }
  AppendHttp1Head(response_, options, serving_.date.Get(serving_.loop->clock()), out);
  if (!options.upgrade && (!may_have_body || is_head_)) {
    response_.body = {};
    response_.source.reset();
  }
  head_sent_ = true;
}

// Whether the answer is complete.
bool Http1Protocol::FillBody(ByteBuffer& out, size_t room) {
  if (response_.source != nullptr) return FillFromSource(out, room);
  const std::string_view left = response_.body.view().substr(body_sent_);
  const size_t take = std::min(left.size(), room - std::min(room, out.size()));
  out.Append(left.substr(0, take));
  body_sent_ += take;
  return take == left.size();
}

bool Http1Protocol::FillFromSource(ByteBuffer& out, size_t room) {
  const bool chunked = version_ == 11 && upgraded_ == nullptr;
  while (!source_waits_ && out.size() < room) {
    const size_t start = out.size();
    if (chunked) ReserveChunkHead(out);
    const size_t head_end = out.size();
    const auto state = response_.source->Read(out, room - start);
    if (!state) {
      out.Truncate(start);
      Break();
      return false;
    }
    answer_memory_.Clear();
    if (const size_t held = response_.source->HeldBytes(); held > 0) answer_memory_.AddAnyway(held);
    const bool is_empty = out.size() == head_end;
    if (is_empty) out.Truncate(start);
    if (chunked && !is_empty) FinishChunk(out, start);
    if (*state == BodySource::State::kEnd) {
      if (chunked) out.Append("0\r\n\r\n");
      return true;
    }
    source_waits_ = *state == BodySource::State::kWaiting || is_empty;
    // It says that there is more but gives nothing: asked again in the next turn.
    if (*state == BodySource::State::kMore && is_empty) exchange_->Wake();
    // It gives little at a time and takes long for it: what there is goes out, the rest later.
    if (serving_.loop->overdue()) break;
  }
  return false;
}

void Http1Protocol::EndResponse() {
  const bool was_upgraded = upgraded_ != nullptr;
  EndExchange();
  response_ = {};
  since_ = serving_.loop->now();
  if (!keep_alive_ || draining_ || was_upgraded) {
    state_ = State::kFinished;
    return;
  }
  state_ = State::kHead;
  SkipBody();
  Advance();
  // Of a pipeline, what has come whole is served.
  if (input_ended_ && (state_ == State::kHead || state_ == State::kBody)) state_ = State::kFinished;
}

void Http1Protocol::Fill(ByteBuffer& out, size_t room) {
  while (out.size() < room) {
    if (!farewell_.empty()) {
      out.Append(farewell_);
      std::string().swap(farewell_);
    }
    if (state_ != State::kSending && state_ != State::kUpgraded) return;
    if (!head_sent_) {
      FillHead(out);
      if (upgraded_ != nullptr) {
        state_ = State::kUpgraded;
        const std::string early(rest());
        Take(early.size());
        if (!early.empty()) upgraded_->OnBytes(early);
      }
    }
    if (!FillBody(out, room)) return;
    EndResponse();
  }
}

Duration Http1Protocol::deadline() const {
  const HttpLimits& limits = serving_.service.limits;
  if (sink_ != nullptr && !sink_->wants_input()) return Clock::kForever;
  if (body_is_pending()) return since_ + limits.body_timeout;
  if (is_answering()) return answer_due_;
  if (state_ != State::kHead) return Clock::kForever;
  if (to_skip_ > 0) return skip_deadline_;
  const bool is_idle = input_.empty() && served_any_;
  return since_ + (is_idle ? limits.idle_timeout : limits.header_timeout);
}

void Http1Protocol::OnDeadline() {
  if (body_is_pending()) return Refuse({408, "the body took too long"});
  if (is_answering()) return Break();
  state_ = State::kFinished;
  host_.WantTurn();
}

void Http1Protocol::Drain() {
  draining_ = true;
  keep_alive_ = false;
  if (state_ == State::kHead && input_.empty()) state_ = State::kFinished;
  host_.WantTurn();
}

}  // namespace

std::unique_ptr<HttpProtocol> MakeHttp1(ServingLoop& serving, HttpProtocol::Host& host,
                                        const ConnectionPeer& peer) {
  return std::make_unique<Http1Protocol>(serving, host, peer);
}

}  // namespace skiff::net
