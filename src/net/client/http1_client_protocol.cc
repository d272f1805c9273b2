// HTTP/1.1 on the client's side: one request, then its answer, then the next.
//
// The body of an answer ends after its Content-Length, with the last of its chunks, or, where it
// has neither, with the connection. A connection on which anything has been left unread or unsent
// is not used again, and neither is one that went over to another protocol: what follows there in
// both directions are bytes that mean nothing here.
#include <algorithm>
#include <cstdio>
#include <limits>
#include <utility>

#include "net/client/client_protocol.h"
#include "net/http1_parser.h"

namespace skiff::net {
namespace {

bool IsSendable(std::string_view target) {
  return std::ranges::all_of(
      target, [](char c) { return static_cast<unsigned char>(c) > 0x20 && c != 0x7f; });
}

class Http1ClientProtocol final : public ClientProtocol {
 public:
  Http1ClientProtocol(Common common, Owner& owner) : common_(common), owner_(owner) {}
  Http1ClientProtocol(const Http1ClientProtocol&) = delete;
  Http1ClientProtocol& operator=(const Http1ClientProtocol&) = delete;

  void Submit(ClientStream& stream) override {
    current_ = &stream;
    head_.clear();
    scanner_.Reset();
    where_ = Where::kHead;
    is_upgraded_ = false;
    body_end_sent_ = false;
    reset_ = !WriteHead(stream);
  }

  bool wants_input() const override { return current_ == nullptr || !current_->held; }

  void OnMoreBody(ClientStream& stream) override { stream.body_waits = false; }

  void Reset(ClientStream& stream) override {
    if (&stream == current_) reset_ = true;
  }

  Result<void> Receive(std::string_view bytes) override {
    while (!bytes.empty()) {
      if (current_ == nullptr || reusable_ == false) return Fault("the server spoke unasked");
      if (where_ == Where::kHead) {
        SKIFF_RETURN_IF_ERROR(ReadHead(bytes));
      } else {
        SKIFF_RETURN_IF_ERROR(ReadBody(bytes));
      }
      if (where_ == Where::kEnd) return End(bytes);
    }
    return {};
  }

  void OnInputEnd() override {
    reusable_ = false;
    if (current_ == nullptr || where_ != Where::kUntilClose) return;
    owner_.OnStreamEnd(*std::exchange(current_, nullptr), {});
  }

  Result<void> Fill(ByteBuffer& out) override {
    if (current_ == nullptr) return {};
    if (reset_) {
      reusable_ = false;
      owner_.OnStreamEnd(*std::exchange(current_, nullptr),
                         Fault("the request was given up, or cannot be sent"));
      return {};
    }
    if (!to_send_.empty()) {
      current_->sent = true;
      out.Append(to_send_);
      to_send_.clear();
    }
    FillBody(*current_, out);
    return {};
  }

  size_t room() const override { return reusable_ ? 1 : 0; }
  bool Ping() override { return false; }

 private:
  enum class Where : uint8_t { kHead, kLength, kChunks, kUntilClose, kEnd };

  // Of a request that asks for another protocol, the body is what is said in that.
  bool may_send_body() const { return !current_->request.asks_upgrade || is_upgraded_; }
  static bool IsChunked(const ClientRequest& request) {
    return request.streams_body && !request.body_length && !request.asks_upgrade;
  }

  void FillBody(ClientStream& stream, ByteBuffer& out) {
    if (!may_send_body() || body_end_sent_) return;
    AppendBody(stream, out);
    if (stream.body_sent < stream.request.body.size() || !stream.more.empty()) return;
    if (stream.body_ended) {
      if (IsChunked(stream.request)) out.Append("0\r\n\r\n");
      body_end_sent_ = true;
    } else if (out.empty()) {
      // The socket has taken all of it.
      stream.request.body = {};
      stream.body_sent = 0;
      if (!std::exchange(stream.body_waits, true) && stream.handler != nullptr)
        stream.handler->OnBodyTaken();
    }
  }

  static void AppendBody(ClientStream& stream, ByteBuffer& out) {
    const bool chunked = IsChunked(stream.request);
    while (out.size() < limits::kHttpWriteBytes) {
      const std::string_view left = stream.request.body.view().substr(stream.body_sent);
      if (!left.empty()) {
        const size_t take = std::min(left.size(), limits::kHttpWriteBytes);
        if (chunked) AppendChunkHead(take, out);
        out.Append(left.substr(0, take));
        if (chunked) out.Append("\r\n");
        stream.body_sent += take;
      } else if (!stream.more.empty()) {
        stream.request.body = std::move(stream.more.front());
        stream.more.pop_front();
        stream.body_sent = 0;
      } else {
        return;
      }
    }
  }

  static void AppendChunkHead(size_t size, ByteBuffer& out) {
    char head[24];
    const int length = std::snprintf(head, sizeof(head), "%zx\r\n", size);
    out.Append(std::string_view(head, static_cast<size_t>(length)));
  }

  static std::unexpected<Status> Fault(std::string_view why) {
    return skiff::Fail(StatusReason::kServiceUnavailable, "HTTP/1.1: " + std::string(why));
  }

