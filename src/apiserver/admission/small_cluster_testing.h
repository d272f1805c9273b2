// For tests of plugins: the storages of some resources over a store in memory, and writes that go
// through one plugin as the handlers do it.
#pragma once

#include <future>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "apiserver/admission/plugin.h"
#include "apiserver/defaults/testing.h"
#include "apiserver/rest/object_change.h"
#include "apiserver/rest/object_meta.h"
#include "apiserver/rest/object_output.h"
#include "base/clock.h"
#include "base/random.h"
#include "object/json/decode.h"
#include "object/json/encode.h"
#include "object/protobuf/envelope.h"
#include "store/blocking.h"
#include "store/embedded/embedded_store.h"
#include "store/embedded/memory_engine.h"
#include "store/lease_pool.h"

namespace skiff::apiserver {

// A write, and what came of it.
struct TestWrite {
  std::string group = {};
  std::string resource;
  std::string name;
  std::string object;  // as JSON; metadata may be left out
  std::string subresource = {};
  bool update = false;
  bool dry_run = false;
  std::string user = "alice";
};

struct TestOutcome {
  std::string error;   // empty: it was written
  std::string object;  // as stored, as JSON
  int code = 0;
  std::vector<std::string> warnings;
  std::map<std::string, std::string> audit;
};

class SmallCluster {
 public:
  SmallCluster() {
    store::EmbeddedOptions options;
    options.open_engine = [this] { return disk_->Open(); };
    options.clock = &clock_;
    options.random = &random_;
    options.compaction_interval = Duration(0);
    store_ = std::move(*store::EmbeddedStore::Open(std::move(options)));
    leases_ = std::make_unique<store::LeasePool>(*store_, clock_);
    environment_ = std::make_unique<StorageEnvironment>(
        StorageEnvironment{*store_, clock_, random_, *leases_, KindDefaults()});
    std::vector<const object::ResourceHub*> hubs;
    for (const char* name : {"namespaces", "pods", "services", "persistentvolumeclaims",
                             "resourcequotas", "limitranges", "configmaps"}) {
      hubs.push_back(object::FindResource("", "v1", name)->hub);
    }
    hubs.push_back(object::FindResource("apps", "v1", "deployments")->hub);
    hubs.push_back(object::FindResource("batch", "v1", "cronjobs")->hub);
    hubs.push_back(object::FindResource("resource.k8s.io", "v1", "resourceclaims")->hub);
    hubs.push_back(object::FindResource("resource.k8s.io", "v1", "deviceclasses")->hub);
    storages_ = std::move(*StorageSet::Make(hubs, *environment_));
    storages_->Start();
    EXPECT_TRUE(storages_->WaitUntilReady(clock_.Monotonic() + std::chrono::seconds(60)));
  }
  ~SmallCluster() { storages_->Stop(); }

  std::unique_ptr<AdmissionPlugin> Make(MakePlugin make, std::string_view config = {}) {
    auto plugin = make({*storages_, clock_, authorizer_}, config);
    EXPECT_TRUE(plugin) << plugin.error().ToString();
    return std::move(*plugin);
  }

  ResourceStorage* Storage(std::string_view group, std::string_view resource) {
    return storages_->Find(object::FindResource(group, "v1", resource)->hub);
  }

