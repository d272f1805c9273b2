#include "net/websocket.h"

#include <algorithm>
#include <array>
#include <utility>

#include <openssl/evp.h>

#include "base/limits.h"
#include "net/http1_parser.h"
#include "net/protocol.h"
#include "net/websocket_frame.h"

namespace skiff::net {
namespace {

// Fixed by the RFC: shows that the server knows what it is asked for.
constexpr std::string_view kGuid = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
constexpr size_t kKeyBytes = 24;  // 16 bytes in base64

class WebSocketSession final : public UpgradedStream {
 public:
  explicit WebSocketSession(std::unique_ptr<WebSocketEndpoint> endpoint)
      : endpoint_(std::move(endpoint)), reader_(limits::kMaxWebSocketMessageBytes) {}

  void OnStart(std::function<void()> wake) override {
    wake_ = wake;
    endpoint_->OnStart(std::move(wake));
  }
  Duration Deadline() const override { return endpoint_->Deadline(); }

  Result<State> Read(ByteBuffer& out, size_t room) override {
    out.Append(control_.view());
    control_ = ByteBuffer();
    if (closing_) return State::kEnd;
    WebSocketWriter writer(out);
    const auto state = endpoint_->Write(writer, room);
    if (!state) {
      AppendWebSocketClose(WebSocketCode::kInternalError, "", out);
      return State::kEnd;
    }
    if (*state == State::kEnd) AppendWebSocketClose(WebSocketCode::kNormal, "", out);
    return *state;
  }

  void OnBytes(std::string_view bytes) override {
    while (!closing_) {
      switch (reader_.Next(bytes)) {
        case WebSocketReader::Event::kNeedsMore:
          return;
        case WebSocketReader::Event::kText:
          OnMessage(true);
          break;
        case WebSocketReader::Event::kBinary:
          OnMessage(false);
          break;
        case WebSocketReader::Event::kPing:
          AppendWebSocketFrame(WebSocketOpcode::kPong, reader_.payload(), control_);
          if (control_.size() > limits::kMaxWebSocketControlBytes)
            Close(static_cast<uint16_t>(WebSocketCode::kNotAllowed));
          wake_();
          break;
        case WebSocketReader::Event::kPong:
          break;
        case WebSocketReader::Event::kClose:
        case WebSocketReader::Event::kFault:
          Close(reader_.code());
          break;
      }
    }
  }

  void OnInputEnd() override {
    if (closing_) return;
    closing_ = true;
    endpoint_->OnClose();
    wake_();
  }

  bool wants_input() const override { return closing_ || endpoint_->wants_input(); }

 private:
  void OnMessage(bool is_text) {
    endpoint_->OnMessage(is_text, std::exchange(reader_.payload(), {}));
  }

  void Close(uint16_t code) {
    if (code == 0) {
      AppendWebSocketFrame(WebSocketOpcode::kClose, "", control_);
    } else {
      AppendWebSocketClose(static_cast<WebSocketCode>(code), "", control_);
    }
    closing_ = true;
    endpoint_->OnClose();
    wake_();
  }

  std::unique_ptr<WebSocketEndpoint> endpoint_;
  WebSocketReader reader_;
  std::function<void()> wake_;
  ByteBuffer control_;  // answers to what the client said, to be sent
  bool closing_ = false;
};

std::string AcceptKey(std::string_view key) {
  const std::string text = std::string(key) + std::string(kGuid);
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest;
  unsigned int size = 0;
  EVP_Digest(text.data(), text.size(), digest.data(), &size, EVP_sha1(), nullptr);
  std::array<unsigned char, 64> encoded{};
  const int length = EVP_EncodeBlock(encoded.data(), digest.data(), static_cast<int>(size));
  return {reinterpret_cast<char*>(encoded.data()), static_cast<size_t>(length)};
}

bool IsKey(std::string_view key) {
  const auto is_base64 = [](char c) {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '+' ||
           c == '/';
  };
  return key.size() == kKeyBytes && key.ends_with("==") &&
         std::all_of(key.begin(), key.end() - 2, is_base64);
}

}  // namespace

void WebSocketWriter::Text(std::string_view message) {
  AppendWebSocketFrame(WebSocketOpcode::kText, message, out_);
}

void WebSocketWriter::Binary(std::string_view message) {
  AppendWebSocketFrame(WebSocketOpcode::kBinary, message, out_);
}

bool IsWebSocketRequest(const HttpRequest& request) {
  return HasHttpToken(request.headers, "connection", "upgrade") &&
         HasHttpToken(request.headers, "upgrade", "websocket");
}

std::vector<std::string> WebSocketProtocols(const HttpRequest& request) {
  std::vector<std::string> protocols;
  for (const auto& field : request.headers.fields()) {
    if (field.name != "sec-websocket-protocol") continue;
    std::string_view rest = field.value;
    while (!rest.empty()) {
      const size_t comma = std::min(rest.find(','), rest.size());
      std::string_view name = rest.substr(0, comma);
      rest.remove_prefix(std::min(comma + 1, rest.size()));
      while (!name.empty() && (name.front() == ' ' || name.front() == '\t')) name.remove_prefix(1);
      while (!name.empty() && (name.back() == ' ' || name.back() == '\t')) name.remove_suffix(1);
      if (IsHttpToken(name)) protocols.emplace_back(name);
    }
  }
  return protocols;
}

HttpResponse AcceptWebSocket(const HttpRequest& request, std::string_view protocol,
                             std::unique_ptr<WebSocketEndpoint> endpoint) {
  const std::string_view key = request.headers.Get("sec-websocket-key");
  if (request.version != 11 || request.method != "GET" || !request.body.empty() ||
      !IsWebSocketRequest(request) || !IsKey(key))
    return PlainTextResponse(400, "not a WebSocket handshake\n");
  if (request.headers.Get("sec-websocket-version") != "13") {
    HttpResponse response = PlainTextResponse(426, "unknown version of WebSocket\n");
    response.headers.Add("sec-websocket-version", "13");
    return response;
  }
  HttpResponse response;
  response.code = 101;
  response.headers.Add("upgrade", "websocket");
  response.headers.Add("sec-websocket-accept", AcceptKey(key));
  if (!protocol.empty()) response.headers.Add("sec-websocket-protocol", std::string(protocol));
  response.source = std::make_unique<WebSocketSession>(std::move(endpoint));
  return response;
}

}  // namespace skiff::net
