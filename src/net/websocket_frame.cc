#include "net/websocket_frame.h"

#include <algorithm>

#include "base/utf8.h"

namespace skiff::net {
namespace {

constexpr size_t kMaxControlPayload = 125;
constexpr uint8_t kFinal = 0x80;
constexpr uint8_t kReserved = 0x70;
constexpr uint8_t kMasked = 0x80;

bool IsCloseCode(uint16_t code) {
  if (code >= 3000) return code <= 4999;
  return (code >= 1000 && code <= 1003) || (code >= 1007 && code <= 1014);
}

// How many bytes a frame's head has, by its second byte, with the mask.
size_t HeadBytes(uint8_t second) {
  const uint8_t length = second & 0x7f;
  return 6 + (length == 126 ? 2 : length == 127 ? 8 : 0);
}

}  // namespace

void AppendWebSocketFrame(WebSocketOpcode opcode, std::string_view payload, ByteBuffer& out) {
  out.Append(static_cast<char>(kFinal | static_cast<uint8_t>(opcode)));
  int length_bytes = 0;
  if (payload.size() <= kMaxControlPayload) {
    out.Append(static_cast<char>(payload.size()));
  } else {
    length_bytes = payload.size() <= 0xffff ? 2 : 8;
    out.Append(static_cast<char>(length_bytes == 2 ? 126 : 127));
  }
  while (length_bytes-- > 0)
    out.Append(static_cast<char>(static_cast<uint64_t>(payload.size()) >> (8 * length_bytes)));
  out.Append(payload);
}

void AppendWebSocketClose(WebSocketCode code, std::string_view reason, ByteBuffer& out) {
  const auto number = static_cast<uint16_t>(code);
  std::string payload = {static_cast<char>(number >> 8), static_cast<char>(number)};
  payload += reason.substr(0, kMaxControlPayload - 2);
  AppendWebSocketFrame(WebSocketOpcode::kClose, payload, out);
}

WebSocketReader::Event WebSocketReader::Refuse(WebSocketCode code) {
  code_ = static_cast<uint16_t>(code);
  return Event::kFault;
}

// Whether the head is complete.
bool WebSocketReader::TakeHead(std::string_view& bytes) {
  while (!bytes.empty()) {
    const size_t wanted = head_size_ < 2 ? 2 : HeadBytes(head_[1]);
    if (head_size_ == wanted && head_size_ > 2) return true;
    head_[head_size_++] = static_cast<uint8_t>(bytes.front());
    bytes.remove_prefix(1);
    // Known before the rest comes: nobody need wait for a mask that is not there.
    if (head_size_ == 2 && (head_[1] & kMasked) == 0) return true;
  }
  return head_size_ > 2 && head_size_ == HeadBytes(head_[1]);
}

WebSocketReader::Event WebSocketReader::OnHead() {
  is_final_ = (head_[0] & kFinal) != 0;
  opcode_ = static_cast<WebSocketOpcode>(head_[0] & 0x0f);
  const size_t mask_at = head_size_ - 4;
  if ((head_[0] & kReserved) != 0 || (head_[1] & kMasked) == 0)
    return Refuse(WebSocketCode::kProtocolError);
  left_ = head_[1] & 0x7f;
  if (left_ >= 126) {
    left_ = 0;
    for (size_t i = 2; i < mask_at; ++i) left_ = left_ << 8 | head_[i];
  }
  std::copy_n(head_.begin() + static_cast<ptrdiff_t>(mask_at), 4, mask_.begin());
  head_size_ = 0;
  frame_bytes_ = 0;
  switch (opcode_) {
    case WebSocketOpcode::kText:
    case WebSocketOpcode::kBinary:
      if (in_message_) return Refuse(WebSocketCode::kProtocolError);
      in_message_ = true;
      is_text_ = opcode_ == WebSocketOpcode::kText;
      message_.clear();
      break;
    case WebSocketOpcode::kContinuation:
      if (!in_message_) return Refuse(WebSocketCode::kProtocolError);
      break;
    case WebSocketOpcode::kClose:
    case WebSocketOpcode::kPing:
    case WebSocketOpcode::kPong:
      if (!is_final_ || left_ > kMaxControlPayload) return Refuse(WebSocketCode::kProtocolError);
      is_control_ = true;
      control_.clear();
      where_ = Where::kPayload;
      return Event::kNeedsMore;
    default:
      return Refuse(WebSocketCode::kProtocolError);
  }
  is_control_ = false;
  if (left_ > max_message_bytes_ - message_.size()) return Refuse(WebSocketCode::kTooLarge);
  where_ = Where::kPayload;
  return Event::kNeedsMore;
}

WebSocketReader::Event WebSocketReader::OnControlEnd() {
  if (opcode_ == WebSocketOpcode::kPing) return Event::kPing;
  if (opcode_ == WebSocketOpcode::kPong) return Event::kPong;
  code_ = 0;
  if (control_.empty()) return Event::kClose;
  if (control_.size() == 1) return Refuse(WebSocketCode::kProtocolError);
  code_ = static_cast<uint16_t>(static_cast<uint8_t>(control_[0]) << 8 |
                                static_cast<uint8_t>(control_[1]));
  if (!IsCloseCode(code_)) return Refuse(WebSocketCode::kProtocolError);
  if (!IsValidUtf8(std::string_view(control_).substr(2))) return Refuse(WebSocketCode::kBadText);
  return Event::kClose;
}

WebSocketReader::Event WebSocketReader::OnFrameEnd() {
  where_ = Where::kHead;
  if (is_control_) return OnControlEnd();
  if (!is_final_) return Event::kNeedsMore;
  in_message_ = false;
  if (is_text_ && !IsValidUtf8(message_)) return Refuse(WebSocketCode::kBadText);
  return is_text_ ? Event::kText : Event::kBinary;
}

WebSocketReader::Event WebSocketReader::Next(std::string_view& bytes) {
  for (;;) {
    if (where_ == Where::kHead) {
      if (!TakeHead(bytes)) return Event::kNeedsMore;
      if (OnHead() == Event::kFault) return Event::kFault;
    }
    std::string& payload = is_control_ ? control_ : message_;
    const size_t take = static_cast<size_t>(std::min<uint64_t>(left_, bytes.size()));
    const size_t start = payload.size();
    payload += bytes.substr(0, take);
    for (size_t i = 0; i < take; ++i)
      payload[start + i] =
          static_cast<char>(payload[start + i] ^ mask_[(frame_bytes_ + i) % mask_.size()]);
    bytes.remove_prefix(take);
    frame_bytes_ += take;
    left_ -= take;
    if (left_ > 0) return Event::kNeedsMore;
    const Event event = OnFrameEnd();
    if (event != Event::kNeedsMore) return event;
  }
}

}  // namespace skiff::net
