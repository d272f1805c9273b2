// For tests of this folder: a client of HTTP/2 without TLS, by nghttp2, and frames made by hand.
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nghttp2/nghttp2.h>

#include "net/protocol.h"
#include "net/testing.h"

namespace skiff::net {

// A frame as of RFC 9113, section 4.1.
inline std::string Http2Frame(uint8_t type, uint8_t flags, uint32_t stream,
                              std::string_view payload) {
  std::string frame;
  for (int shift : {16, 8, 0}) frame += static_cast<char>(payload.size() >> shift);
  frame += static_cast<char>(type);
  frame += static_cast<char>(flags);
  for (int shift : {24, 16, 8, 0}) frame += static_cast<char>(stream >> shift);
  return frame + std::string(payload);
}

class Http2Client {
 public:
  struct Answer {
    std::map<std::string, std::string> headers;
    std::string body;
    bool closed = false;
    uint32_t error = 0;  // of RST_STREAM
    int informational = 0;
  };
  using Fields = std::vector<std::pair<std::string, std::string>>;

  explicit Http2Client(const std::string& address, bool manual_window = false) : socket_(address) {
    nghttp2_session_callbacks* callbacks = nullptr;
    nghttp2_session_callbacks_new(&callbacks);
    nghttp2_session_callbacks_set_on_header_callback(callbacks, OnHeader);
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, OnData);
    nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, OnClose);
    nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, OnFrame);
    nghttp2_option* option = nullptr;
    nghttp2_option_new(&option);
    nghttp2_option_set_no_auto_window_update(option, manual_window ? 1 : 0);
    nghttp2_session_client_new2(&session_, callbacks, this, option);
    nghttp2_option_del(option);
    nghttp2_session_callbacks_del(callbacks);
    nghttp2_submit_settings(session_, NGHTTP2_FLAG_NONE, nullptr, 0);
  }
  Http2Client(const Http2Client&) = delete;
  ~Http2Client() { nghttp2_session_del(session_); }

  // Gives the stream. A body is sent in whole; without one the request has ended.
  int32_t Ask(const std::string& method, const std::string& path, const Fields& more = {},
              std::string body = "") {
    Fields fields = {
        {":method", method}, {":scheme", "http"}, {":authority", "a"}, {":path", path}};
    fields.insert(fields.end(), more.begin(), more.end());
    std::vector<nghttp2_nv> values;
    for (auto& [name, value] : fields)
      values.push_back({reinterpret_cast<uint8_t*>(name.data()),
                        reinterpret_cast<uint8_t*>(value.data()), name.size(), value.size(),
                        NGHTTP2_NV_FLAG_NONE});
    bodies_.push_back(std::make_unique<std::string>(std::move(body)));
    nghttp2_data_provider provider{.source = {.ptr = bodies_.back().get()},
                                   .read_callback = ReadBody};
    const int32_t id =
        nghttp2_submit_request(session_, nullptr, values.data(), values.size(),
                               bodies_.back()->empty() ? nullptr : &provider, nullptr);
    Flush();
    return id;
  }
  void Reset(int32_t id) {
    nghttp2_submit_rst_stream(session_, NGHTTP2_FLAG_NONE, id, NGHTTP2_CANCEL);
    Flush();
  }
  void GiveWindow(int32_t id, size_t bytes) {
    nghttp2_session_consume(session_, id, bytes);
    Flush();
  }
  void WidenWindow(int32_t id, int32_t bytes) {
    nghttp2_submit_window_update(session_, NGHTTP2_FLAG_NONE, 0, bytes);
    nghttp2_submit_window_update(session_, NGHTTP2_FLAG_NONE, id, bytes);
    Flush();
  }
  bool Flush() {
    for (;;) {
      const uint8_t* data = nullptr;
      const ssize_t size = nghttp2_session_mem_send(session_, &data);
      if (size <= 0) return size == 0;
      if (!socket_.Send({reinterpret_cast<const char*>(data), static_cast<size_t>(size)}))
        return false;
    }
  }
  // Reads once. False at the end.
  bool Step() {
    const std::string bytes = socket_.Receive();
    if (bytes.empty()) return false;
    nghttp2_session_mem_recv(session_, reinterpret_cast<const uint8_t*>(bytes.data()),
                             bytes.size());
    return Flush();
  }
  // Until the stream is closed, by whomever.
  Answer& Wait(int32_t id) {
    while (!answers[id].closed && Step()) {
    }
    return answers[id];
  }
  void WaitForBody(int32_t id, size_t bytes) {
    while (answers[id].body.size() < bytes && Step()) {
    }
  }
  void WaitForEnd() {
    while (Step()) {
    }
  }
  RawClient& socket() { return socket_; }

  std::map<int32_t, Answer> answers;
  int64_t goaway = -1;  // the error of it

 private:
  static Http2Client& Self(void* user) { return *static_cast<Http2Client*>(user); }
  static int OnHeader(nghttp2_session*, const nghttp2_frame* frame, const uint8_t* name,
                      size_t name_size, const uint8_t* value, size_t value_size, uint8_t,
                      void* user) {
    Answer& answer = Self(user).answers[frame->hd.stream_id];
    std::string text(reinterpret_cast<const char*>(value), value_size);
    if (text == "100") ++answer.informational;
    answer.headers[{reinterpret_cast<const char*>(name), name_size}] = std::move(text);
    return 0;
  }
  static int OnData(nghttp2_session*, uint8_t, int32_t id, const uint8_t* data, size_t size,
                    void* user) {
    Self(user).answers[id].body.append(reinterpret_cast<const char*>(data), size);
    return 0;
  }
  static int OnClose(nghttp2_session*, int32_t id, uint32_t error, void* user) {
    Self(user).answers[id].closed = true;
    Self(user).answers[id].error = error;
    return 0;
  }
  static int OnFrame(nghttp2_session*, const nghttp2_frame* frame, void* user) {
    if (frame->hd.type == NGHTTP2_GOAWAY) Self(user).goaway = frame->goaway.error_code;
    return 0;
  }
  static ssize_t ReadBody(nghttp2_session*, int32_t, uint8_t* out, size_t length, uint32_t* flags,
                          nghttp2_data_source* source, void*) {
    auto& body = *static_cast<std::string*>(source->ptr);
    const size_t take = std::min(length, body.size());
    std::copy_n(body.data(), take, out);
    body.erase(0, take);
    if (body.empty()) *flags |= NGHTTP2_DATA_FLAG_EOF;
    return static_cast<ssize_t>(take);
  }

  RawClient socket_;
  nghttp2_session* session_ = nullptr;
  std::vector<std::unique_ptr<std::string>> bodies_;
};

}  // namespace skiff::net
