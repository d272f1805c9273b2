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

namespace skiff::net {
namespace {

// What a source is asked for at once; several frames.
constexpr size_t kSourceBytes = 32 * 1024;
// What a header field costs besides its bytes, as HTTP/2 counts.
constexpr size_t kFieldOverhead = 32;
// What a source has given is counted from here on. Events of watches are mostly less and gone in
// the same turn.
constexpr size_t kSmallPieceBytes = 4096;

// Whether a reset that was sent answers a fault of the client. The others are ours: an answer that
// does not need the rest of its request, a request that took too long, a source that broke.
bool IsFaultOfClient(uint32_t error) {
  return error != NGHTTP2_NO_ERROR && error != NGHTTP2_CANCEL && error != NGHTTP2_INTERNAL_ERROR;
}

// A value that no other answer will have. In the table of values that the two sides share, it would
// only push out those that come again, and be compared with every one of its name.
nghttp2_nv UniqueValue(std::string_view name, std::string_view value) {
  nghttp2_nv field = NameValue(name, value);
  field.flags = NGHTTP2_NV_FLAG_NO_INDEX;
  return field;
}

}  // namespace

// The C side. `user` is the protocol.
struct Http2Protocol::Callbacks {
  static Http2Protocol& Self(void* user) { return *static_cast<Http2Protocol*>(user); }

