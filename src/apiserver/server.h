// The API server as one object: store, caches, pipeline and listener, started and stopped together.
//
// Owner: main(). Start() returns when the server listens and its caches are filled; bootstrap
// objects (roles, namespaces, the kubernetes service) are written meanwhile, and /readyz says when
// they are there.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "apiserver/options.h"
#include "base/clock.h"
#include "base/executor.h"
#include "base/log.h"
#include "base/metrics.h"
#include "base/random.h"
#include "base/status.h"
#include "client/client.h"
#include "client/work_queue_metrics.h"
#include "net/event_loop.h"
#include "serving/auth/user.h"
#include "store/store.h"

namespace skiff::apiserver {

class ApiServer {
 public:
  // The options have been derived and validated. Clock, randomness and log outlive the server, and
  // so does the store if one is given, which then takes the place of the one that the options name:
  // an embedded one, whose watches have seen the events of a commit before its answer.
  static Result<std::unique_ptr<ApiServer>> Start(ApiServerOptions options, Clock& clock,
                                                  Random& random, Log& log,
                                                  store::Store* store = nullptr);
  // Stops at once what Drain() did not stop in order.
  ~ApiServer();

  // A client within the process, with the rights of this user. What it asks for passes the same
  // authorization and admission as over HTTPS; see in_process/transport.h. It is closed and
  // destroyed before the server.
  std::unique_ptr<client::ClientTransport> Connect(serving::UserInfo user, Executor& executor);

  // Where it listens: "127.0.0.1:6443". Empty without a listener.
  const std::vector<std::string>& addresses() const;
  // What /metrics tells, for others in the process whose metrics belong there too.
  MetricsRegistry& metrics();
  client::WorkQueueMetrics& queue_metrics();
  // The control loops run in this process: its component status says what is wrong with them, and
  // nothing is asked on the port of kube-controller-manager. Null, before they end: they are gone,
  // and are not being asked.
  void SetControllerManager(std::function<std::string()> fault);
  // A loop of others in the process: /livez tells when it does not turn, and so does the log.
  void Watch(const std::shared_ptr<net::EventLoop>& loop);
  // Whether /readyz would say so.
  bool ready() const;
  // The end in order: /readyz says no, for a while everything is still served, then nothing new is
  // taken, watches end, and what is under way is finished.
  void Drain();
  // How long that may take, unless something goes wrong; and, on any thread while it does, what is
  // not finished yet.
  Duration DrainTime() const;
  std::string UnderWay() const;

 private:
  class Impl;
  explicit ApiServer(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace skiff::apiserver
