// What tests of behaviours share: services over a store in memory, written as the handlers do it.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "apiserver/registry/services.h"
#include "apiserver/rest/errors.h"
#include "apiserver/rest/object_change.h"
#include "apiserver/rest/object_meta.h"
#include "apiserver/rest/object_output.h"
#include "apiserver/rest/storage_set.h"
#include "base/clock.h"
#include "base/random.h"
#include "object/json/decode.h"
#include "object/json/encode.h"
#include "object/protobuf/envelope.h"
#include "store/blocking.h"
#include "store/embedded/embedded_store.h"
#include "store/embedded/memory_engine.h"
#include "store/lease_pool.h"

namespace skiff {

class ServiceTestBase : public ::testing::Test {
 protected:
  // The settings may have ranges; otherwise 10.0.0.0/24.
  void Open(ServiceSettings settings = {}) {
    EmbeddedOptions options;
    options.open_engine = [this] { return disk_->Open(); };
    options.clock = &clock_;
    options.random = &random_;
    options.compaction_interval = Duration(0);
    auto store = EmbeddedStore::Open(std::move(options));
    ASSERT_TRUE(store) << store.error().ToString();
    store_ = std::move(*store);
    leases_ = std::make_unique<LeasePool>(*store_, clock_);
    environment_ = std::make_unique<StorageEnvironment>(
        StorageEnvironment{*store_, clock_, random_, *leases_});
    const ResourceHub* hubs[] = {FindResource("", "v1", "services")->hub,
                                 FindResource("", "v1", "endpoints")->hub,
                                 FindResource("networking.k8s.io", "v1", "ipaddresses")->hub,
                                 FindResource("networking.k8s.io", "v1", "servicecidrs")->hub};
    auto storages = StorageSet::Make(hubs, *environment_);
    ASSERT_TRUE(storages) << storages.error().ToString();
    storages_ = std::move(*storages);
    storages_->Start();
    ASSERT_TRUE(storages_->WaitUntilReady(clock_.Monotonic() + std::chrono::seconds(10)));
    services_ = std::make_unique<ServiceBehaviour>(*storages_, std::move(settings));
    ASSERT_TRUE(services_->Follow());
  }
  void TearDown() override {
    services_.reset();
    if (storages_) storages_->Stop();
  }

  ResourceStorage* Storage(std::string_view group, std::string_view resource) {
    return storages_->Find(FindResource(group, "v1", resource)->hub);
  }
  ResourceStorage* Services() { return Storage("", "services"); }

  // `spec` as JSON. The answer is the spec that was stored, or the error's message.
  std::string Create(const std::string& name, const std::string& spec, bool dry_run = false) {
    const std::string json =
        R"({"metadata":{"name":")" + name + R"(","namespace":"ns"},"spec":)" + spec + "}";
    ObjectChange change = NewChange(name, dry_run);
    change.assume_absent = true;
    change.decide = [this, json, dry_run](const CurrentObject* current) -> Result<Change> {
      if (current != nullptr) return Fail(StatusReason::kAlreadyExists, "exists");
      Change out;
      out.kind = Change::Kind::kWrite;
      SKIFF_ASSIGN_OR_RETURN(out.object, DecodeJson(json, Services()->desc().stored));
      WriteContext write = Write(out, dry_run);
      SKIFF_RETURN_IF_ERROR(services_->PrepareForCreate(write, out.object));
      return out;
    };
    return Run(std::move(change));
  }
  // `spec` has what shall change.
  std::string Update(const std::string& name, const std::string& spec) {
    ObjectChange change = NewChange(name, false);
    change.decide = [this, spec](const CurrentObject* current) -> Result<Change> {
      if (current == nullptr) return Fail(StatusReason::kNotFound, "not there");
      SKIFF_ASSIGN_OR_RETURN(Document old, current->Decode());
      SKIFF_ASSIGN_OR_RETURN(const Document patch,
                             DecodeJson(R"({"spec":)" + spec + "}", Services()->desc().stored));
      Change out;
      out.kind = Change::Kind::kWrite;
      out.object = old.Copy();
      Value* target = out.object.root().Find("spec");
      const Value& changes = *patch.root().Find("spec");
      for (const Value& member : changes.members()) {
        target->SetMember(out.object.arena(), member.field(), member.CopyInto(out.object.arena()));
      }
      WriteContext write = Write(out, false);
      SKIFF_RETURN_IF_ERROR(services_->PrepareForUpdate(write, old, out.object));
      return out;
    };
    return Run(std::move(change));
  }
  void Delete(const std::string& name) {
    ObjectChange change = NewChange(name, false);
    change.decide = [this](const CurrentObject* current) -> Result<Change> {
      if (current == nullptr) return Fail(StatusReason::kNotFound, "not there");
      Change out;
      out.kind = Change::Kind::kRemove;
      SKIFF_ASSIGN_OR_RETURN(out.object, current->Decode());
      WriteContext write = Write(out, false);
      SKIFF_RETURN_IF_ERROR(services_->OnRemove(write, out.object));
      return out;
    };
    Run(std::move(change));
  }

