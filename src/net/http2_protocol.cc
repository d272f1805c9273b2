#include "net/http2_protocol.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string>
#include <utility>
#include <vector>

#include "base/limits.h"
#include "net/http1_parser.h"
#include "net/http1_writer.h"
#include "net/nghttp2_text.h"

namespace skiff {
namespace {

// What a source is asked for at once; several frames.
constexpr size_t kSourceBytes = 32 * 1024;
// What a header field costs besides its bytes, as HTTP/2 counts.
constexpr size_t kFieldOverhead = 32;

// Whether a reset that was sent answers a fault of the client. The others are ours: an answer that
// does not need the rest of its request, a request that took too long, a source that broke.
bool IsFaultOfClient(uint32_t error) {
  return error != NGHTTP2_NO_ERROR && error != NGHTTP2_CANCEL && error != NGHTTP2_INTERNAL_ERROR;
}

}  // namespace

// The C side. `user` is the protocol.
struct Http2Protocol::Callbacks {
  static Http2Protocol& Self(void* user) { return *static_cast<Http2Protocol*>(user); }

  static int OnBeginHeaders(nghttp2_session* session, const nghttp2_frame* frame, void* user) {
    if (frame->hd.type != NGHTTP2_HEADERS || frame->headers.cat != NGHTTP2_HCAT_REQUEST) return 0;
    Http2Protocol& self = Self(user);
    auto stream = std::make_unique<Stream>();
    stream->id = frame->hd.stream_id;
    stream->started = self.serving_.loop->now();
    if (self.incomplete_++ == 0)
      self.incomplete_check_ = stream->started + self.serving_.service.limits.body_timeout;
    nghttp2_session_set_stream_user_data(session, stream->id, stream.get());
    self.streams_.emplace(stream->id, std::move(stream));
    return 0;
  }

  static int OnHeader(nghttp2_session* session, const nghttp2_frame* frame, const uint8_t* name,
                      size_t name_size, const uint8_t* value, size_t value_size, uint8_t flags,
                      void* user) {
    static_cast<void>(flags);
    if (frame->hd.type != NGHTTP2_HEADERS) return 0;
    auto* stream =
        static_cast<Stream*>(nghttp2_session_get_stream_user_data(session, frame->hd.stream_id));
    if (stream == nullptr) return 0;
    const bool is_trailer = frame->headers.cat != NGHTTP2_HCAT_REQUEST;
    return Self(user).OnField(*stream, Nghttp2Text(name, name_size), Nghttp2Text(value, value_size),
                              is_trailer);
  }

  static int OnFrameRecv(nghttp2_session* session, const nghttp2_frame* frame, void* user) {
    static_cast<void>(session);
    return Self(user).OnFrame(*frame);
  }

  static int OnData(nghttp2_session* session, uint8_t flags, int32_t id, const uint8_t* data,
                    size_t size, void* user) {
    static_cast<void>(flags);
    auto* stream = static_cast<Stream*>(nghttp2_session_get_stream_user_data(session, id));
    return stream == nullptr ? 0 : Self(user).OnBodyBytes(*stream, Nghttp2Text(data, size));
  }

  static int OnClose(nghttp2_session* session, int32_t id, uint32_t error, void* user) {
    static_cast<void>(session);
    static_cast<void>(error);
    Self(user).OnStreamClosed(id);
    return 0;
  }

  static int OnSent(nghttp2_session* session, const nghttp2_frame* frame, void* user) {
    static_cast<void>(session);
    Self(user).OnFrameSent(*frame);
    return 0;
  }

  static ssize_t Send(nghttp2_session* session, const uint8_t* data, size_t size, int flags,
                      void* user) {
    static_cast<void>(session);
    static_cast<void>(flags);
    Http2Protocol& self = Self(user);
    if (self.out_->size() >= self.room_) return NGHTTP2_ERR_WOULDBLOCK;
    self.out_->Append(Nghttp2Text(data, size));
    return static_cast<ssize_t>(size);
  }

  static ssize_t ReadData(nghttp2_session* session, int32_t id, uint8_t* buffer, size_t length,
                          uint32_t* flags, nghttp2_data_source* source, void* user) {
    static_cast<void>(session);
    static_cast<void>(id);
    static_cast<void>(buffer);
    return Self(user).ReadBody(*static_cast<Stream*>(source->ptr), length, *flags);
  }

