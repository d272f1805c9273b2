// HTTP/2 on the client's side, by nghttp2.
#include <algorithm>
#include <array>
#include <charconv>
#include <utility>
#include <vector>

#include <nghttp2/nghttp2.h>

#include "net/client/client_protocol.h"
#include "net/nghttp2_text.h"

namespace skiff::net {
namespace {

class Http2ClientProtocol final : public ClientProtocol {
 public:
  Http2ClientProtocol(Common common, Owner& owner) : common_(common), owner_(owner) {
    nghttp2_session_client_new2(&session_, Callbacks(), this, Options());
    const std::array settings = {nghttp2_settings_entry{NGHTTP2_SETTINGS_ENABLE_PUSH, 0},
                                 nghttp2_settings_entry{NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE,
                                                        static_cast<uint32_t>(common.window)},
                                 nghttp2_settings_entry{NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE,
                                                        uint32_t{limits::kMaxHttpHeaderBytes}}};
    nghttp2_submit_settings(session_, NGHTTP2_FLAG_NONE, settings.data(), settings.size());
    nghttp2_session_set_local_window_size(session_, NGHTTP2_FLAG_NONE, 0,
                                          limits::kClientConnectionWindowBytes);
  }
  Http2ClientProtocol(const Http2ClientProtocol&) = delete;
  Http2ClientProtocol& operator=(const Http2ClientProtocol&) = delete;
  ~Http2ClientProtocol() override { nghttp2_session_del(session_); }

  void Submit(ClientStream& stream) override {
    const ClientRequest& request = stream.request;
    const std::string path = common_.endpoint.base_path + request.path;
    std::vector<nghttp2_nv> fields = {NameValue(":method", request.method),
                                      NameValue(":scheme", common_.endpoint.tls ? "https" : "http"),
                                      NameValue(":authority", common_.endpoint.authority),
                                      NameValue(":path", path)};
    for (const HttpHeaders* headers : {&common_.headers, &request.headers})
      for (const HttpHeaders::Field& field : headers->fields())
        fields.push_back(NameValue(field.name, field.value));
    const std::string length = std::to_string(request.body.size());
    const std::string announced = std::to_string(request.body_length.value_or(0));
    if (request.streams_body ? request.body_length.has_value() : !request.body.empty())
      fields.push_back(
          NameValue("content-length", request.streams_body ? announced : length));
    const bool has_body = !request.body.empty() || request.streams_body;
    nghttp2_data_provider provider{};
    provider.source.ptr = &stream;
    provider.read_callback = ReadBody;
    stream.number = nghttp2_submit_request(session_, nullptr, fields.data(), fields.size(),
                                           has_body ? &provider : nullptr, &stream);
    if (stream.number < 0) {
      // Only without memory or stream ids; whichever it is, this connection is of no more use.
      draining_ = true;
      stream.number = 0;
    }
  }

  void OnMoreBody(ClientStream& stream) override {
    if (!std::exchange(stream.body_waits, false)) return;
    nghttp2_session_resume_data(session_, stream.number);
  }

  void OnHeld(ClientStream& stream) override {
    if (stream.held || stream.withheld == 0 || stream.number == 0) return;
    nghttp2_session_consume_stream(session_, stream.number, std::exchange(stream.withheld, 0));
  }

  void Reset(ClientStream& stream) override {
    if (stream.number != 0)
      nghttp2_submit_rst_stream(session_, NGHTTP2_FLAG_NONE, stream.number, NGHTTP2_CANCEL);
  }

