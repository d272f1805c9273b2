// HTTP/1.1 and 1.0: one request at a time, answered in order. While one is being answered, the next
// ones of a pipeline wait, most of them in the socket.
#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "base/limits.h"
#include "net/exchange.h"
#include "net/http1_parser.h"
#include "net/http1_writer.h"
#include "net/protocol.h"

namespace skiff {
namespace {

// A body is given this much room before its first byte has come, however long it claims to be.
constexpr size_t kFirstBodyRoom = 64 * 1024;
// What may be read of the next requests while one is being answered.
constexpr size_t kReadAheadBytes = 16 * 1024;

class Http1Protocol final : public HttpProtocol, public Exchange::Owner {
 public:
  Http1Protocol(ServingLoop& serving, Host& host, const ConnectionPeer& peer)
      : serving_(serving), host_(host), peer_(peer), since_(serving.loop->now()) {}
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

 private:
  enum class State : uint8_t { kHead, kBody, kHandling, kSending, kUpgraded, kFinished };

  std::string_view rest() const { return std::string_view(input_).substr(input_at_); }
  void Take(size_t bytes);
  void Advance();
  bool AdvanceHead();
  bool AdvanceBody();
  void Dispatch(bool too_large);
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

  std::shared_ptr<Exchange> exchange_;
  HttpResponse response_;
  bool is_head_ = false;  // the method, of which the answer has no body
  int version_ = 11;
  bool keep_alive_ = true;
  bool head_sent_ = false;
  bool source_waits_ = false;
  size_t body_sent_ = 0;
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
  Advance();
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
  const size_t head_bytes = scanner_.head_bytes();
  const HttpFault fault = ParseHttp1Head(rest().substr(0, head_bytes), request_, framing_);
  scanner_.Reset();
  Take(head_bytes);
  if (fault.code != 0) {
    Refuse(fault);
    return false;
  }
  keep_alive_ = framing_.keep_alive && !draining_;
  since_ = serving_.loop->now();
  if (!framing_.has_body()) {
    Dispatch(false);
    return true;
  }
  if (framing_.content_length.value_or(0) > serving_.service.limits.max_body_bytes) {
    Dispatch(true);
    return true;
  }
  if (framing_.expects_continue && rest().empty()) {
    farewell_ += "HTTP/1.1 100 Continue\r\n\r\n";
    host_.WantTurn();
  }
  state_ = State::kBody;
  if (framing_.chunked) {
    chunks_ = std::make_unique<ChunkedReader>();
  } else {
    request_.body.reserve(std::min<size_t>(*framing_.content_length, kFirstBodyRoom));
  }
  return true;
}

bool Http1Protocol::AdvanceBody() {
  std::string_view bytes = rest();
  if (chunks_ == nullptr) {
    const size_t missing = *framing_.content_length - request_.body.size();
    const size_t take = std::min(missing, bytes.size());
    request_.body.append(bytes.substr(0, take));
    Take(take);
    if (take == missing) Dispatch(false);
    return true;
  }
  const auto state = chunks_->Read(bytes, request_.body, serving_.service.limits.max_body_bytes);
  const HttpFault fault = chunks_->fault();
  Take(rest().size() - bytes.size());
  switch (state) {
    case ChunkedReader::State::kMore:
      return true;
    case ChunkedReader::State::kEnd:
      Dispatch(false);
      return true;
    case ChunkedReader::State::kTooLarge:
      Dispatch(true);
      return true;
    case ChunkedReader::State::kFault:
      Refuse(fault);
      return false;
  }
  return false;
}

void Http1Protocol::Dispatch(bool too_large) {
  chunks_.reset();
  state_ = State::kHandling;
  served_any_ = true;
  version_ = request_.version;
  is_head_ = request_.method == "HEAD";
  request_.remote_address = peer_.address;
  request_.peer = peer_.certificate;
  request_.peer_refused = peer_.refused;
  exchange_ = std::make_shared<Exchange>(serving_.loop, this, 0);
  serving_.service.requests.fetch_add(1, std::memory_order_relaxed);
  serving_.service.requests_in_flight.fetch_add(1, std::memory_order_relaxed);
  Responder responder(exchange_);
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
  farewell_ += "HTTP/1.1 " + line +
               "\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n" + line +
               ": " + fault.text;
  state_ = State::kFinished;
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
  if (exchange_ == nullptr) return;
  exchange_->Detach();
  exchange_.reset();
  serving_.service.requests_in_flight.fetch_sub(1, std::memory_order_relaxed);
}

void Http1Protocol::OnInputEnd() {
  input_ended_ = true;
  switch (state_) {
    case State::kHead:
    case State::kBody:
      state_ = State::kFinished;
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
  // Beyond what is needed, a little: only who reads notices that the client has gone.
  return state_ == State::kHead || state_ == State::kBody || rest().size() < kReadAheadBytes;
}

void Http1Protocol::OnResponse(int32_t stream, HttpResponse response) {
  static_cast<void>(stream);
  if (state_ != State::kHandling) return;
  response_ = std::move(response);
  if (HasHttpToken(response_.headers, "connection", "close")) keep_alive_ = false;
  head_sent_ = false;
  source_waits_ = false;
  body_sent_ = 0;
  state_ = State::kSending;
  if (response_.code == 101) {
    upgraded_ = dynamic_cast<UpgradedStream*>(response_.source.get());
    if (upgraded_ == nullptr || !framing_.asks_upgrade) {
      upgraded_ = nullptr;
      keep_alive_ = false;
      response_ = PlainTextResponse(500, "Internal Server Error\n");
    }
  }
  if (response_.source != nullptr) response_.source->OnStart(exchange_->MakeWake());
  host_.WantTurn();
}

void Http1Protocol::OnBodyReady(int32_t stream) {
  static_cast<void>(stream);
  source_waits_ = false;
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
  if (state_ == State::kBody) return since_ + limits.body_timeout;
  if (state_ != State::kHead) return Clock::kForever;
  const bool is_idle = input_.empty() && served_any_;
  return since_ + (is_idle ? limits.idle_timeout : limits.header_timeout);
}

void Http1Protocol::OnDeadline() {
  if (state_ == State::kBody) return Refuse({408, "the body took too long"});
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

}  // namespace skiff