  // False: something in it would end the head, or begin another field.
  bool WriteHead(const ClientStream& stream) {
    const ClientRequest& request = stream.request;
    const std::string target = common_.endpoint.base_path + request.path;
    if (!IsHttpToken(request.method) || !IsSendable(target)) return false;
    to_send_ =
        request.method + " " + target + " HTTP/1.1\r\nhost: " + common_.endpoint.authority + "\r\n";
    for (const HttpHeaders* headers : {&common_.headers, &request.headers}) {
      for (const HttpHeaders::Field& field : headers->fields()) {
        if (!IsHttpToken(field.name) || !IsHttpFieldValue(field.value)) return false;
        to_send_.append(field.name).append(": ").append(field.value).append("\r\n");
      }
    }
    const bool may_have_body = request.method != "GET" && request.method != "HEAD";
    if (IsChunked(request)) {
      to_send_ += "transfer-encoding: chunked\r\n";
    } else if (!request.asks_upgrade && (!request.body.empty() || may_have_body)) {
      const uint64_t length = request.body_length.value_or(request.body.size());
      to_send_ += "content-length: " + std::to_string(length) + "\r\n";
    }
    to_send_ += "\r\n";
    return true;
  }

  Result<void> ReadHead(std::string_view& bytes) {
    const size_t had = head_.size();
    head_ += bytes;
    switch (scanner_.Scan(head_, limits::kMaxHttpHeaderBytes)) {
      case HeadScanner::State::kIncomplete:
        bytes = {};
        return {};
      case HeadScanner::State::kFault:
        return Fault(scanner_.fault().text);
      case HeadScanner::State::kComplete:
        break;
    }
    head_.resize(scanner_.head_bytes());
    bytes.remove_prefix(head_.size() - had);
    Http1ResponseHead head;
    const HttpFault fault = ParseHttp1ResponseHead(head_, head);
    head_.clear();
    scanner_.Reset();
    if (fault.code != 0) return Fault(fault.text);
    is_upgraded_ = head.code == 101 && current_->request.asks_upgrade;
    if (head.code == 101 && !is_upgraded_) return Fault("the server changed the protocol unasked");
    // Interim answers are followed by the one that is meant.
    if (head.code < 200 && !is_upgraded_) return {};
    keep_alive_ = head.framing.keep_alive && !current_->request.asks_upgrade;
    if (is_upgraded_) {
      where_ = Where::kUntilClose;
    } else {
      BeginBody(head);
    }
    if (current_->handler != nullptr) current_->handler->OnHead(head.code, head.headers);
    return {};
  }

  void BeginBody(const Http1ResponseHead& head) {
    const bool has_none =
        head.code == 204 || head.code == 304 || current_->request.method == "HEAD";
    if (has_none) {
      where_ = Where::kEnd;
    } else if (head.framing.chunked) {
      where_ = Where::kChunks;
      chunks_ = ChunkedReader();
    } else if (head.framing.content_length) {
      left_ = *head.framing.content_length;
      where_ = left_ == 0 ? Where::kEnd : Where::kLength;
    } else {
      where_ = Where::kUntilClose;
    }
  }

  Result<void> ReadBody(std::string_view& bytes) {
    if (where_ == Where::kChunks) {
      std::string piece;
      const auto state = chunks_.Read(bytes, piece, std::numeric_limits<size_t>::max());
      Give(piece);
      if (state == ChunkedReader::State::kFault) return Fault(chunks_.fault().text);
      if (state == ChunkedReader::State::kTooLarge) return Fault("a chunk is too large");
      if (state == ChunkedReader::State::kEnd) where_ = Where::kEnd;
      return {};
    }
    const bool counted = where_ == Where::kLength;
    const size_t take =
        counted ? static_cast<size_t>(std::min<uint64_t>(left_, bytes.size())) : bytes.size();
    Give(bytes.substr(0, take));
    bytes.remove_prefix(take);
    if (counted && (left_ -= take) == 0) where_ = Where::kEnd;
    return {};
  }

  void Give(std::string_view piece) {
    // The handler may have cancelled, or be told nothing any more.
    if (!piece.empty() && current_->handler != nullptr) current_->handler->OnBody(piece);
  }

  // The answer is complete. What follows it belongs to nobody.
  Result<void> End(std::string_view left) {
    const bool all_sent = to_send_.empty() && body_end_sent_;
    reusable_ = keep_alive_ && all_sent && left.empty() && !reset_;
    to_send_.clear();
    owner_.OnStreamEnd(*std::exchange(current_, nullptr), {});
    if (!left.empty()) return Fault("the server spoke unasked");
    return {};
  }

  const Common common_;
  Owner& owner_;
  ClientStream* current_ = nullptr;
  std::string to_send_;  // the head, until it is sent
  bool reset_ = false;
  bool reusable_ = true;
  bool keep_alive_ = true;
  bool is_upgraded_ = false;
  bool body_end_sent_ = false;
  Where where_ = Where::kHead;
  std::string head_;
  HeadScanner scanner_;
  ChunkedReader chunks_;
  uint64_t left_ = 0;
};

}  // namespace

std::unique_ptr<ClientProtocol> MakeHttp1ClientProtocol(ClientProtocol::Common common,
                                                        ClientProtocol::Owner& owner) {
  return std::make_unique<Http1ClientProtocol>(common, owner);
}

}  // namespace skiff::net
