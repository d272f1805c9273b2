// HTTP/2 by nghttp2, which keeps the framing, HPACK, flow control and the rules of the RFC; here
// are requests, answers and the bounds that it does not have. See protocol.h for the contract.
#pragma once

#include <memory>
#include <string_view>
#include <unordered_map>

#include <nghttp2/nghttp2.h>

#include "net/exchange.h"
#include "net/idle_reset_filter.h"
#include "net/protocol.h"
#include "net/token_bucket.h"

namespace skiff {

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

 private:
  struct Stream {
    int32_t id = 0;
    Duration started{};
    // Coming in.
    HttpRequest request;
    std::string authority;
    size_t header_bytes = 0;
    size_t fields = 0;
    size_t body_bytes = 0;         // counted against the connection
    bool headers_refused = false;  // too many or too large
    bool path_refused = false;
    bool is_complete = false;  // the client has ended its side
    bool is_dispatched = false;
    bool is_head = false;
    std::unique_ptr<RequestSink> sink;  // of a request that is handled while its body comes in
    // Going out.
    std::shared_ptr<Exchange> exchange;
    HttpResponse response;
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
  int OnField(Stream& stream, std::string_view name, std::string_view value, bool is_trailer);
  int OnFrame(const nghttp2_frame& frame);
  int OnRequestHead(Stream& stream, bool ended);
  int OnBodyBytes(Stream& stream, std::string_view bytes);
  void OnStreamClosed(int32_t id);
  void OnFrameSent(const nghttp2_frame& frame);
  ssize_t ReadBody(Stream& stream, size_t length, uint32_t& flags);
  ssize_t ReadFromSource(Stream& stream, size_t length, uint32_t& flags);
  void SendBody(Stream& stream, std::string_view frame_head, size_t length);

  void Dispatch(Stream& stream, bool too_large);
  void BeginExchange(Stream& stream);
  // What the connection knows of every request.
  void FillIn(HttpRequest& request) const;
  // False if the handler wants the body whole.
  bool DispatchStream(Stream& stream);
  // The body has been read to its end: the trailers follow.
  void EndBody(Stream& stream, uint32_t& flags);
  void Answer(Stream& stream, HttpResponse response);
  void Terminate(uint32_t error);
  void Receive(std::string_view bytes);
  void ForgetRequestBody(Stream& stream);

  ServingLoop& serving_;
  Host& host_;
  const ConnectionPeer& peer_;
  nghttp2_session* session_ = nullptr;
  std::unordered_map<int32_t, std::unique_ptr<Stream>> streams_;
  TokenBucket resets_;
  TokenBucket control_frames_;
  IdleResetFilter filter_;
  size_t buffered_body_bytes_ = 0;
  size_t incomplete_ = 0;  // streams whose requests have not come in whole
  size_t sending_ = 0;     // streams that could send, were it not for the client
  Duration incomplete_check_ = Clock::kForever;
  Duration idle_since_;
  Duration stalled_since_ = Clock::kForever;
  bool heard_anything_ = false;
  bool broken_ = false;
  bool terminated_ = false;
  ByteBuffer* out_ = nullptr;  // during Fill()
  size_t room_ = 0;
  bool asked_a_source_ = false;  // in this Fill()
};

}  // namespace skiff