  // Starts a write; `done` is called with what came of it.
  void Start(AdmissionPlugin& plugin, TestWrite write,
             std::move_only_function<void(TestOutcome)> done) {
    const auto outcome = std::make_shared<TestOutcome>();
    ResourceStorage* storage = Storage(write.group, write.resource);
    ObjectChange change;
    change.storage = storage;
    change.name_space = storage->namespaced() ? "ns" : "";
    change.name = write.name;
    change.dry_run = write.dry_run;
    change.assume_absent = !write.update;
    change.decide = [this, &plugin, write, storage, outcome](const CurrentObject* current) {
      return Decide(plugin, write, *storage, current, *outcome);
    };
    ChangeObject(
        std::move(change), [outcome, done = std::move(done)](Result<Changed> changed) mutable {
          if (!changed) {
            outcome->error = changed.error().message();
            outcome->code = changed.error().code();
          } else {
            const Result<object::Document> object = DecodeStored(changed->bytes.view(), {});
            outcome->object = object ? object::EncodeJson(object->root()) : "not an object";
          }
          done(std::move(*outcome));
        });
  }
  TestOutcome Write(AdmissionPlugin& plugin, TestWrite write) {
    std::promise<TestOutcome> promise;
    Start(plugin, std::move(write),
          [&promise](TestOutcome outcome) { promise.set_value(std::move(outcome)); });
    return promise.get_future().get();
  }
  // Without admission.
  void Put(const std::string& resource, const std::string& name, const std::string& object,
           const std::string& group = {}) {
    AdmissionPlugin none;
    const TestOutcome outcome =
        Write(none, {.group = group, .resource = resource, .name = name, .object = object});
    ASSERT_EQ(outcome.error, "");
  }
  // A member of the stored object, as JSON.
  std::string Stored(const std::string& resource, const std::string& name,
                     std::initializer_list<std::string_view> path) {
    ResourceStorage* storage = Storage("", resource);
    const auto reply = store::RangeAndWait(
        *store_,
        {.range = store::KeyRange::Single(storage->Key(storage->namespaced() ? "ns" : "", name))});
    if (!reply || reply->entries.empty()) return "not there";
    const auto object = DecodeStored(reply->entries[0].value.view(), {});
    const object::Value* found = object->root().FindPath(path);
    return found != nullptr ? object::EncodeJson(*found) : "";
  }

 private:
  class AllowAll final : public serving::Authorizer {
    void Authorize(const serving::AccessAttributes&,
                   std::move_only_function<void(serving::AuthorizationResult)> done) override {
      done(serving::AuthorizationResult{});
    }
  };

  Result<Change> Decide(AdmissionPlugin& plugin, const TestWrite& write, ResourceStorage& storage,
                        const CurrentObject* current, TestOutcome& outcome) {
    if (current != nullptr && !write.update) return Fail(StatusReason::kAlreadyExists, "exists");
    Change change;
    change.kind = Change::Kind::kWrite;
    SKIFF_ASSIGN_OR_RETURN(change.object, object::DecodeJson(write.object, storage.desc().stored));
    object::Document old;
    if (write.update) {
      if (current == nullptr) return Fail(StatusReason::kNotFound, "not there");
      SKIFF_ASSIGN_OR_RETURN(old, current->Decode());
    }
    const object::ResourceDesc& resource = *object::FindResource(write.group, "v1", write.resource);
    MetaOf meta(change.object);
    meta.SetText("name", write.name);
    if (storage.namespaced()) meta.SetText("namespace", "ns");
    if (meta.uid().empty()) meta.SetText("uid", "uid-of-" + write.name);
    const serving::UserInfo user{.name = write.user, .uid = {}, .groups = {}, .extra = {}};
    AdmissionRequest request{
        .operation = write.update ? AdmissionOperation::kUpdate : AdmissionOperation::kCreate,
        .resource = resource,
        .subresource = write.subresource,
        .name_space = storage.namespaced() ? "ns" : "",
        .name = write.update ? std::string_view(write.name) : std::string_view(),
        .user = user,
        .now = NowOf(clock_),
        .random = random_,
        .dry_run = write.dry_run,
        .object = &change.object,
        .old = write.update ? &old : nullptr,
        .transaction = change.also,
        .warnings = outcome.warnings,
        .audit_annotations = &outcome.audit,
        .charges = &change.charges};
    SKIFF_RETURN_IF_ERROR(plugin.Mutate(request));
    SKIFF_RETURN_IF_ERROR(plugin.Validate(request));
    return change;
  }

  SystemClock clock_;
  SystemRandom random_;
  AllowAll authorizer_;
  std::shared_ptr<store::MemoryDisk> disk_ = std::make_shared<store::MemoryDisk>();
  std::unique_ptr<store::EmbeddedStore> store_;
  std::unique_ptr<store::LeasePool> leases_;
  std::unique_ptr<StorageEnvironment> environment_;
  std::unique_ptr<StorageSet> storages_;
};

}  // namespace skiff::apiserver
