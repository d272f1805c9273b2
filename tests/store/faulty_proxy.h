// A TCP proxy between a client and one server that loses what it is told to lose.
//
// It forwards bytes and knows no protocol. What a request and its answer are is therefore up to the
// test: it chooses a mode, lets the client ask, sees by dropped_bytes() that something was lost,
// and cuts the connections, as a network does that fails at the worst moment:
//
//   proxy->SetMode(FaultyProxy::Mode::kDropAnswers);
//   …start a transaction; wait until proxy->dropped_bytes() grows: the server has answered…
//   proxy->CutConnections();   // the client cannot know the outcome
//   proxy->SetMode(FaultyProxy::Mode::kForward);
//
// Bytes that were dropped are missing from the stream, so connections must be cut before the mode
// changes back. One thread of its own does the forwarding; all calls are thread-safe.
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <string>

#include "base/status.h"
#include "base/thread.h"

namespace skiff::testing {

class FaultyProxy {
 public:
  enum class Mode : uint8_t {
    kForward,
    kStall,         // nothing moves, nothing is lost
    kDropRequests,  // what clients send vanishes
    kDropAnswers,   // what the server sends vanishes
    kRefuse,        // new connections are closed at once; open ones go on
  };

  // Listens on a free port of the loopback interface.
  static Result<std::unique_ptr<FaultyProxy>> Start(std::string target_address, int target_port);
  ~FaultyProxy();

  int port() const { return port_; }
  std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }

  void SetMode(Mode mode);
  // Ends every connection with a reset; all are gone when it returns. New ones may come at once.
  void CutConnections();

  // Since the start.
  uint64_t connections();
  uint64_t dropped_bytes();

 private:
  struct Connection;

  FaultyProxy(std::string target_address, int target_port);
  void Run();
  void Accept();
  // False when the connection is over.
  bool Serve(Connection& connection);
  void Wake();

  const std::string target_address_;
  const int target_port_;
  int listener_ = -1;
  int wake_ = -1;
  int port_ = 0;

  std::mutex mutex_;
  Mode mode_ = Mode::kForward;
  bool stopping_ = false;
  uint64_t connections_ = 0;
  uint64_t dropped_bytes_ = 0;
  std::list<Connection> open_;
  std::unique_ptr<Thread> thread_;
};

}  // namespace skiff::testing
