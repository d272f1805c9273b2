// HTTP/1.1 and HTTP/2 as a connection sees them: plain bytes come in, plain bytes are asked for.
//
// A protocol knows nothing of sockets and TLS. The connection pulls: it asks for output only when
// the socket takes some, so that a slow client makes no output. All calls on the connection's loop.
#pragma once

#include <memory>
#include <string_view>

#include "base/buffer.h"
#include "base/clock.h"
#include "net/http.h"
#include "net/serving.h"

namespace skiff::net {

class HttpProtocol {
 public:
  // The connection, as a protocol sees it.
  class Host {
   public:
    virtual ~Host() = default;
    // There may be something to Fill() in, or input wanted again.
    virtual void WantTurn() = 0;
  };

  virtual ~HttpProtocol() = default;

  // Takes all of them.
  virtual void OnBytes(std::string_view bytes) = 0;
  // The client will send nothing more.
  virtual void OnInputEnd() = 0;
  virtual bool wants_input() const = 0;
  // Appends about `room` bytes, or what there is.
  virtual void Fill(ByteBuffer& out, size_t room) = 0;
  // Close once all that was filled in has been sent.
  virtual bool finished() const = 0;
  // Close now, so that the client notices that something is missing.
  virtual bool broken() const = 0;
  // When OnDeadline() is due; Clock::kForever for never.
  virtual Duration deadline() const = 0;
  virtual void OnDeadline() = 0;
  // Ends after the requests that are under way.
  virtual void Drain() = 0;
};

// An answer with code 101: from then on the connection belongs to this source. Read() gives what is
// sent, OnBytes() gets what the client sends. HTTP/1.1 only.
class UpgradedStream : public BodySource {
 public:
  virtual void OnBytes(std::string_view bytes) = 0;
  // The client will send nothing more; Read() may still give the rest.
  virtual void OnInputEnd() = 0;
  // False holds further input back, until after the next wake or Read().
  virtual bool wants_input() const { return true; }
};

std::unique_ptr<HttpProtocol> MakeHttp1(ServingLoop& serving, HttpProtocol::Host& host,
                                        const ConnectionPeer& peer);
// Also reads the client's preface.
std::unique_ptr<HttpProtocol> MakeHttp2(ServingLoop& serving, HttpProtocol::Host& host,
                                        const ConnectionPeer& peer);

inline constexpr std::string_view kHttp2Preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

}  // namespace skiff::net