  static int OnBeginHeaders(nghttp2_session* session, const nghttp2_frame* frame, void* user) {
    static_cast<void>(session);
    if (frame->hd.type == NGHTTP2_HEADERS && frame->headers.cat == NGHTTP2_HCAT_REQUEST)
      Self(user).OnStreamOpened(frame->hd.stream_id);
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
    nghttp2_session_consume_connection(session, size);
    auto* stream = static_cast<Stream*>(nghttp2_session_get_stream_user_data(session, id));
    if (stream != nullptr) Self(user).OnBodyBytes(*stream, Nghttp2Text(data, size));
    return 0;
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
    nghttp2_option_set_no_auto_window_update(made, 1);
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
      memory_(serving.service.MakeMemory()),
      heads_(serving.service.MakeHeadBudget()),
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

// A stream that is refused is not known here at all: nghttp2 reads its head, which the table of
// names and values needs, and nobody listens.
void Http2Protocol::OnStreamOpened(int32_t id) {
  if (!memory_->has_room()) {
    nghttp2_submit_rst_stream(session_, NGHTTP2_FLAG_NONE, id, NGHTTP2_REFUSED_STREAM);
    return;
  }
  auto stream = std::make_unique<Stream>();
  stream->id = id;
  stream->started = serving_.loop->now();
  stream->head_memory = MemoryCharge(heads_);
  stream->body_memory = MemoryCharge(memory_);
  stream->answer_memory = MemoryCharge(memory_);
  CheckAt(DueTime(*stream));
  nghttp2_session_set_stream_user_data(session_, id, stream.get());
  streams_.emplace(id, std::move(stream));
}

// Whoever has little on the way is let through while others have used up what there is for heads.
bool Http2Protocol::ChargeHead(Stream& stream, size_t bytes) {
  if (stream.head_memory.Add(bytes)) return true;
  const size_t used = heads_->used();
  if (used <= limits::kSmallHttpHeadBytes && memory_->has_room()) {
    stream.head_memory.AddAnyway(bytes);
    return true;
  }
  if (used >= heads_->bytes() / 4 * 3) {
    Terminate(NGHTTP2_ENHANCE_YOUR_CALM);
  } else {
    Reset(stream, NGHTTP2_REFUSED_STREAM);
  }
  stream.is_shed = true;
  stream.request = {};
  stream.head_memory.Clear();
  return false;
}

int Http2Protocol::OnField(Stream& stream, std::string_view name, std::string_view value,
                           bool is_trailer) {
  if (stream.is_shed) return terminated_ ? NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE : 0;
  const HttpLimits& bounds = serving_.service.limits;
  const size_t bytes = name.size() + value.size() + kFieldOverhead;
  stream.header_bytes += bytes;
  if (++stream.fields > limits::kMaxHttpHeaderFields ||
      stream.header_bytes > bounds.max_header_bytes)
    stream.headers_refused = true;
  if (stream.headers_refused) {
    // HPACK lets few bytes stand for many: whoever goes on and on is not merely mistaken.
    if (stream.header_bytes > 4 * bounds.max_header_bytes) Terminate(NGHTTP2_ENHANCE_YOUR_CALM);
    return terminated_ ? NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE : 0;
  }
  if (is_trailer || !ChargeHead(stream, bytes)) return 0;
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
        OnRequestHead(*stream, ends_stream);
      else if (ends_stream)
        OnRequestEnd(*stream);
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

void Http2Protocol::OnRequestHead(Stream& stream, bool ended) {
  stream.is_complete = ended;
  if (stream.is_shed) return;
  HttpRequest& request = stream.request;
  if (stream.headers_refused) return Refuse(stream, 431);
  if (stream.path_refused || request.path.empty()) return Refuse(stream, 400);
  if (!stream.authority.empty() && request.headers.Find("host") == nullptr)
    request.headers.Add("host", std::move(stream.authority));
  if (ended) return Dispatch(stream, false);
  const std::string_view length = request.headers.Get("content-length");
  uint64_t value = 0;
  std::from_chars(length.data(), length.data() + length.size(), value);
  stream.body_refused = value > serving_.service.limits.max_body_bytes;
  stream.expects_continue = EqualsIgnoringCase(request.headers.Get("expect"), "100-continue");
  if (serving_.service.handler->takes_heads()) return DispatchHead(stream);
  if (stream.body_refused) return Dispatch(stream, true);
  BeginBody(stream);
  DispatchStream(stream);
}

// The client has sent all of its request.
void Http2Protocol::OnRequestEnd(Stream& stream) {
  stream.is_complete = true;
  if (stream.is_shed || stream.is_answered) {
    // Nobody waits for it.
  } else if (stream.headers_refused && stream.sink == nullptr) {
    return Refuse(stream, 431);
  } else if (stream.body == Body::kWanted) {
    return EndBody(stream, false);
  }
  if (stream.sink == nullptr) return;
  if (stream.headers_refused) return Reset(stream, NGHTTP2_ENHANCE_YOUR_CALM);
  const auto sink = std::move(stream.sink);
  sink->OnEnd();
}

void Http2Protocol::OnBodyBytes(Stream& stream, std::string_view bytes) {
  if (stream.body == Body::kPassed) return PassBytes(stream, bytes);
  if (stream.is_shed || stream.body == Body::kDone) return;
  // What is held may yet go to a sink, however much there is of it; a window is all that comes.
  const size_t bound = serving_.service.limits.max_body_bytes;
  stream.body_refused = stream.body_refused || bytes.size() + stream.body_bytes.size() > bound;
  if (stream.body_refused && stream.body == Body::kWanted) return EndBody(stream, true);
  MemoryCharge& charge =
      stream.exchange != nullptr ? stream.exchange->body_memory : stream.body_memory;
  if (!charge.Add(bytes.size())) {
    if (!serving_.service.memory->has_room()) return Refuse(stream, 503);
    // The connection alone has no room left, but the client was given this window.
    charge.AddAnyway(bytes.size());
  }
  stream.body_bytes.append(bytes);
  if (stream.ungranted == 0) ++ungranted_;
  stream.ungranted += bytes.size();
  GrantWindow(stream);
}

void Http2Protocol::PassBytes(Stream& stream, std::string_view bytes) {
  if (stream.sink != nullptr) stream.sink->OnBytes(bytes);
  if (stream.sink != nullptr && !stream.sink->wants_input()) {
    stream.held_back += bytes.size();
  } else {
    nghttp2_session_consume_stream(session_, stream.id, bytes.size());
  }
}

void Http2Protocol::GrantWindow(Stream& stream) {
  if (stream.body != Body::kWanted || stream.ungranted == 0) return;
  if (!memory_->has_room()) return GrantWindows();
  nghttp2_session_consume_stream(session_, stream.id, std::exchange(stream.ungranted, 0));
  --ungranted_;
}

// The oldest may go on whatever there is: were all of them held back, none would ever be complete.
void Http2Protocol::GrantWindows() {
  bool is_oldest = true;
  for (const auto& [id, stream] : streams_) {
    if (ungranted_ == 0 || (!is_oldest && !memory_->has_room())) return;
    if (stream->body != Body::kWanted) continue;
    is_oldest = false;
    if (stream->ungranted == 0) continue;
    nghttp2_session_consume_stream(session_, id, std::exchange(stream->ungranted, 0));
    --ungranted_;
  }
}

void Http2Protocol::SendContinue(Stream& stream) {
  if (!stream.expects_continue || !stream.body_bytes.empty()) return;
  const nghttp2_nv status = NameValue(":status", "100");
  nghttp2_submit_headers(session_, NGHTTP2_FLAG_NONE, stream.id, nullptr, &status, 1, nullptr);
}

void Http2Protocol::BeginBody(Stream& stream) {
  stream.body = Body::kWanted;
  SendContinue(stream);
  GrantWindow(stream);
}

// The body is there, or too large to be read.
void Http2Protocol::EndBody(Stream& stream, bool too_large) {
  stream.body = Body::kDone;
  if (std::exchange(stream.ungranted, 0) > 0) --ungranted_;
  GrantWindows();
  if (!stream.is_dispatched) return Dispatch(stream, too_large);
  RequestBody body{.bytes = std::exchange(stream.body_bytes, {}), .too_large = too_large};
  if (too_large) body.bytes = {};
  std::exchange(stream.on_body, nullptr)(std::move(body));
}

void Http2Protocol::OnBodyWanted(int32_t id, BodyCallback then) {
  Stream* stream = Find(id);
  if (stream == nullptr || stream->body != Body::kHeld) return;
  stream->on_body = std::move(then);
  if (stream->body_refused || stream->is_complete) return EndBody(*stream, stream->body_refused);
  BeginBody(*stream);
  host_.WantTurn();
}

void Http2Protocol::OnBodyPassed(int32_t id, std::unique_ptr<RequestSink> sink) {
  Stream* stream = Find(id);
  if (stream == nullptr || stream->body != Body::kHeld) return sink->OnGone();
  sink->OnStart(stream->exchange->MakeWake());
  stream->sink = std::move(sink);
  SendContinue(*stream);
  // The sink decides about the window, also for what is there already.
  if (std::exchange(stream->ungranted, 0) > 0) --ungranted_;
  stream->body = Body::kPassed;
  const std::string held = std::exchange(stream->body_bytes, {});
  stream->exchange->body_memory.Clear();
  if (!held.empty()) PassBytes(*stream, held);
  if (stream->is_complete && stream->sink != nullptr) std::exchange(stream->sink, nullptr)->OnEnd();
  host_.WantTurn();
}

bool Http2Protocol::DispatchStream(Stream& stream) {
  // The handler may answer at once.
  Responder responder = MakeExchange(stream);
  auto sink = serving_.service.handler->HandleStream(stream.request, responder);
  if (sink == nullptr) {
    static_cast<void>(std::move(responder).Release());
    std::exchange(stream.exchange, nullptr)->Detach();
    return false;
  }
  stream.body = Body::kPassed;
  stream.sink = std::move(sink);
  BeginExchange(stream);
  return true;
}

Responder Http2Protocol::MakeExchange(Stream& stream) {
  stream.is_head = stream.request.method == "HEAD";
  FillIn(stream.request);
  stream.exchange = std::make_shared<Exchange>(serving_.loop, this, stream.id);
  return Responder(stream.exchange);
}

void Http2Protocol::BeginExchange(Stream& stream) {
  stream.is_dispatched = true;
  stream.exchange->head_memory = std::move(stream.head_memory);
  stream.exchange->body_memory = std::move(stream.body_memory);
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
  stream.body = Body::kDone;
  Responder responder = MakeExchange(stream);
  BeginExchange(stream);
  HttpHandler& handler = *serving_.service.handler;
  HttpRequest& request = stream.request;
  request.body = std::exchange(stream.body_bytes, {});
  if (too_large) {
    std::string().swap(request.body);
    handler.HandleTooLarge(std::move(request), std::move(responder));
  } else {
    handler.Handle(std::move(request), std::move(responder));
  }
}

void Http2Protocol::DispatchHead(Stream& stream) {
  stream.body = Body::kHeld;
  Responder responder = MakeExchange(stream);
  BeginExchange(stream);
  serving_.service.handler->HandleHead(std::move(stream.request), std::move(responder));
}

void Http2Protocol::Refuse(Stream& stream, int code) {
  if (stream.is_answered) return;
  if (stream.exchange == nullptr) {
    static_cast<void>(MakeExchange(stream).Release());
    BeginExchange(stream);
  }
  HttpResponse answer =
      PlainTextResponse(code, std::to_string(code) + " " + std::string(HttpPhrase(code)));
  if (code == 503) answer.headers.Add("retry-after", "1");
  Answer(stream, std::move(answer));
}

void Http2Protocol::Reset(Stream& stream, uint32_t error) {
  nghttp2_submit_rst_stream(session_, NGHTTP2_FLAG_NONE, stream.id, error);
  host_.WantTurn();
}

void Http2Protocol::OnStreamClosed(int32_t id) {
  auto found = streams_.extract(id);
  if (found.empty()) return;
  Stream& stream = *found.mapped();
  if (stream.ungranted > 0) --ungranted_;
  if (stream.is_sending && !stream.is_deferred) --sending_;
  if (stream.sink != nullptr) stream.sink->OnGone();
  if (stream.exchange != nullptr) {
    stream.exchange->Detach();
    serving_.service.requests_in_flight.fetch_sub(1, std::memory_order_relaxed);
  }
  idle_since_ = serving_.loop->now();
  GrantWindows();
}

void Http2Protocol::OnResponse(int32_t id, HttpResponse response) {
  Stream* stream = Find(id);
  if (stream == nullptr) return;
  Answer(*stream, std::move(response));
}

void Http2Protocol::Answer(Stream& stream, HttpResponse response) {
  if (std::exchange(stream.is_answered, true)) return;
  // Who waits for the rest of the request waits in vain; what it says about that comes too late.
  const BodyCallback dropped = std::exchange(stream.on_body, nullptr);
  ForgetRequest(stream);
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
    fields.push_back(field.name == "audit-id" ? UniqueValue(field.name, field.value)
                                              : NameValue(field.name, field.value));
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
    stream.progress = serving_.loop->now();
    ++sending_;
    if (answer.body.is_sole()) stream.answer_memory.AddAnyway(answer.body.size());
    if (answer.source != nullptr) {
      stream.answer_memory.AddAnyway(answer.source->HeldBytes());
      answer.source->OnStart(stream.exchange->MakeWake());
    }
    stream.answer_due = serving_.AnswerDue(answer);
    CheckAt(DueTime(stream));
  } else {
    answer.source.reset();
  }
  nghttp2_submit_response(session_, stream.id, fields.data(), fields.size(),
                          has_body ? &provider : nullptr);
  host_.WantTurn();
}

void Http2Protocol::ForgetRequest(Stream& stream) {
  stream.head_memory.Clear();
  stream.body_memory.Clear();
  stream.exchange->head_memory.Clear();
  stream.exchange->body_memory.Clear();
  if (stream.body == Body::kPassed) return;
  stream.body = Body::kDone;
  stream.body_bytes = {};
  if (std::exchange(stream.ungranted, 0) > 0) --ungranted_;
  GrantWindows();
}

void Http2Protocol::OnBodyReady(int32_t id) {
  Stream* stream = Find(id);
  if (stream == nullptr) return;
  if (stream->sink != nullptr && stream->held_back > 0 && stream->sink->wants_input()) {
    nghttp2_session_consume_stream(session_, id, std::exchange(stream->held_back, 0));
    host_.WantTurn();
  }
  if (!stream->is_deferred) return;
  stream->is_deferred = false;
  stream->progress = serving_.loop->now();
  CheckAt(DueTime(*stream));
  ++sending_;
  nghttp2_session_resume_data(session_, id);
  host_.WantTurn();
}

ssize_t Http2Protocol::ReadBody(Stream& stream, size_t length, uint32_t& flags) {
  flags |= NGHTTP2_DATA_FLAG_NO_COPY;
  if (stream.response.source != nullptr) return ReadFromSource(stream, length, flags);
  const size_t left = stream.response.body.size() - stream.body_sent;
  if (left <= length) EndAnswer(stream, flags);
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
    stream.answer_memory.Clear();
    const size_t held = stream.pending.size() + stream.response.source->HeldBytes();
    if (held > kSmallPieceBytes) stream.answer_memory.AddAnyway(held);
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
  if (left <= length && stream.source_ended) EndAnswer(stream, flags);
  return static_cast<ssize_t>(std::min(left, length));
}

void Http2Protocol::EndAnswer(Stream& stream, uint32_t& flags) {
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
  if (length > 0) {
    stream.progress = serving_.loop->now();
    sent_body_ = true;
  }
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
  sent_body_ = false;
  if (nghttp2_session_send(session_) != 0) broken_ = true;
  out_ = nullptr;
  // Whatever else is sent, such as answers to pings, says nothing about a client that takes nothing
  // of what it asked for.
  const bool is_stalled = sending_ > 0 && !sent_body_;
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
  Duration earliest = streams_.empty() ? Clock::kForever : stream_check_;
  if (stalled_since_ != Clock::kForever)
    earliest = std::min(earliest, stalled_since_ + bounds.write_timeout);
  if (streams_.empty()) {
    const Duration patience = heard_anything_ ? bounds.idle_timeout : bounds.header_timeout;
    earliest = std::min(earliest, idle_since_ + patience);
  }
  return earliest;
}

Duration Http2Protocol::DueTime(const Stream& stream) const {
  const HttpLimits& bounds = serving_.service.limits;
  if (!stream.is_complete && !stream.is_answered && stream.body != Body::kPassed)
    return stream.started + bounds.body_timeout;
  // A stream of gRPC may rest for as long as its client likes, if others of the connection do not.
  if (!stream.is_sending || bounds.lenient) return Clock::kForever;
  if (stream.is_deferred) return stream.answer_due;
  return std::min(stream.answer_due, stream.progress + bounds.write_timeout);
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
  stream_check_ = Clock::kForever;
  for (const auto& [id, stream] : streams_) {
    const Duration due = DueTime(*stream);
    if (due <= now) Reset(*stream, NGHTTP2_CANCEL);
    CheckAt(due > now ? due : now + bounds.write_timeout);
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

}  // namespace skiff::net
