#include "net/websocket.h"

#include <gtest/gtest.h>

#include "base/limits.h"
#include "net/testing.h"
#include "net/websocket_frame.h"

namespace skiff::net {
namespace {

// A frame as clients send it.
std::string ClientFrame(uint8_t first, std::string_view payload, bool masked = true) {
  std::string frame(1, static_cast<char>(first));
  const char mask_bit = masked ? '\x80' : '\0';
  if (payload.size() < 126) {
    frame += static_cast<char>(mask_bit | static_cast<char>(payload.size()));
  } else {
    frame += static_cast<char>(mask_bit | 127);
    for (int shift = 56; shift >= 0; shift -= 8)
      frame += static_cast<char>(static_cast<uint64_t>(payload.size()) >> shift);
  }
  if (!masked) return frame + std::string(payload);
  const std::string mask = "\x11\x22\x33\x44";
  frame += mask;
  for (size_t i = 0; i < payload.size(); ++i) frame += static_cast<char>(payload[i] ^ mask[i % 4]);
  return frame;
}

using Event = WebSocketReader::Event;

TEST(WebSocketReaderTest, JoinsFragmentsAroundControlFrames) {
  WebSocketReader reader(1000);
  const std::string text = ClientFrame(0x01, "hel") + ClientFrame(0x89, "ping") +
                           ClientFrame(0x00, "") + ClientFrame(0x80, "lo") +
                           ClientFrame(0x82, "binary") + ClientFrame(0x8a, "");
  std::string_view bytes = text;
  EXPECT_EQ(reader.Next(bytes), Event::kPing);
  EXPECT_EQ(reader.payload(), "ping");
  EXPECT_EQ(reader.Next(bytes), Event::kText);
  EXPECT_EQ(reader.payload(), "hello");
  EXPECT_EQ(reader.Next(bytes), Event::kBinary);
  EXPECT_EQ(reader.payload(), "binary");
  EXPECT_EQ(reader.Next(bytes), Event::kPong);
  EXPECT_EQ(reader.Next(bytes), Event::kNeedsMore);
}

TEST(WebSocketReaderTest, TakesBytesOneByOne) {
  WebSocketReader reader(1000);
  const std::string text = ClientFrame(0x82, std::string(300, 'x')) + ClientFrame(0x81, "");
  std::vector<Event> events;
  for (char c : text) {
    std::string_view bytes(&c, 1);
    const Event event = reader.Next(bytes);
    if (event != Event::kNeedsMore) events.push_back(event);
  }
  EXPECT_EQ(events, (std::vector<Event>{Event::kBinary, Event::kText}));
}

uint16_t FaultOf(std::string_view bytes) {
  WebSocketReader reader(1000);
  return reader.Next(bytes) == Event::kFault ? reader.code() : 0;
}

TEST(WebSocketReaderTest, RefusesWhatTheRfcForbids) {
  EXPECT_EQ(FaultOf(ClientFrame(0x81, "x", false)), 1002);  // not masked
  EXPECT_EQ(FaultOf(ClientFrame(0xc1, "x")), 1002);         // reserved bit
  EXPECT_EQ(FaultOf(ClientFrame(0x83, "x")), 1002);         // unknown opcode
  EXPECT_EQ(FaultOf(ClientFrame(0x8b, "x")), 1002);         // unknown control opcode
  EXPECT_EQ(FaultOf(ClientFrame(0x80, "x")), 1002);         // nothing to continue
  EXPECT_EQ(FaultOf(ClientFrame(0x01, "x") + ClientFrame(0x81, "y")), 1002);  // not ended
  EXPECT_EQ(FaultOf(ClientFrame(0x09, "x")), 1002);                           // fragmented ping
  EXPECT_EQ(FaultOf(ClientFrame(0x89, std::string(126, 'x'))), 1002);
  EXPECT_EQ(FaultOf(ClientFrame(0x88, "x")), 1002);             // half a code
  EXPECT_EQ(FaultOf(ClientFrame(0x88, "\x03\xee")), 1002);      // 1006
  EXPECT_EQ(FaultOf(ClientFrame(0x88, "\x03\xe8\xff")), 1007);  // its reason
  EXPECT_EQ(FaultOf(ClientFrame(0x81, "\xc3\x28")), 1007);
  EXPECT_EQ(FaultOf(ClientFrame(0x82, std::string(1001, 'x'))), 1009);
  EXPECT_EQ(
      FaultOf(ClientFrame(0x02, std::string(600, 'x')) + ClientFrame(0x80, std::string(401, 'x'))),
      1009);
}

TEST(WebSocketFrameTest, LengthsTakeAsManyBytesAsTheyNeed) {
  for (size_t size : {0u, 125u, 126u, 65'535u, 65'536u}) {
    ByteBuffer out;
    AppendWebSocketFrame(WebSocketOpcode::kBinary, std::string(size, 'x'), out);
    const size_t head = size < 126 ? 2 : size < 65'536 ? 4 : 10;
    EXPECT_EQ(out.size(), head + size);
  }
}

// Says "welcome", then every message back, in upper case by a mark in front.
class EchoEndpoint final : public WebSocketEndpoint {
 public:
  explicit EchoEndpoint(Latch& closed) : closed_(closed) {}
  ~EchoEndpoint() override { closed_.Open(); }
  void OnStart(std::function<void()> wake) override { wake_ = std::move(wake); }
  Result<BodySource::State> Write(WebSocketWriter& out, size_t) override {
    for (const std::string& message : std::exchange(messages_, {})) out.Text(message);
    return ends_ ? BodySource::State::kEnd : BodySource::State::kWaiting;
  }
  void OnMessage(bool is_text, std::string message) override {
    ends_ |= message == "end";
    messages_.push_back((is_text ? "text:" : "binary:") + message);
    wake_();
  }

