// Frames of WebSocket (RFC 6455), as a server reads and writes them.
//
//   byte 0: FIN, three reserved bits, opcode      byte 1: masked, length up to 125
//   126 there: two bytes of length follow; 127: eight      then four bytes of mask, then the
//   payload
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/buffer.h"

namespace skiff::net {

enum class WebSocketOpcode : uint8_t {
  kContinuation = 0,
  kText = 1,
  kBinary = 2,
  kClose = 8,
  kPing = 9,
  kPong = 10,
};

// Why a connection ends, as the close frame says it.
enum class WebSocketCode : uint16_t {
  kNormal = 1000,
  kGoingAway = 1001,
  kProtocolError = 1002,
  kNotAllowed = 1008,
  kBadText = 1007,
  kTooLarge = 1009,
  kInternalError = 1011,
};

// Whole and not masked, as servers send them.
void AppendWebSocketFrame(WebSocketOpcode opcode, std::string_view payload, ByteBuffer& out);
void AppendWebSocketClose(WebSocketCode code, std::string_view reason, ByteBuffer& out);

// Puts messages together from what a client sends. Control frames may come between the fragments of
// a message and are given at once.
class WebSocketReader {
 public:
  enum class Event : uint8_t { kNeedsMore, kText, kBinary, kPing, kPong, kClose, kFault };

  explicit WebSocketReader(size_t max_message_bytes) : max_message_bytes_(max_message_bytes) {}

  // Takes from the front of `bytes` what makes one event, or all of them.
  Event Next(std::string_view& bytes);
  // After kText, kBinary, kPing and kPong. May be moved from.
  std::string& payload() { return is_control_ ? control_ : message_; }
  // After kFault: what to close with. After kClose: what the client closed with, 0 for nothing.
  uint16_t code() const { return code_; }

 private:
  enum class Where : uint8_t { kHead, kPayload };

  bool TakeHead(std::string_view& bytes);
  Event OnHead();
  Event OnFrameEnd();
  Event OnControlEnd();
  Event Refuse(WebSocketCode code);

  const size_t max_message_bytes_;
  Where where_ = Where::kHead;
  std::array<uint8_t, 14> head_{};
  size_t head_size_ = 0;
  WebSocketOpcode opcode_ = WebSocketOpcode::kContinuation;
  bool is_final_ = false;
  bool is_control_ = false;
  uint64_t left_ = 0;
  uint64_t frame_bytes_ = 0;  // of the payload, so far
  std::array<uint8_t, 4> mask_{};
  bool in_message_ = false;
  bool is_text_ = false;
  std::string message_;
  std::string control_;
  uint16_t code_ = 0;
};

}  // namespace skiff::net
