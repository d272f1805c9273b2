// A plugin on its own, over a store in memory, for tests.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "apiserver/admission/plugins.h"
#include "apiserver/defaults/testing.h"
#include "apiserver/rest/object_meta.h"
#include "base/random.h"
#include "object/json/decode.h"
#include "object/json/encode.h"
#include "object/protobuf/envelope.h"
#include "store/blocking.h"
#include "store/embedded/embedded_store.h"
#include "store/embedded/memory_engine.h"
#include "store/lease_pool.h"

namespace skiff::testing {

// Allows what it is told to: "verb group/resource/subresource namespace/name", empty parts
// included.
class ScriptedAuthorizer final : public serving::Authorizer {
 public:
  void Authorize(const serving::AccessAttributes& attributes,
                 std::move_only_function<void(serving::AuthorizationResult)> done) override {
    const std::string asked =
        std::string(attributes.verb) + " " + std::string(attributes.group) + "/" +
        std::string(attributes.resource) + "/" + std::string(attributes.subresource) + " " +
        std::string(attributes.name_space) + "/" + std::string(attributes.name);
    done({allowed.contains(asked) ? serving::Decision::kAllow : serving::Decision::kNoOpinion, "",
          ""});
  }
  std::set<std::string> allowed;
};

// What is asked of a plugin. Objects are JSON; empty: there is none.
struct Asked {
  apiserver::AdmissionOperation operation = apiserver::AdmissionOperation::kCreate;
  std::string resource = "pods";  // "group/name", or "name" of the core group
  std::string subresource = {};
  std::string name_space = "ns";
  std::string name = "x";
  std::string object = {};
  std::string old = {};
  serving::UserInfo user = {};
  bool dry_run = false;
};

// The answer of a plugin, or of a chain none of whose plugins waits.
inline Result<void> AtOnce(Result<void> result) { return result; }
inline Result<void> AtOnce(MaybeTask<Result<void>> asked) {
  EXPECT_TRUE(asked.ready());
  return std::move(asked).TakeValue();
}

class PluginTest : public ::testing::Test {
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
    environment_ = std::make_unique<apiserver::StorageEnvironment>(apiserver::StorageEnvironment{
        *store_, clock_, random_, *leases_, apiserver::KindDefaults()});
    std::vector<const object::ResourceHub*> hubs;
    for (const std::string_view name :
         {"namespaces", "pods", "nodes", "serviceaccounts", "persistentvolumeclaims",
          "persistentvolumes", "scheduling.k8s.io/priorityclasses", "scheduling.k8s.io/workloads",
          "scheduling.k8s.io/podgroups", "storage.k8s.io/storageclasses",
          "storage.k8s.io/csidrivers", "networking.k8s.io/ingressclasses",
          "node.k8s.io/runtimeclasses", "configmaps",
          "admissionregistration.k8s.io/validatingadmissionpolicies",
          "admissionregistration.k8s.io/validatingadmissionpolicybindings",
          "admissionregistration.k8s.io/mutatingadmissionpolicies",
          "admissionregistration.k8s.io/mutatingadmissionpolicybindings"}) {
      hubs.push_back(Resource(name).hub);
    }
    auto storages = apiserver::StorageSet::Make(hubs, *environment_);
    ASSERT_TRUE(storages) << storages.error().ToString();
    storages_ = std::move(*storages);
    storages_->Start();
    ASSERT_TRUE(storages_->WaitUntilReady(clock_.Monotonic() + std::chrono::seconds(60)));
    Add(R"({"apiVersion":"v1","kind":"Namespace","metadata":{"name":"ns"},
            "status":{"phase":"Active"}})");
  }
  void TearDown() override {
    plugin_.reset();
    if (storages_) storages_->Stop();
  }

  static const object::ResourceDesc& Resource(std::string_view path) {
    const size_t slash = path.find('/');
    const bool core = slash == std::string_view::npos;
    const object::ResourceDesc* found = object::FindPreferredResource(
        core ? "" : path.substr(0, slash), core ? path : path.substr(slash + 1));
    EXPECT_NE(found, nullptr) << path;
    return *found;
  }

  apiserver::PluginContext Context() {
    return {*storages_, clock_, authorizer_,
            [this](Gate gate) { return gates_.contains(gate.name()); }};
  }
  // The plugin that the test is about.
  void Make(apiserver::MakePlugin make, std::string_view config_json = {}) {
    auto made = make(Context(), config_json);
    ASSERT_TRUE(made) << made.error().ToString();
    plugin_ = std::move(*made);
  }
  static std::string Fault(const Result<std::unique_ptr<apiserver::AdmissionPlugin>>& made) {
    return made ? "" : made.error().ToString();
  }

  // Stores an object whose resource is one of those above.
  void Add(const std::string& json) {
    const auto type = object::PeekTypeMeta(json);
    ASSERT_TRUE(type.has_value());
    for (const auto& storage : storages_->all()) {
      if (storage->hub().resource->kind_name != type->kind) continue;
      auto object = object::DecodeJson(json, storage->desc().stored);
      ASSERT_TRUE(object) << object.error().ToString();
      object->root().Set(object->arena(), "apiVersion", object::Value::String(type->api_version));
      object->root().Set(object->arena(), "kind", object::Value::String(type->kind));
      const apiserver::MetaOf meta(*object);
      std::string bytes;
      object::EncodeStorage(object->root(), &bytes);
      store::Transaction put;
      put.writes.push_back({store::Write::Kind::kPut, storage->Key(meta.name_space(), meta.name()),
                            SharedBytes(bytes), store::LeaseId{}});
      const auto committed = store::CommitAndWait(*store_, std::move(put));
      ASSERT_TRUE(committed && committed->succeeded);
      return;
    }
    FAIL() << type->kind << " is not stored here";
  }

  // Runs both phases; empty: admitted. What became of the object is in object_.
  std::string Ask(const Asked& asked) { return Ask(asked, *plugin_); }

  template <typename AnyAdmission>
  std::string Ask(const Asked& asked, AnyAdmission& admission) {
    const object::ResourceDesc& resource = Resource(asked.resource);
    const object::MessageDesc* type = resource.kind;
    if (const object::SubresourceDesc* sub = resource.FindSubresource(asked.subresource))
      type = sub->kind;
    object::Document object;
    object::Document old;
    Decode(asked.object, type, object);
    Decode(asked.old, resource.kind, old);
    transaction_ = {};
    warnings_.clear();
    annotations_.clear();
    awaited_ = {};
    awaited_.is_retry = has_retried_;
    apiserver::AdmissionRequest request{.operation = asked.operation,
                                        .resource = resource,
                                        .subresource = asked.subresource,
                                        .name_space = asked.name_space,
                                        .name = asked.name,
                                        .user = asked.user,
                                        .now = apiserver::NowOf(clock_),
                                        .random = random_,
                                        .dry_run = asked.dry_run,
                                        .object = asked.object.empty() ? nullptr : &object,
                                        .old = asked.old.empty() ? nullptr : &old,
                                        .transaction = transaction_,
                                        .warnings = warnings_,
                                        .audit_annotations = &annotations_,
                                        .awaited = &awaited_};
    Result<void> result = AtOnce(admission.Mutate(request));
    if (result) result = AtOnce(admission.Validate(request));
    object_ = asked.object.empty() ? "" : object::EncodeJson(object.root());
    status_.reset();
    if (result) return {};
    status_ = std::make_unique<Status>(result.error());
    return status_->message();
  }
  // The same as a create of a pod with this spec.
  std::string AskPod(const std::string& spec, const std::string& metadata = R"("name":"x")") {
    return Ask({.object = Pod(spec, metadata)});
  }
  static std::string Pod(const std::string& spec, const std::string& metadata = R"("name":"x")") {
    return R"({"metadata":{)" + metadata + R"(},"spec":)" + spec + "}";
  }
  // Whether the object now has this text somewhere in its JSON.
  bool Has(std::string_view text) const { return object_.find(text) != std::string::npos; }

  static void Decode(const std::string& json, const object::MessageDesc* type,
                     object::Document& out) {
    if (json.empty()) return;
    auto decoded = object::DecodeJson(json, type);
    ASSERT_TRUE(decoded) << json << ": " << decoded.error().ToString();
    out = std::move(*decoded);
  }

  SystemClock clock_;
  SystemRandom random_;
  std::set<std::string, std::less<>> gates_;
  ScriptedAuthorizer authorizer_;
  std::unique_ptr<apiserver::AdmissionPlugin> plugin_;
  std::string object_;
  std::unique_ptr<Status> status_;  // of the last refusal
  store::Transaction transaction_;
  std::vector<std::string> warnings_;
  std::map<std::string, std::string> annotations_;  // of the last audit event
  apiserver::AwaitedObject awaited_;
  bool has_retried_ = false;  // for what an earlier try lacked

 private:
  std::shared_ptr<store::MemoryDisk> disk_ = std::make_shared<store::MemoryDisk>();
  std::unique_ptr<store::EmbeddedStore> store_;
  std::unique_ptr<store::LeasePool> leases_;
  std::unique_ptr<apiserver::StorageEnvironment> environment_;
  std::unique_ptr<apiserver::StorageSet> storages_;
};

}  // namespace skiff::testing