 private:
  Latch& closed_;
  std::function<void()> wake_;
  std::vector<std::string> messages_ = {"welcome"};
  bool ends_ = false;
};

class WebSocketServerTest : public testing::Test {
 protected:
  static constexpr std::string_view kHandshake =
      "GET /watch HTTP/1.1\r\nHost: a\r\nConnection: keep-alive, Upgrade\r\n"
      "Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
      "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
      "Sec-WebSocket-Protocol: unknown, v5.channel.k8s.io\r\n\r\n";

  std::string ReadFrame(RawClient& client) {
    std::string head = client.ReceiveBytes(2);
    if (head.size() < 2) return "";
    return std::string(1, head[0]) + client.ReceiveBytes(static_cast<uint8_t>(head[1]));
  }

  Latch closed_;
  std::vector<std::string> offered_;
  TestServer server_{[this](HttpRequest request, Responder responder) {
    offered_ = WebSocketProtocols(request);
    std::move(responder).Respond(
        AcceptWebSocket(request, "v5.channel.k8s.io", std::make_unique<EchoEndpoint>(closed_)));
  }};
};

TEST_F(WebSocketServerTest, ShakesHandsAsTheRfcShows) {
  RawClient client(server_.address());
  ASSERT_TRUE(client.Send(std::string(kHandshake) + ClientFrame(0x81, "early")));
  const std::string head = client.ReceiveUntil("\r\n\r\n");
  EXPECT_TRUE(head.starts_with("HTTP/1.1 101 Switching Protocols\r\n"));
  EXPECT_NE(head.find("Upgrade: websocket\r\n"), std::string::npos);
  EXPECT_NE(head.find("Connection: Upgrade\r\n"), std::string::npos);
  EXPECT_NE(head.find("Sec-Websocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n"), std::string::npos);
  EXPECT_NE(head.find("Sec-Websocket-Protocol: v5.channel.k8s.io\r\n"), std::string::npos);
  EXPECT_EQ(offered_, (std::vector<std::string>{"unknown", "v5.channel.k8s.io"}));
  EXPECT_EQ(ReadFrame(client), "\x81welcome");
  EXPECT_EQ(ReadFrame(client), "\x81text:early");
}

TEST_F(WebSocketServerTest, MessagesGoBothWaysAndPingsAreAnswered) {
  RawClient client(server_.address());
  ASSERT_TRUE(client.Send(kHandshake));
  client.ReceiveUntil("\r\n\r\n");
  EXPECT_EQ(ReadFrame(client), "\x81welcome");
  ASSERT_TRUE(client.Send(ClientFrame(0x89, "are you there") + ClientFrame(0x82, "abc")));
  EXPECT_EQ(ReadFrame(client),
            "\x8a"
            "are you there");
  EXPECT_EQ(ReadFrame(client),
            "\x81"
            "binary:abc");
  ASSERT_TRUE(client.Send(ClientFrame(0x88, "\x03\xe8")));
  EXPECT_EQ(ReadFrame(client), "\x88\x03\xe8");
  EXPECT_EQ(client.ReceiveAll(), "");
  EXPECT_TRUE(closed_.Wait());
}

TEST_F(WebSocketServerTest, TheServerEndsInOrder) {
  RawClient client(server_.address());
  ASSERT_TRUE(client.Send(kHandshake));
  client.ReceiveUntil("\r\n\r\n");
  EXPECT_EQ(ReadFrame(client), "\x81welcome");
  ASSERT_TRUE(client.Send(ClientFrame(0x81, "end")));
  EXPECT_EQ(ReadFrame(client), "\x81text:end");
  EXPECT_EQ(ReadFrame(client), "\x88\x03\xe8");
  EXPECT_EQ(client.ReceiveAll(), "");
}

TEST_F(WebSocketServerTest, FaultsAreTold) {
  RawClient client(server_.address());
  ASSERT_TRUE(client.Send(kHandshake));
  client.ReceiveUntil("\r\n\r\n");
  EXPECT_EQ(ReadFrame(client), "\x81welcome");
  ASSERT_TRUE(client.Send(ClientFrame(0x81, "x", false)));
  EXPECT_EQ(ReadFrame(client), "\x88\x03\xea");
  EXPECT_EQ(client.ReceiveAll(), "");
  EXPECT_TRUE(closed_.Wait());
}

TEST_F(WebSocketServerTest, AnEndpointGoesWithItsClient) {
  {
    RawClient client(server_.address());
    ASSERT_TRUE(client.Send(kHandshake));
    client.ReceiveUntil("welcome");
  }
  EXPECT_TRUE(closed_.Wait());
}

TEST_F(WebSocketServerTest, ImproperHandshakesAreRefused) {
  const auto answer = [&](std::string text, std::string_view what, std::string_view with) {
    text.replace(text.find(what), what.size(), with);
    RawClient client(server_.address());
    EXPECT_TRUE(client.Send(text));
    return client.ReceiveAnswer().first.substr(9, 3);
  };
  const std::string good(kHandshake);
  EXPECT_EQ(answer(good, "Version: 13", "Version: 8"), "426");
  EXPECT_EQ(answer(good, "dGhlIHNhbXBsZSBub25jZQ==", "short"), "400");
  EXPECT_EQ(answer(good, "GET", "PUT"), "400");
  EXPECT_EQ(answer(good, "Upgrade: websocket", "Upgrade: spdy"), "400");
  EXPECT_EQ(answer(good, "keep-alive, Upgrade", "keep-alive"), "400");
}

}  // namespace
}  // namespace skiff::net
