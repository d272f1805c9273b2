// ComponentStatus: whether the parts of the control plane are well, asked anew for each request.
// Deprecated since v1.19 and still served: controller-manager and scheduler where they are by
// default (on this machine, by HTTPS, whatever certificate they have), and the store as "etcd-0".
//
// Owner: the server. Asking may take a while, so a thread does it, for all who have come meanwhile
// at once.
#pragma once

#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/rest/endpoint.h"
#include "base/status.h"
#include "base/thread.h"
#include "serving/request/api_request.h"
#include "store/store.h"

namespace skiff::apiserver {

struct ComponentHealth {
  std::string name;
  bool healthy = false;
  std::string message;
  std::string error;
};

struct ComponentCheck {
  std::string name;
  std::function<ComponentHealth()> ask;  // may wait
};

// Those of v1.36: controller-manager, etcd-0, scheduler.
std::vector<ComponentCheck> StandardComponents(store::Store& store);

class ComponentStatuses {
 public:
  explicit ComponentStatuses(std::vector<ComponentCheck> checks) : checks_(std::move(checks)) {}
  ComponentStatuses(const ComponentStatuses&) = delete;
  ComponentStatuses& operator=(const ComponentStatuses&) = delete;
  ~ComponentStatuses() { Stop(); }

  // The component of that name is in this process: whoever asks about it is told what this says is
  // wrong, and nothing is asked over the network. It may wait. Null: it is no longer here; what was
  // set before is then not being asked any more. Any thread.
  void SetWithin(const std::string& name, std::function<std::string()> fault);
  // A get or a list. The endpoint is that of componentstatuses.
  void Answer(serving::ApiRequestPtr request, const Endpoint& endpoint);
  // Who still waits is not answered.
  void Stop();

 private:
  struct Waiting {
    serving::ApiRequestPtr request;
    const Endpoint* endpoint;
  };
  void Run();
  ComponentHealth Ask(const ComponentCheck& check);

  const std::vector<ComponentCheck> checks_;
  std::mutex within_mutex_;  // guards the next, and is held while one of them is asked
  std::map<std::string, std::function<std::string()>> within_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::vector<Waiting> waiting_;
  bool stopping_ = false;
  std::unique_ptr<Thread> thread_;  // begins with the first request
};

}  // namespace skiff::apiserver
