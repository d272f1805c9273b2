// An HTTP server: listens, speaks TLS, HTTP/1.1 and HTTP/2, and calls one handler for every
// request.
//
// One loop for each core by default, and two at least; a connection stays with the loop that it was
// given to. All of them accept, and none that is late is given a connection if another can have it,
// so that a loop that does not turn takes nothing down but what it has. Start() and the calls after
// it belong to threads that are none of the loops'.
//
// An end in order: Drain() closes the listening sockets, tells clients that this is the end
// (GOAWAY, Connection: close), runs the callbacks of OnDrain(), by which owners of long streams end
// these, and waits for what is under way; then, or when the time is over, everything is closed. A
// loop that does not turn is waited for in the end all the same, since nothing that it uses can be
// destroyed: the process then ends by other means (cli/shutdown_watchdog.h).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/status.h"
#include "net/http.h"
#include "net/loop_watchdog.h"
#include "net/serving.h"
#include "net/tls_options.h"

namespace skiff::net {

struct HttpServerOptions {
  // "127.0.0.1:6443", "[::1]:0", "0.0.0.0:6443" (which stands for all addresses of both families,
  // as in Go) or ":6443", the same. Port 0 takes a free one. "unix:/run/skiff.sock" is a socket
  // in the file system, which replaces a file that is there.
  std::vector<std::string> addresses;
  std::optional<TlsOptions> tls;     // none: plain
  HttpHandler* handler = nullptr;    // outlives the server
  Clock* clock = nullptr;            // likewise
  int loops = 0;                     // 0: one for each core, and two at least
  LoopWatchdog* watchdog = nullptr;  // told of the loops; null: nobody watches. Outlives the server
  HttpLimits limits;
  bool share_port = false;  // --permit-port-sharing: SO_REUSEPORT
  // Faults that no caller hears of: certificate files that cannot be used, accepting that fails. On
  // a loop.
  std::function<void(std::string_view)> on_error;
};

struct HttpServerFigures {
  int64_t connections = 0;
  int64_t requests_in_flight = 0;
  uint64_t requests = 0;  // so far
};

class HttpServer {
 public:
  static Result<std::unique_ptr<HttpServer>> Start(HttpServerOptions options);
  // Stops.
  ~HttpServer();

  // In the order of the options, with the ports that were taken: "127.0.0.1:34567".
  const std::vector<std::string>& addresses() const;
  HttpServerFigures figures() const;

  // Before Drain(). Called once, on the thread that drains.
  void OnDrain(std::function<void()> callback);
  // Ends in order, within `grace`. The server is stopped afterwards.
  void Drain(Duration grace);
  // Ends at once. Harmless when called again.
  void Stop();

 private:
  class Impl;
  explicit HttpServer(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace skiff::net
