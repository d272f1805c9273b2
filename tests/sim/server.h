// The process of the API server: a server without a listener on an embedded store on a simulated
// disk. It can be killed at any moment, and started again on what the disk then holds.
//
// First thread only; starting and ending it passes simulated time while its threads work.
#pragma once

#include <memory>
#include <string>

#include "apiserver/server.h"
#include "base/log.h"
#include "base/random.h"
#include "store/embedded/embedded_store.h"
#include "store/embedded/memory_engine.h"
#include "tests/sim/ledger.h"
#include "tests/sim/network.h"

namespace skiff::sim {

class SimServer {
 public:
  SimServer(SimLoop& loop, SimNetwork& network, Ledger& ledger, uint64_t seed,
            std::shared_ptr<store::MemoryDisk> disk, LogSink& log);
  ~SimServer();

  Result<void> Start();
  // As kill -9 does: what is not on the disk is lost, and nobody gets an answer any more.
  void Crash();
  bool up() const { return server_ != nullptr; }
  bool ready() const { return up() && server_->ready(); }

  // Faults of the disk last until they are ended; a crash does not end them.
  void SetSlowDisk(Duration longest);
  void SetFullDisk(bool full);
  void FailNextWrite(store::MemoryDisk::Outcome outcome);
  // Forgets all but the newest states.
  void Compact();

  SimClock& clock() { return clock_; }
  store::EmbeddedStore* store() { return store_.get(); }
  // Definitions of custom resources that are served no more and still held, as its metrics tell.
  std::string RetiredDefinitions() const;
  const std::shared_ptr<store::MemoryDisk>& disk() const { return disk_; }
  // While it is down.
  void ReplaceDisk(std::shared_ptr<store::MemoryDisk> disk) { disk_ = std::move(disk); }

 private:
  void ApplyDiskFaults();

  SimLoop& loop_;
  SimNetwork& network_;
  Ledger& ledger_;
  SimClock clock_;
  SeededRandom random_;
  SeededRandom disk_random_;
  Log log_;
  std::shared_ptr<store::MemoryDisk> disk_;
  Duration slowest_write_{0};
  bool disk_full_ = false;
  std::unique_ptr<store::EmbeddedStore> store_;
  std::unique_ptr<apiserver::ApiServer> server_;
};

}  // namespace skiff::sim