  static int SendData(nghttp2_session* session, nghttp2_frame* frame, const uint8_t* head,
                      size_t length, nghttp2_data_source* source, void* user) {
    static_cast<void>(session);
    static_cast<void>(frame);
    Http2Protocol& self = Self(user);
    if (self.out_->size() >= self.room_) return NGHTTP2_ERR_WOULDBLOCK;
    self.SendBody(*static_cast<Stream*>(source->ptr), Nghttp2Text(head, 9), length);
    return 0;
  }

  static nghttp2_session_callbacks* Get() {
    static nghttp2_session_callbacks* const callbacks = [] {
      nghttp2_session_callbacks* made = nullptr;
      nghttp2_session_callbacks_new(&made);
      nghttp2_session_callbacks_set_on_begin_headers_callback(made, OnBeginHeaders);
      nghttp2_session_callbacks_set_on_header_callback(made, OnHeader);
      nghttp2_session_callbacks_set_on_frame_recv_callback(made, OnFrameRecv);
      nghttp2_session_callbacks_set_on_data_chunk_recv_callback(made, OnData);
      nghttp2_session_callbacks_set_on_stream_close_callback(made, OnClose);
      nghttp2_session_callbacks_set_on_frame_send_callback(made, OnSent);
      nghttp2_session_callbacks_set_send_callback(made, Send);
      nghttp2_session_callbacks_set_send_data_callback(made, SendData);
      return made;
    }();
    return callbacks;
  }

