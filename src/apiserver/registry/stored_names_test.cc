// No object is stored under the key of another (rest/object_change.h).
#include <future>
#include <memory>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "apiserver/defaults/testing.h"
#include "apiserver/rest/object_change.h"
#include "apiserver/rest/storage_set.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/random.h"
#include "object/json/decode.h"
#include "object/protobuf/envelope.h"
#include "store/blocking.h"
#include "store/embedded/embedded_store.h"
#include "store/embedded/memory_engine.h"
#include "store/lease_pool.h"

namespace skiff::apiserver {
namespace {

class StoredNamesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    store::EmbeddedOptions options;
    options.open_engine = [this] { return disk_->Open(); };
    options.clock = &clock_;
    options.random = &random_;
    options.compaction_interval = Duration(0);
    auto store = store::EmbeddedStore::Open(std::move(options));
    ASSERT_TRUE(store) << store.error().ToString();
    store_ = std::move(*store);
    leases_ = std::make_unique<store::LeasePool>(*store_, clock_);
    environment_ =
        std::make_unique<StorageEnvironment>(StorageEnvironment{.store = *store_,
                                                                .clock = clock_,
                                                                .random = random_,
                                                                .leases = *leases_,
                                                                .defaults = KindDefaults(),
                                                                .log = &log_});
    const object::ResourceHub* hubs[] = {object::FindResource("", "v1", "configmaps")->hub,
                                         object::FindResource("", "v1", "nodes")->hub};
    storages_ = std::move(*StorageSet::Make(hubs, *environment_));
    storages_->Start();
    ASSERT_TRUE(storages_->WaitUntilReady(clock_.Monotonic() + std::chrono::seconds(60)));
  }
  void TearDown() override { storages_->Stop(); }

  ResourceStorage* Storage(std::string_view resource) {
    return storages_->Find(object::FindResource("", "v1", resource)->hub);
  }
  object::Document Read(std::string_view resource, std::string_view metadata) {
    return std::move(*object::DecodeJson(R"({"metadata":)" + std::string(metadata) + "}",
                                         Storage(resource)->desc().stored));
  }

  // Writes an object with this metadata as ns/a, and with it what `also` has. The message of the
  // error, or nothing.
  std::string Write(std::string_view resource, std::string_view metadata,
                    store::Transaction also = {}) {
    ObjectChange change;
    change.storage = Storage(resource);
    change.name_space = change.storage->namespaced() ? "ns" : "";
    change.name = "a";
    change.decide = [this, resource, metadata, also](const CurrentObject*) -> Result<Change> {
      return Change{Change::Kind::kWrite, Read(resource, metadata), also};
    };
    std::promise<Result<Changed>> done;
    ChangeObject(std::move(change),
                 [&](Result<Changed> changed) { done.set_value(std::move(changed)); });
    const Result<Changed> changed = done.get_future().get();
    if (changed) return "";
    EXPECT_EQ(changed.error().code(), 500);
    return changed.error().message();
  }
  size_t Stored() {
    return store::RangeAndWait(*store_, {.range = store::KeyRange::Prefix("/registry/")})
        ->entries.size();
  }

  SystemClock clock_;
  SystemRandom random_;
  MemoryLogSink sink_;
  Log log_{clock_, sink_};
  std::shared_ptr<store::MemoryDisk> disk_ = std::make_shared<store::MemoryDisk>();
  std::unique_ptr<store::EmbeddedStore> store_;
  std::unique_ptr<store::LeasePool> leases_;
  std::unique_ptr<StorageEnvironment> environment_;
  std::unique_ptr<StorageSet> storages_;
};

TEST_F(StoredNamesTest, AnObjectIsNotStoredUnderAnotherNameThanItsOwn) {
  EXPECT_EQ(Write("configmaps", R"({"name":"b","namespace":"ns"})"),
            "the key /registry/configmaps/ns/a cannot hold the object ns/b");
  EXPECT_EQ(Write("configmaps", R"({"name":"a","namespace":"other"})"),
            "the key /registry/configmaps/ns/a cannot hold the object other/a");
  EXPECT_EQ(Write("configmaps", R"({"name":"a"})"),
            "the key /registry/configmaps/ns/a cannot hold the object a");
  EXPECT_EQ(Write("configmaps", R"({"namespace":"ns"})"),
            "the key /registry/configmaps/ns/a cannot hold the object ns/");
  EXPECT_EQ(Write("nodes", R"({"name":"b"})"),
            "the key /registry/minions/a cannot hold the object b");
  EXPECT_EQ(Stored(), 0U);
  EXPECT_NE(sink_.Text().find("has another name than its key"), std::string::npos) << sink_.Text();
  EXPECT_NE(sink_.Text().find("key=\"/registry/minions/a\" object=\"b\""), std::string::npos);
}

TEST_F(StoredNamesTest, AnObjectOfItsNameIsStored) {
  EXPECT_EQ(Write("configmaps", R"({"name":"a","namespace":"ns"})"), "");
  EXPECT_EQ(Write("nodes", R"({"name":"a"})"), "");
  EXPECT_EQ(Stored(), 2U);
  EXPECT_EQ(sink_.Text(), "");
}

TEST_F(StoredNamesTest, WhatIsWrittenWithItLiesUnderItsNameToo) {
  const auto with = [this](const std::string& key, std::string_view metadata) {
    const object::Document other = Read("configmaps", metadata);
    store::Transaction also;
    also.writes.push_back({store::Write::Kind::kPut, key, object::EncodeStorage(other.root()), {}});
    return also;
  };
  const std::string_view own = R"({"name":"a","namespace":"ns"})";
  EXPECT_EQ(Write("configmaps", own,
                  with("/registry/configmaps/ns/b", R"({"name":"c","namespace":"ns"})")),
            "the key /registry/configmaps/ns/b cannot hold the object ns/c");
  EXPECT_EQ(Stored(), 0U);
  EXPECT_EQ(Write("configmaps", own,
                  with("/registry/configmaps/ns/b", R"({"name":"b","namespace":"ns"})")),
            "");
  EXPECT_EQ(Stored(), 2U);
}

}  // namespace
}  // namespace skiff::apiserver