  // The text of a member of a spec, without quotes.
  static std::string Member(const std::string& spec, const std::string& name) {
    const std::string key = "\"" + name + "\":";
    const size_t at = spec.find(key);
    if (at == std::string::npos) return "";
    const size_t begin = at + key.size();
    const size_t end = spec.find_first_of(spec[begin] == '[' ? "]" : ",}", begin);
    std::string out = spec.substr(begin, end - begin + (spec[begin] == '[' ? 1 : 0));
    std::erase(out, '"');
    return out;
  }
  // The IPAddress objects, "10.0.0.3=ns/a".
  std::vector<std::string> Addresses() {
    std::vector<std::string> out;
    const auto reply = RangeAndWait(*store_, {.range = KeyRange::Prefix("/registry/ipaddresses/")});
    for (const KeyValue& entry : reply->entries) {
      const auto object = DecodeStored(entry.value.view(), {});
      const Value* parent = object->root().FindPath({"spec", "parentRef"});
      out.push_back(entry.key.substr(std::string_view("/registry/ipaddresses/").size()) + "=" +
                    std::string(parent->Find("namespace")->AsText()) + "/" +
                    std::string(parent->Find("name")->AsText()));
    }
    return out;
  }
  std::vector<int32_t> TakenPorts() {
    const auto reply =
        RangeAndWait(*store_, {.range = KeyRange::Single("/registry/ranges/servicenodeports")});
    if (reply->entries.empty()) return {};
    return PortBitmap::Decode(30000, 32767, reply->entries[0].value.view())->Taken();
  }

  SystemClock clock_;
  SystemRandom random_;
  std::shared_ptr<MemoryDisk> disk_ = std::make_shared<MemoryDisk>();
  std::unique_ptr<EmbeddedStore> store_;
  std::unique_ptr<LeasePool> leases_;
  std::unique_ptr<StorageEnvironment> environment_;
  std::unique_ptr<StorageSet> storages_;
  std::unique_ptr<ServiceBehaviour> services_;

 private:
  ObjectChange NewChange(const std::string& name, bool dry_run) {
    ObjectChange change;
    change.storage = Services();
    change.name_space = "ns";
    change.name = name;
    change.dry_run = dry_run;
    return change;
  }
  WriteContext Write(Change& change, bool dry_run) {
    return {*Services()->hub().resource, {}, NowOf(clock_), random_, nullptr, change.also, dry_run};
  }
  static std::string Run(ObjectChange change) {
    const Result<Changed> changed =
        Await<Changed>([&](auto done) { ChangeObject(std::move(change), std::move(done)); });
    if (!changed) return changed.error().message();
    const Result<Document> object = DecodeStored(changed->bytes.view(), {});
    return EncodeJson(*object->root().Find("spec"));
  }
};

}  // namespace skiff
