// The fixture of the fault tests on etcd: a cluster of real members, stores on it with short times,
// and a scene of load and watchers.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/clock.h"
#include "base/random.h"
#include "store/etcd/etcd_store.h"
#include "tests/store/etcd_cluster.h"
#include "tests/store/fault_scene.h"

namespace skiff::testing {

class EtcdFaultTest : public ::testing::Test {
 protected:
  // How long tests wait for what must come. Only a failing test waits that long.
  static constexpr Duration kPatience = std::chrono::seconds(60);

  // Skips the test when this machine cannot run such a cluster, fails it when it does not start.
  //   Begin({.members = 3}); if (IsSkipped() || HasFatalFailure()) return;
  void Begin(const EtcdClusterOptions& options) {
    if (auto why = EtcdCluster::Missing(options)) GTEST_SKIP() << *why;
    Result<std::unique_ptr<EtcdCluster>> cluster = EtcdCluster::Start(clock_, options);
    ASSERT_TRUE(cluster) << cluster.error().message();
    cluster_ = std::move(*cluster);
  }

  // Gives up on a member that is silent within a second or two, not within half a minute.
  store::EtcdOptions OptionsFor(std::vector<std::string> endpoints) {
    store::EtcdOptions options;
    options.endpoints = std::move(endpoints);
    options.dial_timeout = std::chrono::seconds(2);
    options.keepalive_time = std::chrono::seconds(1);
    options.keepalive_timeout = std::chrono::seconds(1);
    options.attempt_timeout = std::chrono::seconds(2);
    options.request_timeout = std::chrono::seconds(5);
    options.min_backoff = std::chrono::milliseconds(10);
    options.max_backoff = std::chrono::milliseconds(200);
    options.health_interval = std::chrono::milliseconds(200);
    options.health_timeout = std::chrono::seconds(1);
    options.clock = &clock_;
    options.random = &random_;
    return options;
  }
  std::unique_ptr<store::EtcdStore> Open(std::vector<std::string> endpoints) {
    return Open(OptionsFor(std::move(endpoints)));
  }
  std::unique_ptr<store::EtcdStore> Open(store::EtcdOptions options) {
    Result<std::unique_ptr<store::EtcdStore>> store = store::EtcdStore::Open(std::move(options));
    EXPECT_TRUE(store) << store.error().message();
    return store ? std::move(*store) : nullptr;
  }

  EtcdCluster& cluster() { return *cluster_; }

  SystemClock clock_;
  SystemRandom random_;
  std::unique_ptr<EtcdCluster> cluster_;
};

}  // namespace skiff::testing
