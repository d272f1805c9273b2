// HTTP/2 by nghttp2, which keeps the framing, HPACK, flow control and the rules of the RFC; here
// are requests, answers and the bounds that it does not have. See protocol.h for the contract.
//
// Bounds on memory (memory_budget.h): when the server has no room, new streams are refused. When
// the connection has none, its streams get no window to send more, but for the oldest, so that
// something is always finished; heads beyond its share end it. A body gets no window at all before
// its handler asks for it.
//
// Bounds on time: a request must come in whole, and a stream whose answer could be sent must take
// some of it, each within a time of its own. Only DATA counts as taking.
#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include <nghttp2/nghttp2.h>

#include "net/exchange.h"
#include "net/idle_reset_filter.h"
#include "net/protocol.h"
#include "net/token_bucket.h"

namespace skiff::net {

class Http2Protocol final : public HttpProtocol, public Exchange::Owner {
 public:
  Http2Protocol(ServingLoop& serving, Host& host, const ConnectionPeer& peer);
  ~Http2Protocol() override;

  void OnBytes(std::string_view bytes) override;
  void OnInputEnd() override;
  bool wants_input() const override { return true; }
  void Fill(ByteBuffer& out, size_t room) override;
  bool finished() const override;
  bool broken() const override { return broken_; }
  Duration deadline() const override;
  void OnDeadline() override;
  void Drain() override;

  void OnResponse(int32_t stream, HttpResponse response) override;
  void OnBodyReady(int32_t stream) override;
  void OnBodyWanted(int32_t stream, BodyCallback then) override;
  void OnBodyPassed(int32_t stream, std::unique_ptr<RequestSink> sink) override;

 private:
  // What becomes of the body of a request.
  enum class Body : uint8_t {
    kHeld,    // the handler has not asked for it
    kWanted,  // it is collected
    kPassed,  // it goes to a sink as it comes
    kDone,    // it has been given away, or is read for nothing
  };
  struct Stream {
    int32_t id = 0;
    Duration started{};
    // Coming in.
    HttpRequest request;
    std::string authority;
    size_t header_bytes = 0;
    size_t fields = 0;
    bool headers_refused = false;  // too many or too large
    bool path_refused = false;
    bool body_refused = false;  // too large
    bool expects_continue = false;
    bool is_shed = false;      // reset, as there is no room for it
    bool is_complete = false;  // the client has ended its side
    bool is_dispatched = false;
    bool is_head = false;
    Body body = Body::kHeld;
    std::string body_bytes;
    size_t ungranted = 0;               // bytes that have come and made no new window
    BodyCallback on_body;               // of a handler that has the head
    std::unique_ptr<RequestSink> sink;  // of a request that is handled while its body comes in
    size_t held_back = 0;               // bytes that the sink got, and that made no new window
    // Of a request that has no exchange yet.
    MemoryCharge head_memory;
    MemoryCharge body_memory;
    // Going out.
    std::shared_ptr<Exchange> exchange;
    bool is_answered = false;
    HttpResponse response;
    MemoryCharge answer_memory;
    Duration progress{};  // when something of the body was last sent, or could have been
    Duration answer_due{};
    size_t body_sent = 0;
    ByteBuffer pending;  // read from the source and not sent yet, from pending_at on
    size_t pending_at = 0;
    bool source_ended = false;
    bool is_sending = false;   // the answer has a body that is not complete
    bool is_deferred = false;  // and waits for its source
  };
  struct Callbacks;
  friend struct Callbacks;

  Stream* Find(int32_t id) const;
  void OnStreamOpened(int32_t id);
  int OnField(Stream& stream, std::string_view name, std::string_view value, bool is_trailer);
  // False if there is no room for the field: the stream is reset, or the connection ended.
  bool ChargeHead(Stream& stream, size_t bytes);
  int OnFrame(const nghttp2_frame& frame);
  void OnRequestHead(Stream& stream, bool ended);
  void OnRequestEnd(Stream& stream);
  void OnBodyBytes(Stream& stream, std::string_view bytes);
  void OnStreamClosed(int32_t id);
  void OnFrameSent(const nghttp2_frame& frame);
  ssize_t ReadBody(Stream& stream, size_t length, uint32_t& flags);
  ssize_t ReadFromSource(Stream& stream, size_t length, uint32_t& flags);
  void SendBody(Stream& stream, std::string_view frame_head, size_t length);

  void PassBytes(Stream& stream, std::string_view bytes);
  void SendContinue(Stream& stream);
  void BeginBody(Stream& stream);
  void EndBody(Stream& stream, bool too_large);
  // Lets the client send as much again as has come, if there is room.
  void GrantWindow(Stream& stream);
  void GrantWindows();
  // An answer of the protocol itself.
  void Refuse(Stream& stream, int code);
  void Reset(Stream& stream, uint32_t error);
  // When OnDeadline() has to do something about the stream.
  Duration DueTime(const Stream& stream) const;
  void CheckAt(Duration time) { stream_check_ = std::min(stream_check_, time); }

  void Dispatch(Stream& stream, bool too_large);
  void DispatchHead(Stream& stream);
  Responder MakeExchange(Stream& stream);
  void BeginExchange(Stream& stream);
  // What the connection knows of every request.
  void FillIn(HttpRequest& request) const;
  // False if the handler wants the body whole.
  bool DispatchStream(Stream& stream);
  // The body of the answer has been read to its end: the trailers follow.
  void EndAnswer(Stream& stream, uint32_t& flags);
  void Answer(Stream& stream, HttpResponse response);
  // Once it is answered.
  void ForgetRequest(Stream& stream);
  void Terminate(uint32_t error);
  void Receive(std::string_view bytes);

  ServingLoop& serving_;
  Host& host_;
  const ConnectionPeer& peer_;
  nghttp2_session* session_ = nullptr;
  std::map<int32_t, std::unique_ptr<Stream>> streams_;  // the oldest first
  TokenBucket resets_;
  TokenBucket control_frames_;
  IdleResetFilter filter_;
  std::shared_ptr<MemoryBudget> memory_;
  std::shared_ptr<MemoryBudget> heads_;
  size_t sending_ = 0;                       // streams that could send, were it not for the client
  size_t ungranted_ = 0;                     // streams that have bytes which made no new window
  Duration stream_check_ = Clock::kForever;  // not after the first DueTime()
  Duration idle_since_;
  Duration stalled_since_ = Clock::kForever;
  bool heard_anything_ = false;
  bool broken_ = false;
  bool terminated_ = false;
  ByteBuffer* out_ = nullptr;  // during Fill()
  size_t room_ = 0;
  bool asked_a_source_ = false;  // in this Fill()
  bool sent_body_ = false;       // likewise: some of an answer
};

}  // namespace skiff::net