  Result<void> Receive(std::string_view bytes) override {
    const ssize_t used = nghttp2_session_mem_recv(
        session_, reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
    if (used < 0) return Fault(used);
    return {};
  }

  void OnInputEnd() override {}

  Result<void> Fill(ByteBuffer& out) override {
    while (out.size() < limits::kHttpWriteBytes) {
      const uint8_t* bytes = nullptr;
      const ssize_t size = nghttp2_session_mem_send(session_, &bytes);
      if (size < 0) return Fault(size);
      if (size == 0) break;
      out.Append(Nghttp2Text(bytes, static_cast<size_t>(size)));
    }
    if (out.empty() && nghttp2_session_want_read(session_) == 0 &&
        nghttp2_session_want_write(session_) == 0) {
      return skiff::Fail(StatusReason::kServiceUnavailable,
                         "the server broke the rules of HTTP/2, or found that this client did");
    }
    return {};
  }

  // Neither lets new requests in: a server that said goodbye, and ids of streams that have run out.
  size_t room() const override {
    if (draining_ || nghttp2_session_check_request_allowed(session_) == 0) return 0;
    return nghttp2_session_get_remote_settings(session_, NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS);
  }

  bool Ping() override {
    nghttp2_submit_ping(session_, NGHTTP2_FLAG_NONE, nullptr);
    return true;
  }

 private:
  static std::unexpected<Status> Fault(ssize_t error) {
    return skiff::Fail(StatusReason::kServiceUnavailable,
                       std::string("HTTP/2: ") + nghttp2_strerror(static_cast<int>(error)));
  }

  // The C side. `user` is the protocol.
  static Http2ClientProtocol& Self(void* user) { return *static_cast<Http2ClientProtocol*>(user); }
  static ClientStream* StreamOf(nghttp2_session* session, int32_t id) {
    return static_cast<ClientStream*>(nghttp2_session_get_stream_user_data(session, id));
  }

  static int OnHeader(nghttp2_session* session, const nghttp2_frame* frame, const uint8_t* name,
                      size_t name_size, const uint8_t* value, size_t value_size, uint8_t flags,
                      void* user) {
    static_cast<void>(flags);
    static_cast<void>(user);
    if (frame->hd.type != NGHTTP2_HEADERS) return 0;
    ClientStream* stream = StreamOf(session, frame->hd.stream_id);
    if (stream == nullptr || stream->handler == nullptr) return 0;
    return OnField(*stream, Nghttp2Text(name, name_size), Nghttp2Text(value, value_size));
  }

  static int OnFrameRecv(nghttp2_session* session, const nghttp2_frame* frame, void* user) {
    if (frame->hd.type == NGHTTP2_HEADERS) {
      if (ClientStream* stream = StreamOf(session, frame->hd.stream_id)) OnHead(*stream);
    } else if (frame->hd.type == NGHTTP2_GOAWAY) {
      Self(user).draining_ = true;
    } else if (frame->hd.type == NGHTTP2_SETTINGS) {
      Self(user).owner_.OnMoreRoom();
    }
    return 0;
  }

  static int OnFrameSent(nghttp2_session* session, const nghttp2_frame* frame, void* user) {
    static_cast<void>(user);
    if (frame->hd.type != NGHTTP2_HEADERS) return 0;
    if (ClientStream* stream = StreamOf(session, frame->hd.stream_id)) stream->sent = true;
    return 0;
  }

  static int OnData(nghttp2_session* session, uint8_t flags, int32_t id, const uint8_t* data,
                    size_t size, void* user) {
    static_cast<void>(flags);
    static_cast<void>(user);
    nghttp2_session_consume_connection(session, size);
    ClientStream* stream = StreamOf(session, id);
    if (stream == nullptr) return 0;
    if (stream->handler != nullptr) stream->handler->OnBody(Nghttp2Text(data, size));
    if (stream->held) {
      stream->withheld += size;
    } else {
      nghttp2_session_consume_stream(session, id, size);
    }
    return 0;
  }

  static int OnClose(nghttp2_session* session, int32_t id, uint32_t error, void* user) {
    if (ClientStream* stream = StreamOf(session, id)) Self(user).OnStreamClosed(*stream, error);
    return 0;
  }

  static ssize_t ReadBody(nghttp2_session* session, int32_t id, uint8_t* out, size_t length,
                          uint32_t* flags, nghttp2_data_source* source, void* user) {
    static_cast<void>(session);
    static_cast<void>(id);
    static_cast<void>(user);
    auto& stream = *static_cast<ClientStream*>(source->ptr);
    size_t taken = 0;
    while (true) {
      const std::string_view left = stream.request.body.view().substr(stream.body_sent);
      const size_t take = std::min(length - taken, left.size());
      std::copy_n(left.data(), take, out + taken);
      taken += take;
      stream.body_sent += take;
      if (take < left.size()) return static_cast<ssize_t>(taken);
      if (stream.more.empty()) break;
      stream.request.body = std::move(stream.more.front());
      stream.more.pop_front();
      stream.body_sent = 0;
    }
    if (stream.body_ended) *flags |= NGHTTP2_DATA_FLAG_EOF;
    if (stream.body_ended || taken > 0) return static_cast<ssize_t>(taken);
    stream.body_waits = true;
    stream.request.body = {};
    stream.body_sent = 0;
    if (stream.handler != nullptr) stream.handler->OnBodyTaken();
    return NGHTTP2_ERR_DEFERRED;
  }

  static nghttp2_session_callbacks* Callbacks() {
    static nghttp2_session_callbacks* const callbacks = [] {
      nghttp2_session_callbacks* made = nullptr;
      nghttp2_session_callbacks_new(&made);
      nghttp2_session_callbacks_set_on_header_callback(made, OnHeader);
      nghttp2_session_callbacks_set_on_frame_recv_callback(made, OnFrameRecv);
      nghttp2_session_callbacks_set_on_frame_send_callback(made, OnFrameSent);
      nghttp2_session_callbacks_set_on_data_chunk_recv_callback(made, OnData);
      nghttp2_session_callbacks_set_on_stream_close_callback(made, OnClose);
      return made;
    }();
    return callbacks;
  }

  // Windows are made here, so that an answer whose handler takes nothing stays with the server.
  static nghttp2_option* Options() {
    static nghttp2_option* const options = [] {
      nghttp2_option* made = nullptr;
      nghttp2_option_new(&made);
      nghttp2_option_set_no_auto_window_update(made, 1);
      return made;
    }();
    return options;
  }

  static int OnField(ClientStream& stream, std::string_view name, std::string_view value) {
    stream.header_bytes += name.size() + value.size();
    if (stream.headers.fields().size() >= limits::kMaxHttpHeaderFields ||
        stream.header_bytes > limits::kMaxHttpHeaderBytes)
      return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
    if (name == ":status") {
      std::from_chars(value.data(), value.data() + value.size(), stream.code);
    } else if (stream.code != 0 || stream.has_head) {
      stream.headers.Add(std::string(name), std::string(value));
    }
    return 0;
  }

  static void OnHead(ClientStream& stream) {
    // Interim answers are of no interest to anybody.
    const HttpHeaders headers = std::exchange(stream.headers, HttpHeaders());
    const int code = std::exchange(stream.code, 0);
    if (stream.has_head) {
      if (stream.handler != nullptr) stream.handler->OnTrailers(headers);
    } else if (code >= 200) {
      stream.has_head = true;
      if (stream.handler != nullptr) stream.handler->OnHead(code, headers);
    }
  }

  void OnStreamClosed(ClientStream& stream, uint32_t error) {
    if (error == NGHTTP2_NO_ERROR) return owner_.OnStreamEnd(stream, {});
    // What a server refuses, or leaves undone when it says goodbye, has not been looked at.
    if (error == NGHTTP2_REFUSED_STREAM) stream.sent = false;
    owner_.OnStreamEnd(stream, skiff::Fail(StatusReason::kServiceUnavailable,
                                           std::string("the request was reset: ") +
                                               nghttp2_http2_strerror(error)));
  }

  const Common common_;
  Owner& owner_;
  nghttp2_session* session_ = nullptr;
  bool draining_ = false;
};

}  // namespace

std::unique_ptr<ClientProtocol> MakeHttp2ClientProtocol(ClientProtocol::Common common,
                                                        ClientProtocol::Owner& owner) {
  return std::make_unique<Http2ClientProtocol>(common, owner);
}

}  // namespace skiff::net
