// The node ports of services: one bitmap for all, stored under PREFIX/ranges/servicenodeports as
// kube-apiserver does, and changed in the transactions of services under the condition that nobody
// changed it meanwhile.
//
// The newest bitmap is followed by a watch of the store. Any thread may use it.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "apiserver/registry/core/port_bitmap.h"
#include "apiserver/rest/behaviour.h"
#include "base/random.h"
#include "base/status.h"
#include "store/store.h"

namespace skiff::apiserver {

class NodePorts final : private store::WatchSink {
 public:
  // The bitmap as it was last seen. Zero revision: nothing is stored yet.
  struct State {
    PortBitmap ports;
    store::Revision revision;
  };

  NodePorts(store::Store& store, const std::string& prefix, int32_t first, int32_t last);
  NodePorts(const NodePorts&) = delete;
  NodePorts& operator=(const NodePorts&) = delete;
  ~NodePorts() override;

  // Reads what is stored and follows it. Waits for the store; not to be called from its threads.
  // Harmless when it follows already.
  Result<void> Follow();

  // kServiceUnavailable while it does not know what is stored.
  Result<State> Current() const;
  const std::string& key() const { return key_; }
  store::Store& store() const { return store_; }

 private:
  void OnEvents(std::span<const store::Event> events) override;
  void OnProgress(store::Revision) override {}
  void OnEnd(Status why) override;
  void Set(const store::KeyValue* stored, store::Revision revision);

  store::Store& store_;
  const std::string key_;
  const int32_t first_;
  const int32_t last_;
  mutable std::mutex mutex_;
  std::optional<State> state_;  // guarded by mutex_
  std::unique_ptr<store::Watch> watch_;
};

// The changes of one write. Nothing is taken until its transaction is committed.
class PortChanges {
 public:
  explicit PortChanges(const NodePorts& ports) : ports_(ports) {}

  // The errors are kInvalid, with what is wrong as their message.
  Result<void> Take(int32_t port);
  Result<int32_t> TakeAny(Random& random);
  // Free for others when the transaction is committed, but not in this one.
  void Release(int32_t port) { released_.push_back(port); }

  // Adds the changes to the transaction, if there are any.
  Result<void> AddTo(store::Transaction& transaction);

 private:
  Result<void> Load();

  const NodePorts& ports_;
  std::optional<NodePorts::State> state_;
  bool taken_ = false;
  std::vector<int32_t> released_;
};

}  // namespace skiff::apiserver
