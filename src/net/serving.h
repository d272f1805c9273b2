// What the connections of a server share: the handler, bounds, figures; and, on each loop, the room
// that all its connections work in, so that an idle connection holds no buffers.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/buffer.h"
#include "base/clock.h"
#include "base/limits.h"
#include "net/event_loop.h"
#include "net/http.h"
#include "net/memory_budget.h"

namespace skiff::net {

// Servers of tests choose smaller ones.
struct HttpLimits {
  size_t max_header_bytes = limits::kMaxHttpHeaderBytes;
  size_t max_body_bytes = limits::kMaxHttpBodyBytes;
  // What requests and answers on their way may hold, of the server and of one connection.
  size_t memory_bytes = limits::kMaxHttpMemoryBytes;
  size_t connection_memory_bytes = limits::kMaxHttpConnectionMemoryBytes;
  uint32_t max_streams = limits::kHttp2MaxStreams;
  // Of HTTP/2, beyond which a client is sent away: in the long run, and ten seconds' worth at once.
  uint32_t resets_per_second = limits::kHttp2ResetsPerSecond;
  uint32_t control_frames_per_second = limits::kHttp2ControlPerSecond;
  // Whether HTTP/2 is read as servers of gRPC read it, whose clients reset streams that they never
  // opened (idle_reset_filter.h) and send a URL as their :authority.
  bool lenient = false;
  size_t max_connections = limits::kMaxHttpConnections;
  Duration handshake_timeout = limits::kTlsHandshakeTimeout;
  Duration header_timeout = limits::kHttpHeaderTimeout;
  Duration body_timeout = limits::kHttpBodyTimeout;
  Duration idle_timeout = limits::kHttpIdleTimeout;
  Duration write_timeout = limits::kHttpWriteTimeout;
  size_t answer_bytes_per_second = limits::kHttpAnswerBytesPerSecond;
};

// Any thread. Outlives all connections.
struct HttpService {
  HttpService() { SetLimits({}); }
  void SetLimits(const HttpLimits& bounds);
  // For one connection.
  std::shared_ptr<MemoryBudget> MakeMemory() const;
  std::shared_ptr<MemoryBudget> MakeHeadBudget() const;

  HttpHandler* handler = nullptr;
  HttpLimits limits;
  // Above those of all connections (memory_budget.h): everything, and of it the heads of requests.
  std::shared_ptr<MemoryBudget> memory;
  std::shared_ptr<MemoryBudget> heads;
  std::atomic<int64_t> connections = 0;
  std::atomic<int64_t> requests_in_flight = 0;
  std::atomic<uint64_t> requests = 0;
};

// The date as HTTP writes it, made anew once a second.
class HttpDate {
 public:
  // Valid until the next call.
  std::string_view Get(Clock& clock);

 private:
  int64_t second_ = -1;
  std::string text_;
};

struct ServingLoop {
  ServingLoop(std::shared_ptr<EventLoop> event_loop, HttpService& http_service)
      : loop(std::move(event_loop)), service(http_service) {}

  // When an answer that begins to be sent now is broken off: it is held in memory for as long as
  // the client has not taken it, and whoever takes a byte now and then must not hold many.
  Duration AnswerDue(const HttpResponse& answer) const;

  std::shared_ptr<EventLoop> loop;
  HttpService& service;
  HttpDate date;
  // Each belongs to whoever works at the moment: bytes as read, the same decrypted, bytes to be
  // sent, the same encrypted.
  ByteBuffer input;
  ByteBuffer plain_input;
  ByteBuffer output;
  ByteBuffer sealed_output;
};

// What all requests of a connection have in common.
struct ConnectionPeer {
  std::string address;
  std::shared_ptr<const PeerCertificate> certificate;
  bool refused = false;
};

}  // namespace skiff::net