  static nghttp2_option* MakeOptions(bool lenient) {
    nghttp2_option* made = nullptr;
    nghttp2_option_new(&made);
    if (lenient) nghttp2_option_set_no_http_messaging(made, 1);
    nghttp2_option_set_max_outbound_ack(made, limits::kHttp2MaxOutboundAcks);
    nghttp2_option_set_max_continuations(made, limits::kHttp2MaxContinuations);
    // Far behind our own count, which says ENHANCE_YOUR_CALM.
    nghttp2_option_set_stream_reset_rate_limit(made, uint64_t{20} * limits::kHttp2ResetBurst,
                                               uint64_t{20} * limits::kHttp2ResetBurst);
    return made;
  }
  static nghttp2_option* Options(bool lenient) {
    static nghttp2_option* const strict_options = MakeOptions(false);
    static nghttp2_option* const lenient_options = MakeOptions(true);
    return lenient ? lenient_options : strict_options;
  }
};

Http2Protocol::Http2Protocol(ServingLoop& serving, Host& host, const ConnectionPeer& peer)
    : serving_(serving),
      host_(host),
      peer_(peer),
      resets_(std::max(limits::kHttp2ResetBurst, 10 * serving.service.limits.resets_per_second),
              serving.service.limits.resets_per_second),
      control_frames_(std::max(limits::kHttp2ControlBurst,
                               10 * serving.service.limits.control_frames_per_second),
                      serving.service.limits.control_frames_per_second),
      idle_since_(serving.loop->now()) {
  nghttp2_session_server_new2(&session_, Callbacks::Get(), this,
                              Callbacks::Options(serving.service.limits.lenient));
  const HttpLimits& bounds = serving.service.limits;
  const std::array settings = {
      nghttp2_settings_entry{NGHTTP2_SETTINGS_MAX_FRAME_SIZE, limits::kHttp2MaxFrameBytes},
      nghttp2_settings_entry{NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, bounds.max_streams},
      nghttp2_settings_entry{NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE,
                             static_cast<uint32_t>(bounds.max_header_bytes)},
      nghttp2_settings_entry{NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE,
                             limits::kHttp2StreamWindowBytes}};
  nghttp2_submit_settings(session_, NGHTTP2_FLAG_NONE, settings.data(), settings.size());
  const uint64_t window = uint64_t{limits::kHttp2StreamWindowBytes} * bounds.max_streams;
  nghttp2_session_set_local_window_size(session_, NGHTTP2_FLAG_NONE, 0,
                                        static_cast<int32_t>(std::min<uint64_t>(window, 1 << 30)));
  host_.WantTurn();
}

Http2Protocol::~Http2Protocol() {
  while (!streams_.empty()) OnStreamClosed(streams_.begin()->first);
  nghttp2_session_del(session_);
}

Http2Protocol::Stream* Http2Protocol::Find(int32_t id) const {
  const auto found = streams_.find(id);
  return found == streams_.end() ? nullptr : found->second.get();
}

void Http2Protocol::OnBytes(std::string_view bytes) {
  if (broken_) return;
  heard_anything_ = true;
  idle_since_ = serving_.loop->now();
  if (serving_.service.limits.lenient) {
    filter_.Feed(bytes, [this](std::string_view rest) { Receive(rest); });
  } else {
    Receive(bytes);
  }
  host_.WantTurn();
}

void Http2Protocol::Receive(std::string_view bytes) {
  if (broken_) return;
  const ssize_t used = nghttp2_session_mem_recv(
      session_, reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
  if (used == NGHTTP2_ERR_FLOODED) {
    Terminate(NGHTTP2_ENHANCE_YOUR_CALM);
  } else if (used < 0) {
    broken_ = true;
  }
}

void Http2Protocol::OnInputEnd() {
  broken_ = true;
  host_.WantTurn();
}

int Http2Protocol::OnField(Stream& stream, std::string_view name, std::string_view value,
                           bool is_trailer) {
  const HttpLimits& bounds = serving_.service.limits;
  stream.header_bytes += name.size() + value.size() + kFieldOverhead;
  if (++stream.fields > limits::kMaxHttpHeaderFields ||
      stream.header_bytes > bounds.max_header_bytes)
    stream.headers_refused = true;
  if (stream.headers_refused) {
    // HPACK lets few bytes stand for many: whoever goes on and on is not merely mistaken.
    if (stream.header_bytes > 4 * bounds.max_header_bytes) Terminate(NGHTTP2_ENHANCE_YOUR_CALM);
    return terminated_ ? NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE : 0;
  }
  if (is_trailer) return 0;
  if (!name.starts_with(':')) {
    stream.request.headers.Add(std::string(name), std::string(value));
  } else if (name == ":method") {
    stream.request.method = value;
  } else if (name == ":authority") {
    stream.authority = value;
  } else if (name == ":path") {
    stream.path_refused =
        !SplitRequestTarget(value, stream.request.path, stream.request.query) || value[0] != '/';
  }
  return 0;
}

int Http2Protocol::OnFrame(const nghttp2_frame& frame) {
  const Duration now = serving_.loop->now();
  const bool ends_stream = (frame.hd.flags & NGHTTP2_FLAG_END_STREAM) != 0;
  bool is_control = false;
  switch (frame.hd.type) {
    case NGHTTP2_RST_STREAM:
      if (!resets_.Take(now)) Terminate(NGHTTP2_ENHANCE_YOUR_CALM);
      break;
    case NGHTTP2_HEADERS:
    case NGHTTP2_DATA: {
      is_control = frame.hd.type == NGHTTP2_DATA && frame.hd.length == 0 && !ends_stream;
      Stream* stream = Find(frame.hd.stream_id);
      if (stream == nullptr) break;
      if (frame.hd.type == NGHTTP2_HEADERS && frame.headers.cat == NGHTTP2_HCAT_REQUEST)
        return OnRequestHead(*stream, ends_stream);
      if (!ends_stream) break;
      stream->is_complete = true;
      if (!stream->is_dispatched) Dispatch(*stream, false);
      if (const auto sink = std::move(stream->sink); sink != nullptr) sink->OnEnd();
      break;
    }
    case NGHTTP2_PING:
    case NGHTTP2_SETTINGS:
    case NGHTTP2_PRIORITY:
    case NGHTTP2_PRIORITY_UPDATE:
      is_control = true;
      break;
    default:
      break;
  }
  if (is_control && !control_frames_.Take(now)) Terminate(NGHTTP2_ENHANCE_YOUR_CALM);
  return 0;
}

int Http2Protocol::OnRequestHead(Stream& stream, bool ended) {
  stream.is_complete = ended;
  HttpRequest& request = stream.request;
  if (stream.headers_refused || stream.path_refused || request.path.empty()) {
    const int code = stream.headers_refused ? 431 : 400;
    Dispatch(stream, false);
    if (stream.exchange != nullptr)
      Answer(stream,
             PlainTextResponse(code, std::to_string(code) + " " + std::string(HttpPhrase(code))));
    return 0;
  }
  if (!stream.authority.empty() && request.headers.Find("host") == nullptr)
    request.headers.Add("host", std::move(stream.authority));
  if (ended) {
    Dispatch(stream, false);
    return 0;
  }
  const std::string_view length = request.headers.Get("content-length");
  uint64_t value = 0;
  std::from_chars(length.data(), length.data() + length.size(), value);
  if (value > serving_.service.limits.max_body_bytes) {
    Dispatch(stream, true);
  } else if (EqualsIgnoringCase(request.headers.Get("expect"), "100-continue")) {
    const nghttp2_nv status = NameValue(":status", "100");
    nghttp2_submit_headers(session_, NGHTTP2_FLAG_NONE, stream.id, nullptr, &status, 1, nullptr);
  }
  if (!stream.is_dispatched) DispatchStream(stream);
  return 0;
}

int Http2Protocol::OnBodyBytes(Stream& stream, std::string_view bytes) {
  if (stream.sink != nullptr) {
    stream.sink->OnBytes(bytes);
    return 0;
  }
  if (stream.is_dispatched) return 0;  // refused already, the rest is read for nothing
  if (bytes.size() > serving_.service.limits.max_body_bytes - stream.request.body.size()) {
    Dispatch(stream, true);
    return 0;
  }
  if (buffered_body_bytes_ + bytes.size() > limits::kMaxHttp2BodyBytesPerConnection) {
    nghttp2_submit_rst_stream(session_, NGHTTP2_FLAG_NONE, stream.id, NGHTTP2_REFUSED_STREAM);
    return 0;
  }
  stream.request.body.append(bytes);
  stream.body_bytes += bytes.size();
  buffered_body_bytes_ += bytes.size();
  return 0;
}

void Http2Protocol::ForgetRequestBody(Stream& stream) {
  buffered_body_bytes_ -= std::exchange(stream.body_bytes, 0);
}

bool Http2Protocol::DispatchStream(Stream& stream) {
  // The handler may answer at once.
  stream.exchange = std::make_shared<Exchange>(serving_.loop, this, stream.id);
  Responder responder(stream.exchange);
  FillIn(stream.request);
  auto sink = serving_.service.handler->HandleStream(stream.request, responder);
  if (sink == nullptr) {
    static_cast<void>(std::move(responder).Release());
    std::exchange(stream.exchange, nullptr)->Detach();
    return false;
  }
  stream.sink = std::move(sink);
  BeginExchange(stream);
  return true;
}

void Http2Protocol::BeginExchange(Stream& stream) {
  stream.is_dispatched = true;
  if (--incomplete_ == 0) incomplete_check_ = Clock::kForever;
  ForgetRequestBody(stream);
  serving_.service.requests.fetch_add(1, std::memory_order_relaxed);
  serving_.service.requests_in_flight.fetch_add(1, std::memory_order_relaxed);
}

void Http2Protocol::FillIn(HttpRequest& request) const {
  request.version = 20;
  request.remote_address = peer_.address;
  request.peer = peer_.certificate;
  request.peer_refused = peer_.refused;
}

void Http2Protocol::Dispatch(Stream& stream, bool too_large) {
  const bool refused = stream.headers_refused || stream.path_refused || stream.request.path.empty();
  HttpRequest& request = stream.request;
  stream.is_head = request.method == "HEAD";
  FillIn(request);
  stream.exchange = std::make_shared<Exchange>(serving_.loop, this, stream.id);
  BeginExchange(stream);
  if (refused) return;
  HttpService& service = serving_.service;
  Responder responder(stream.exchange);
  if (too_large) {
    std::string().swap(request.body);
    service.handler->HandleTooLarge(std::move(request), std::move(responder));
  } else {
    service.handler->Handle(std::move(request), std::move(responder));
  }
}

void Http2Protocol::OnStreamClosed(int32_t id) {
  auto found = streams_.extract(id);
  if (found.empty()) return;
  Stream& stream = *found.mapped();
  if (!stream.is_dispatched && --incomplete_ == 0) incomplete_check_ = Clock::kForever;
  if (stream.is_sending && !stream.is_deferred) --sending_;
  ForgetRequestBody(stream);
  if (stream.sink != nullptr) stream.sink->OnGone();
  if (stream.exchange != nullptr) {
    stream.exchange->Detach();
    serving_.service.requests_in_flight.fetch_sub(1, std::memory_order_relaxed);
  }
  idle_since_ = serving_.loop->now();
}

void Http2Protocol::OnResponse(int32_t id, HttpResponse response) {
  Stream* stream = Find(id);
  if (stream == nullptr) return;
  Answer(*stream, std::move(response));
}

void Http2Protocol::Answer(Stream& stream, HttpResponse response) {
  if (response.code < 200) response = PlainTextResponse(500, "Internal Server Error\n");
  stream.response = std::move(response);
  HttpResponse& answer = stream.response;
  const bool may_have_body = answer.code != 204 && answer.code != 304;
  const std::string code = std::to_string(answer.code);
  const std::string length = std::to_string(answer.body.size());
  std::vector<nghttp2_nv> fields;
  fields.reserve(answer.headers.fields().size() + 3);
  fields.push_back(NameValue(":status", code));
  for (const auto& field : answer.headers.fields()) {
    if (IsFramingField(field.name) || !IsHttpToken(field.name) || !IsHttpFieldValue(field.value))
      continue;
    fields.push_back(NameValue(field.name, field.value));
  }
  fields.push_back(NameValue("date", serving_.date.Get(serving_.loop->clock())));
  if (may_have_body && answer.source == nullptr && answer.trailers.fields().empty())
    fields.push_back(NameValue("content-length", length));
  // What closes a connection of HTTP/1.1 sends the client away here.
  if (HasHttpToken(answer.headers, "connection", "close")) Drain();

  const bool has_body =
      may_have_body && !stream.is_head && (answer.source != nullptr || !answer.body.empty());
  nghttp2_data_provider provider{.source = {.ptr = &stream}, .read_callback = Callbacks::ReadData};
  if (has_body) {
    stream.is_sending = true;
    ++sending_;
    if (answer.source != nullptr) answer.source->OnStart(stream.exchange->MakeWake());
  } else {
    answer.source.reset();
  }
  nghttp2_submit_response(session_, stream.id, fields.data(), fields.size(),
                          has_body ? &provider : nullptr);
  host_.WantTurn();
}

void Http2Protocol::OnBodyReady(int32_t id) {
  Stream* stream = Find(id);
  if (stream == nullptr || !stream->is_deferred) return;
  stream->is_deferred = false;
  ++sending_;
  nghttp2_session_resume_data(session_, id);
  host_.WantTurn();
}

ssize_t Http2Protocol::ReadBody(Stream& stream, size_t length, uint32_t& flags) {
  flags |= NGHTTP2_DATA_FLAG_NO_COPY;
  if (stream.response.source != nullptr) return ReadFromSource(stream, length, flags);
  const size_t left = stream.response.body.size() - stream.body_sent;
  if (left <= length) EndBody(stream, flags);
  return static_cast<ssize_t>(std::min(left, length));
}

ssize_t Http2Protocol::ReadFromSource(Stream& stream, size_t length, uint32_t& flags) {
  if (stream.pending_at == stream.pending.size() && !stream.source_ended) {
    stream.pending.Clear();
    stream.pending_at = 0;
    // Of many streams that take long, some wait for another turn.
    Result<BodySource::State> state = BodySource::State::kMore;
    if (!std::exchange(asked_a_source_, true) || !serving_.loop->overdue()) {
      state = stream.response.source->Read(stream.pending, kSourceBytes);
    }
    if (!state) return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
    stream.source_ended = *state == BodySource::State::kEnd;
    if (stream.pending.empty() && !stream.source_ended) {
      stream.pending = ByteBuffer();
      stream.is_deferred = true;
      --sending_;
      // There is more, but not now: asked again in the next turn.
      if (*state == BodySource::State::kMore) stream.exchange->Wake();
      return NGHTTP2_ERR_DEFERRED;
    }
  }
  const size_t left = stream.pending.size() - stream.pending_at;
  if (left <= length && stream.source_ended) EndBody(stream, flags);
  return static_cast<ssize_t>(std::min(left, length));
}

void Http2Protocol::EndBody(Stream& stream, uint32_t& flags) {
  flags |= NGHTTP2_DATA_FLAG_EOF;
  HttpResponse& answer = stream.response;
  const HttpHeaders trailers =
      answer.source != nullptr ? answer.source->Trailers() : std::move(answer.trailers);
  std::vector<nghttp2_nv> fields;
  for (const auto& field : trailers.fields()) {
    if (IsHttpToken(field.name) && IsHttpFieldValue(field.value))
      fields.push_back(NameValue(field.name, field.value));
  }
  if (fields.empty()) return;
  flags |= NGHTTP2_DATA_FLAG_NO_END_STREAM;
  nghttp2_submit_trailer(session_, stream.id, fields.data(), fields.size());
}

void Http2Protocol::SendBody(Stream& stream, std::string_view frame_head, size_t length) {
  out_->Append(frame_head);
  if (stream.response.source == nullptr) {
    out_->Append(stream.response.body.view().substr(stream.body_sent, length));
    stream.body_sent += length;
  } else {
    out_->Append(stream.pending.view().substr(stream.pending_at, length));
    stream.pending_at += length;
  }
}

void Http2Protocol::OnFrameSent(const nghttp2_frame& frame) {
  // Who makes us reset a request that is under way gets as much work done for nothing as who resets
  // it himself (CVE-2025-8671).
  if (frame.hd.type == NGHTTP2_RST_STREAM && IsFaultOfClient(frame.rst_stream.error_code) &&
      !resets_.Take(serving_.loop->now()))
    Terminate(NGHTTP2_ENHANCE_YOUR_CALM);
  const bool is_body = frame.hd.type == NGHTTP2_DATA || frame.hd.type == NGHTTP2_HEADERS;
  if (!is_body || (frame.hd.flags & NGHTTP2_FLAG_END_STREAM) == 0) return;
  Stream* stream = Find(frame.hd.stream_id);
  if (stream == nullptr) return;
  if (stream->is_sending) {
    stream->is_sending = false;
    --sending_;
  }
  // The answer is complete before the request: the client need not go on.
  if (!stream->is_complete)
    nghttp2_submit_rst_stream(session_, NGHTTP2_FLAG_NONE, stream->id, NGHTTP2_NO_ERROR);
}

void Http2Protocol::Fill(ByteBuffer& out, size_t room) {
  out_ = &out;
  room_ = room;
  asked_a_source_ = false;
  const size_t before = out.size();
  if (nghttp2_session_send(session_) != 0) broken_ = true;
  out_ = nullptr;
  const bool is_stalled = sending_ > 0 && out.size() == before;
  if (!is_stalled) {
    stalled_since_ = Clock::kForever;
  } else if (stalled_since_ == Clock::kForever) {
    stalled_since_ = serving_.loop->now();
  }
}

bool Http2Protocol::finished() const {
  return nghttp2_session_want_read(session_) == 0 && nghttp2_session_want_write(session_) == 0;
}

Duration Http2Protocol::deadline() const {
  const HttpLimits& bounds = serving_.service.limits;
  Duration earliest = incomplete_check_;
  if (stalled_since_ != Clock::kForever)
    earliest = std::min(earliest, stalled_since_ + bounds.write_timeout);
  if (streams_.empty()) {
    const Duration patience = heard_anything_ ? bounds.idle_timeout : bounds.header_timeout;
    earliest = std::min(earliest, idle_since_ + patience);
  }
  return earliest;
}

void Http2Protocol::OnDeadline() {
  const Duration now = serving_.loop->now();
  const HttpLimits& bounds = serving_.service.limits;
  if (terminated_ ||
      (stalled_since_ != Clock::kForever && now >= stalled_since_ + bounds.write_timeout)) {
    broken_ = true;
    return host_.WantTurn();
  }
  if (streams_.empty()) return Terminate(NGHTTP2_NO_ERROR);
  incomplete_check_ = Clock::kForever;
  for (const auto& [id, stream] : streams_) {
    if (stream->is_dispatched) continue;
    const Duration due = stream->started + bounds.body_timeout;
    if (due <= now) {
      nghttp2_submit_rst_stream(session_, NGHTTP2_FLAG_NONE, id, NGHTTP2_CANCEL);
      incomplete_check_ = std::min(incomplete_check_, now + bounds.body_timeout);
    } else {
      incomplete_check_ = std::min(incomplete_check_, due);
    }
  }
  host_.WantTurn();
}

void Http2Protocol::Terminate(uint32_t error) {
  if (!terminated_) nghttp2_session_terminate_session(session_, error);
  terminated_ = true;
  host_.WantTurn();
}

void Http2Protocol::Drain() {
  nghttp2_submit_goaway(session_, NGHTTP2_FLAG_NONE,
                        nghttp2_session_get_last_proc_stream_id(session_), NGHTTP2_NO_ERROR,
                        nullptr, 0);
  host_.WantTurn();
}

std::unique_ptr<HttpProtocol> MakeHttp2(ServingLoop& serving, HttpProtocol::Host& host,
                                        const ConnectionPeer& peer) {
  return std::make_unique<Http2Protocol>(serving, host, peer);
}

}  // namespace skiff
