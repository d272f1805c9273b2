#include "tests/sim/cluster.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <utility>

namespace skiff::sim {
namespace {

// How long a server without faults may take to be ready.
constexpr Duration kBootTime = std::chrono::minutes(2);

// What a server leaves on an empty disk; the same for every run.
struct Prepared {
  std::shared_ptr<store::MemoryDisk> disk;
  std::unique_ptr<Ledger> ledger;
};

const Prepared& PreparedCluster() {
  static const Prepared prepared = [] {
    Cluster cluster(0, 0, true);
    cluster.Boot();
    cluster.loop().RunFor(std::chrono::seconds(5));
    cluster.ledger().CatchUp();
    Prepared out{.disk = cluster.server().disk()->Copy(),
                 .ledger = std::make_unique<Ledger>([] { return Duration::zero(); },
                                                    [](const std::string&) {})};
    out.ledger->Adopt(cluster.ledger());
    return out;
  }();
  return prepared;
}

[[noreturn]] void ReportStuck(uint64_t seed, const std::string& why) {
  fprintf(stderr, "seed %llu: %s\n", static_cast<unsigned long long>(seed), why.c_str());
  _exit(3);
}

}  // namespace

void PrepareCluster() { PreparedCluster(); }

bool Cluster::verbose = false;

uint64_t DeriveSeed(uint64_t seed, std::string_view use) {
  uint64_t mixed = seed * 0x9e3779b97f4a7c15 + 0x632be59bd9b4e019;
  for (const char c : use) mixed = (mixed ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return mixed ^ (mixed >> 31);
}

void Cluster::Sink::Write(std::string_view line) {
  if (verbose) fwrite(line.data(), 1, line.size(), stderr);
}

Cluster::Cluster(uint64_t seed, uint32_t switch_one_in, bool empty_disk)
    : seed_((empty_disk ? 0 : (PreparedCluster(), 0)) + seed),
      scheduler_({.seed = DeriveSeed(seed, "scheduler"),
                  .switch_one_in = switch_one_in,
                  .on_stuck = [seed](const std::string& why) { ReportStuck(seed, why); }}),
      loop_(scheduler_),
      clock_(scheduler_),
      executor_(loop_, clock_),
      network_(loop_, DeriveSeed(seed, "network"), counters_),
      ledger_([this] { return loop_.now(); }, [this](std::string what) { Fail(std::move(what)); }) {
  std::shared_ptr<store::MemoryDisk> disk;
  if (empty_disk) {
    disk = store::MemoryDisk::Make();
  } else {
    disk = PreparedCluster().disk->Copy();
    ledger_.Adopt(*PreparedCluster().ledger);
  }
  server_ = std::make_unique<SimServer>(loop_, network_, ledger_, DeriveSeed(seed, "server"),
                                        std::move(disk), sink_);
}

Cluster::~Cluster() { server_.reset(); }

void Cluster::Fail(std::string what) {
  Tell("FAILED: " + what);
  failures_.push_back(std::to_string(std::chrono::duration<double>(loop_.now()).count()) + "s " +
                      std::move(what));
}

void Cluster::Tell(std::string_view what) {
  if (!verbose) return;
  fprintf(stderr, "%10.6f %.*s\n", std::chrono::duration<double>(loop_.now()).count(),
          static_cast<int>(what.size()), what.data());
}

void Cluster::Boot() {
  const Result<void> started = server_->Start();
  if (!started) return Fail("the server does not start: " + started.error().ToString());
  if (!loop_.RunFor(kBootTime, [this] { return server_->ready(); })) {
    Fail("the server does not get ready");
  }
}

void Cluster::RestartServer(Duration after) {
  executor_.After(after, [this] {
    if (server_->up()) return;
    const Result<void> started = server_->Start();
    if (started) {
      Tell("the server is up");
    } else {
      Tell("the server does not start: " + started.error().ToString());
      RestartServer(std::chrono::seconds(2));
    }
  });
}

serving::UserInfo Admin() {
  return {.name = "admin",
          .uid = {},
          .groups = {serving::kMastersGroup, serving::kAuthenticatedGroup},
          .extra = {}};
}

serving::UserInfo ServiceAccountUser(std::string_view name) {
  return {.name = "system:serviceaccount:kube-system:" + std::string(name),
          .uid = {},
          .groups = {serving::kServiceAccountsGroup, "system:serviceaccounts:kube-system",
                     serving::kAuthenticatedGroup},
          .extra = {}};
}

}  // namespace skiff::sim
