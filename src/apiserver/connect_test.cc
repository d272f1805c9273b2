// Clients within the process, against a whole server without a listener on a store in memory.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <future>

#include <gtest/gtest.h>

#include "apiserver/server_testing.h"
#include "base/limits.h"
#include "object/json/encode.h"

namespace skiff::apiserver {
namespace {

struct RecordingSink final : client::ClientWatchSink {
  std::vector<client::ClientEvent> events;
  bool ended = false;
  std::optional<Status> why;

  void OnEvents(std::span<const client::ClientEvent> batch) override {
    events.insert(events.end(), batch.begin(), batch.end());
  }
  void OnEnd(std::optional<Status> reason) override {
    EXPECT_FALSE(ended);
    ended = true;
    why = std::move(reason);
  }
  const client::ClientEvent* Find(client::ClientEvent::Type type, std::string_view name) const {
    for (const client::ClientEvent& event : events) {
      if (event.type == type && client::NameOf(*event.object).name == name) return &event;
    }
    return nullptr;
  }
};

serving::UserInfo Ann() {
  return {.name = "ann", .uid = {}, .groups = {serving::kAuthenticatedGroup}, .extra = {}};
}

const client::ApiResource& ConfigMaps() { return client::BuiltIn("", "v1", "configmaps"); }
const client::ApiResource& Namespaces() { return client::BuiltIn("", "v1", "namespaces"); }

client::ObjectPtr ConfigMap(const std::string& name, const std::string& value = "1") {
  return *client::ParseObject(ConfigMaps(), R"({"metadata":{"name":")" + name +
                                                R"(","namespace":"default"},"data":{"a":")" +
                                                value + "\"}}");
}

class ConnectTest : public ServerWithinTest {
 protected:
  Result<client::ClientReply> Ask(client::ClientCall call) {
    return Await(client().Send(std::move(call)));
  }
};

TEST_F(ConnectTest, AServerWithoutAListenerHasNoAddresses) {
  EXPECT_TRUE(server_->addresses().empty());
}

// The server itself writes from time to time, too, and may be the one whose write fails.
TEST_F(ConnectTest, AWriteWhoseOutcomeTheStoreDoesNotKnowIsATimeout) {
  Result<client::ObjectPtr> made = Await(client().Create(ConfigMaps(), ConfigMap("c0")));
  ASSERT_TRUE(made) << made.error().ToString();
  for (int i = 1; made || made.error().reason() == StatusReason::kServiceUnavailable; ++i) {
    ASSERT_TRUE(Eventually([&] { return store_->Health().writable; }));
    disk_->FailWrite(1, store::MemoryDisk::Outcome::kApplied);
    made = Await(client().Create(ConfigMaps(), ConfigMap("c" + std::to_string(i))));
    ASSERT_LT(i, 100);
  }
  EXPECT_EQ(made.error().reason(), StatusReason::kTimeout);
  EXPECT_EQ(made.error().code(), 504);
  EXPECT_NE(made.error().message().find("not known"), std::string::npos) << made.error().message();
}

TEST_F(ConnectTest, WhatIsWrittenIsReadAsDocumentsOfTheVersionAskedFor) {
  const Result<client::ObjectPtr> made = Await(client().Create(ConfigMaps(), ConfigMap("c")));
  ASSERT_TRUE(made) << made.error().ToString();
  EXPECT_EQ((*made)->kind(), "ConfigMap");
  EXPECT_FALSE(client::UidOf(**made).empty());
  EXPECT_FALSE(client::ResourceVersionOf(**made).empty());
  const Result<client::ObjectPtr> read = Await(client().Get(ConfigMaps(), {"default", "c"}));
  ASSERT_TRUE(read);
  EXPECT_EQ((*read)->root().FindPath({"data", "a"})->AsText(), "1");
}

TEST_F(ConnectTest, AnObjectIsDecodedOnceForAllThatHoldIt) {
  const Result<client::ObjectPtr> made = Await(client().Create(ConfigMaps(), ConfigMap("c")));
  ASSERT_TRUE(made);
  // Until the cache has caught up, a server that has just started reads from the store.
  Result<client::ObjectPtr> read = nullptr;
  EXPECT_TRUE(Eventually([&] {
    read = Await(client().Get(ConfigMaps(), {"default", "c"}));
    return read && made->get() == read->get();
  }));
  const auto listed = Ask({.verb = client::ClientVerb::kList,
                           .resource = &ConfigMaps(),
                           .target = {"default", ""},
                           .field_selector = "metadata.name=c"});
  ASSERT_TRUE(listed);
  ASSERT_EQ(listed->items.size(), 1U);
  EXPECT_EQ(listed->items[0].get(), read->get());
  EXPECT_FALSE(listed->resource_version.empty());
}

TEST_F(ConnectTest, AnswersComeAfterTheCallHasReturned) {
  bool answered = false;
  admin_->Send({.resource = &Namespaces(), .target = {"", "default"}},
               [&](const Result<client::ClientReply>& reply) {
                 answered = true;
                 EXPECT_TRUE(reply);
               });
  EXPECT_FALSE(answered);
  EXPECT_TRUE(executor_.Until([&] { return answered; }));
}

TEST_F(ConnectTest, WhoMayNotIsToldWhatHttpClientsAreTold) {
  const auto ann = server_->Connect(Ann(), executor_);
  client::Client client(*ann, "test");
  const Result<client::ObjectPtr> get = Await(client.Get(ConfigMaps(), {"default", "c"}));
  ASSERT_FALSE(get);
  EXPECT_EQ(get.error().reason(), StatusReason::kForbidden);
  EXPECT_EQ(get.error().message(),
            "configmaps \"c\" is forbidden: User \"ann\" cannot get resource \"configmaps\" in API "
            "group \"\" in the namespace \"default\"");
  ASSERT_NE(get.error().subject(), nullptr);
  EXPECT_EQ(get.error().subject()->name, "c");
  EXPECT_EQ(get.error().subject()->kind, "configmaps");
  const Result<client::ObjectPtr> create = Await(client.Create(ConfigMaps(), ConfigMap("c")));
  ASSERT_FALSE(create);
  EXPECT_EQ(create.error().message(),
            "configmaps is forbidden: User \"ann\" cannot create resource \"configmaps\" in API "
            "group \"\" in the namespace \"default\"");
  const Result<client::ObjectPtr> name_space = Await(client.Get(Namespaces(), {"", "default"}));
  ASSERT_FALSE(name_space);
  EXPECT_EQ(name_space.error().message(),
            "namespaces \"default\" is forbidden: User \"ann\" cannot get resource \"namespaces\" "
            "in API group \"\" in the namespace \"default\"");
  RecordingSink sink;
  const auto watch = ann->Watch({.resource = &ConfigMaps()}, &sink);
  ASSERT_TRUE(executor_.Until([&] { return sink.ended; }));
  EXPECT_EQ(sink.why->reason(), StatusReason::kForbidden);
}

TEST_F(ConnectTest, ValidationAndAdmissionHaveTheirSay) {
  const Result<client::ObjectPtr> invalid =
      Await(client().Create(ConfigMaps(), ConfigMap("Not_A_Name")));
  ASSERT_FALSE(invalid);
  EXPECT_EQ(invalid.error().reason(), StatusReason::kInvalid);
  EXPECT_EQ(invalid.error().field(), "metadata.name");
  const Result<client::ObjectPtr> nowhere = Await(client().Create(
      ConfigMaps(),
      *client::ParseObject(ConfigMaps(), R"({"metadata":{"name":"c","namespace":"no"}})")));
  ASSERT_FALSE(nowhere);
  EXPECT_EQ(nowhere.error().reason(), StatusReason::kNotFound);
  const Result<void> kept = Await(client().Delete(Namespaces(), {"", "kube-system"}));
  ASSERT_FALSE(kept);
  EXPECT_EQ(kept.error().reason(), StatusReason::kForbidden);
}

TEST_F(ConnectTest, NamesThatAreNoNamesLeadNowhere) {
  for (const std::string name : {"", "..", "a/b", "a\nb"}) {
    const Result<client::ObjectPtr> got = Await(client().Get(ConfigMaps(), {"default", name}));
    ASSERT_FALSE(got) << name;
    EXPECT_EQ(got.error().reason(), StatusReason::kBadRequest) << name;
  }
}

TEST_F(ConnectTest, UpdatesPatchesAndAppliesChangeWhatIsThere) {
  const Result<client::ObjectPtr> made = Await(client().Create(ConfigMaps(), ConfigMap("c")));
  ASSERT_TRUE(made);
  const auto copy = client::MutableCopy(**made);
  copy->root().Find("data")->SetEntry(copy->arena(), "b", object::Value::String("2"));
  const Result<client::ObjectPtr> updated = Await(client().Update(ConfigMaps(), copy));
  ASSERT_TRUE(updated) << updated.error().ToString();
  EXPECT_EQ((*updated)->root().FindPath({"data", "b"})->AsText(), "2");
  // The old one is too old by now.
  const Result<client::ObjectPtr> again = Await(client().Update(ConfigMaps(), *made));
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().reason(), StatusReason::kConflict);
  for (const auto& [type, patch] : std::initializer_list<std::pair<client::PatchType, std::string>>{
           {client::PatchType::kMerge, R"({"data":{"k":"merge"}})"},
           {client::PatchType::kStrategic, R"({"data":{"k":"strategic"}})"},
           {client::PatchType::kJson, R"([{"op":"replace","path":"/data/k","value":"json"}])"}}) {
    const Result<client::ObjectPtr> patched =
        Await(client().Patch(ConfigMaps(), {"default", "c"}, type, patch));
    ASSERT_TRUE(patched) << patched.error().ToString();
    EXPECT_NE(patch.find((*patched)->root().FindPath({"data", "k"})->AsText()), std::string::npos);
  }
  const auto applied =
      Ask({.verb = client::ClientVerb::kPatch,
           .resource = &ConfigMaps(),
           .target = {"default", "c"},
           .patch_type = client::PatchType::kApply,
           .patch = R"({"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"c"},)"
                    R"("data":{"k":"apply"}})",
           .force = true,
           .field_manager = "applier"});
  ASSERT_TRUE(applied) << applied.error().ToString();
  EXPECT_EQ(applied->object->root().FindPath({"data", "k"})->AsText(), "apply");
  ByteBuffer json;
  object::EncodeJson(applied->object->root(), json);
  EXPECT_NE(json.view().find("\"manager\":\"applier\""), std::string_view::npos);
}

TEST_F(ConnectTest, DeletionsHeedTheirPreconditions) {
  ASSERT_TRUE(Await(client().Create(ConfigMaps(), ConfigMap("c"))));
  const Result<void> other =
      Await(client().Delete(ConfigMaps(), {"default", "c"}, {.uid = "another"}));
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().reason(), StatusReason::kConflict);
  const auto gone = Ask({.verb = client::ClientVerb::kDelete,
                         .resource = &ConfigMaps(),
                         .target = {"default", "c"},
                         .deletion = {.propagation = "Background"}});
  ASSERT_TRUE(gone) << gone.error().ToString();
  EXPECT_EQ(gone->object, nullptr);
  const Result<client::ObjectPtr> read = Await(client().Get(ConfigMaps(), {"default", "c"}));
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().reason(), StatusReason::kNotFound);
}

TEST_F(ConnectTest, AForegroundDeletionLeavesItsFinalizer) {
  ASSERT_TRUE(Await(client().Create(ConfigMaps(), ConfigMap("c"))));
  const auto begun = Ask({.verb = client::ClientVerb::kDelete,
                          .resource = &ConfigMaps(),
                          .target = {"default", "c"},
                          .deletion = {.propagation = "Foreground"}});
  ASSERT_TRUE(begun);
  ASSERT_NE(begun->object, nullptr);
  EXPECT_TRUE(client::IsDeleting(*begun->object));
}

TEST_F(ConnectTest, ACollectionIsDeletedBySelector) {
  for (const char* name : {"a", "b", "c"}) {
    ASSERT_TRUE(Await(client().Create(ConfigMaps(), ConfigMap(name))));
  }
  const auto gone = Ask({.verb = client::ClientVerb::kDeleteCollection,
                         .resource = &ConfigMaps(),
                         .target = {"default", ""},
                         .field_selector = "metadata.name!=b"});
  ASSERT_TRUE(gone) << gone.error().ToString();
  std::vector<std::string> names;
  for (const client::ObjectPtr& item : gone->items) names.push_back(client::NameOf(*item).name);
  EXPECT_EQ(names, (std::vector<std::string>{"a", "c"})) << "it answers what it deleted";
  EXPECT_TRUE(Await(client().Get(ConfigMaps(), {"default", "b"})));
  EXPECT_FALSE(Await(client().Get(ConfigMaps(), {"default", "a"})));
}

TEST_F(ConnectTest, ComponentStatusesAreListedThoughNoneIsStored) {
  const client::ApiResource& components = client::BuiltIn("", "v1", "componentstatuses");
  const auto all = Ask({.verb = client::ClientVerb::kList, .resource = &components});
  ASSERT_TRUE(all) << all.error().ToString();
  ASSERT_EQ(all->items.size(), 3U);
  EXPECT_EQ(client::NameOf(*all->items[1]).name, "etcd-0");
  EXPECT_EQ(all->items[1]->kind(), "ComponentStatus");
  const auto one = Await(client().Get(components, {"", "etcd-0"}));
  ASSERT_TRUE(one) << one.error().ToString();
  EXPECT_EQ(client::NameOf(**one).name, "etcd-0");
}

TEST_F(ConnectTest, SoManyCallsAndWatchesAreOpenAndNoMore) {
  size_t well = 0;
  size_t refused = 0;
  const auto note = [&](const Result<client::ClientReply>& reply) {
    if (reply) ++well;
    if (!reply && reply.error().reason() == StatusReason::kTooManyRequests) ++refused;
  };
  for (size_t i = 0; i < limits::kMaxInProcessCalls + 3; ++i) {
    admin_->Send({.resource = &Namespaces(), .target = {"", "default"}}, note);
  }
  EXPECT_TRUE(executor_.Until([&] { return well + refused == limits::kMaxInProcessCalls + 3; }));
  EXPECT_EQ(refused, 3U);
  EXPECT_TRUE(Await(client().Get(Namespaces(), {"", "default"}))) << "there is room again";
}

TEST_F(ConnectTest, SubresourcesTakeAndGiveObjectsOfTheirOwnKind) {
  const client::ApiResource& accounts = client::BuiltIn("", "v1", "serviceaccounts");
  const client::ApiResource& deployments = client::BuiltIn("apps", "v1", "deployments");
  ASSERT_TRUE(Await(client().Create(
      deployments,
      *client::ParseObject(
          deployments, R"({"metadata":{"name":"d","namespace":"default"},"spec":{"replicas":3,)"
                       R"("selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":)"
                       R"({"a":"b"}},"spec":{"containers":[{"name":"c","image":"i"}]}}}})"))));
  const auto scale =
      Ask({.resource = &deployments, .target = {"default", "d"}, .subresource = "scale"});
  ASSERT_TRUE(scale) << scale.error().ToString();
  EXPECT_EQ(scale->object->kind(), "Scale");
  EXPECT_EQ(scale->object->root().FindPath({"spec", "replicas"})->AsInt(), 3);
  const Result<client::ObjectPtr> status =
      Await(client().Patch(deployments, {"default", "d"}, client::PatchType::kMerge,
                           R"({"status":{"replicas":2}})", "status"));
  ASSERT_TRUE(status);
  EXPECT_EQ((*status)->root().FindPath({"status", "replicas"})->AsInt(), 2);
  // Nobody signs tokens here.
  const auto token =
      Ask({.verb = client::ClientVerb::kCreate,
           .resource = &accounts,
           .target = {"default", "none"},
           .subresource = "token",
           .body = *client::ParseObject(client::BuiltIn("", "v1", "namespaces"), "{}")});
  EXPECT_FALSE(token);
}

TEST_F(ConnectTest, TwoClientsSeeEachOthersWrites) {
  const auto other = server_->Connect(Admin(), executor_);
  RecordingSink sink;
  const auto watch = other->Watch(
      {.resource = &ConfigMaps(), .name_space = "default", .send_initial_events = true}, &sink);
  ASSERT_TRUE(
      executor_.Until([&] { return !sink.events.empty() && sink.events.back().initial_end; }));
  ASSERT_TRUE(Await(client().Create(ConfigMaps(), ConfigMap("c"))));
  ASSERT_TRUE(Await(client().Patch(ConfigMaps(), {"default", "c"}, client::PatchType::kMerge,
                                   R"({"data":{"a":"2"}})")));
  ASSERT_TRUE(Await(client().Delete(ConfigMaps(), {"default", "c"})));
  ASSERT_TRUE(executor_.Until(
      [&] { return sink.Find(client::ClientEvent::Type::kDeleted, "c") != nullptr; }));
  const client::ClientEvent* added = sink.Find(client::ClientEvent::Type::kAdded, "c");
  const client::ClientEvent* modified = sink.Find(client::ClientEvent::Type::kModified, "c");
  ASSERT_NE(added, nullptr);
  ASSERT_NE(modified, nullptr);
  EXPECT_EQ(modified->object->root().FindPath({"data", "a"})->AsText(), "2");
  EXPECT_NE(client::ResourceVersionOf(*added->object),
            client::ResourceVersionOf(*modified->object));
  EXPECT_FALSE(sink.ended);
}

TEST_F(ConnectTest, MetadataAloneIsGivenWhereItIsWanted) {
  ASSERT_TRUE(Await(client().Create(ConfigMaps(), ConfigMap("c"))));
  const auto listed = Ask({.verb = client::ClientVerb::kList,
                           .resource = &ConfigMaps(),
                           .target = {"default", ""},
                           .field_selector = "metadata.name=c",
                           .metadata_only = true});
  ASSERT_TRUE(listed);
  ASSERT_EQ(listed->items.size(), 1U);
  EXPECT_EQ(listed->items[0]->kind(), "PartialObjectMetadata");
  EXPECT_EQ(client::NameOf(*listed->items[0]).name, "c");
  EXPECT_FALSE(client::ResourceVersionOf(*listed->items[0]).empty());
  EXPECT_EQ(listed->items[0]->root().Find("data"), nullptr);
}

TEST_F(ConnectTest, ListsComeInPages) {
  for (const char* name : {"a", "b", "c"}) {
    ASSERT_TRUE(Await(client().Create(ConfigMaps(), ConfigMap(name))));
  }
  client::ClientCall call{.verb = client::ClientVerb::kList,
                          .resource = &ConfigMaps(),
                          .target = {"default", ""},
                          .limit = 2};
  size_t seen = 0;
  do {
    const auto page = Ask(call);
    ASSERT_TRUE(page) << page.error().ToString();
    EXPECT_LE(page->items.size(), 2U);
    seen += page->items.size();
    call.continue_token = page->continue_token;
  } while (!call.continue_token.empty());
  EXPECT_GE(seen, 3U);
}

TEST_F(ConnectTest, AWatchFromTooLongAgoIsExpired) {
  ASSERT_TRUE(Await(client().Create(ConfigMaps(), ConfigMap("c"))));
  // A new server knows nothing of what was before it.
  admin_.reset();
  server_.reset();
  StartServer();
  RecordingSink sink;
  const auto watch = admin_->Watch({.resource = &ConfigMaps(), .resource_version = "1"}, &sink);
  ASSERT_TRUE(executor_.Until([&] { return sink.ended; }));
  ASSERT_TRUE(sink.why);
  EXPECT_EQ(sink.why->reason(), StatusReason::kExpired);
}

TEST_F(ConnectTest, AStoppedWatchIsSilent) {
  RecordingSink sink;
  auto watch = admin_->Watch({.resource = &ConfigMaps(), .send_initial_events = true}, &sink);
  watch.reset();
  ASSERT_TRUE(Await(client().Create(ConfigMaps(), ConfigMap("c"))));
  executor_.Drain();
  EXPECT_TRUE(sink.events.empty());
  EXPECT_FALSE(sink.ended);
}

TEST_F(ConnectTest, CloseAnswersWhatIsOpenAndAllThatComes) {
  RecordingSink sink;
  const auto watch = admin_->Watch({.resource = &ConfigMaps()}, &sink);
  std::vector<StatusReason> answers;
  const auto note = [&](const Result<client::ClientReply>& reply) {
    ASSERT_FALSE(reply);
    answers.push_back(reply.error().reason());
  };
  admin_->Send({.resource = &Namespaces(), .target = {"", "default"}}, note);
  bool discovered = false;
  admin_->Discover([&](const Result<client::ServedApi>& api) { discovered = !api; });
  admin_->Close();
  EXPECT_EQ(answers.size(), 1U);
  EXPECT_TRUE(discovered);
  EXPECT_TRUE(sink.ended);
  EXPECT_EQ(sink.why->reason(), StatusReason::kServiceUnavailable);
  admin_->Send({.resource = &Namespaces(), .target = {"", "default"}}, note);
  EXPECT_EQ(answers.size(), 1U);
  executor_.Drain();
  EXPECT_EQ(answers, std::vector<StatusReason>(2, StatusReason::kServiceUnavailable));
  RecordingSink late;
  const auto after = admin_->Watch({.resource = &ConfigMaps()}, &late);
  EXPECT_FALSE(late.ended);
  executor_.Drain();
  EXPECT_TRUE(late.ended);
}

TEST_F(ConnectTest, NothingComesOnceTheTransportIsGone) {
  bool answered = false;
  RecordingSink sink;
  auto watch = admin_->Watch({.resource = &ConfigMaps(), .send_initial_events = true}, &sink);
  admin_->Send({.verb = client::ClientVerb::kCreate,
                .resource = &ConfigMaps(),
                .target = {"default", "c"},
                .body = ConfigMap("c")},
               [&](const Result<client::ClientReply>&) { answered = true; });
  admin_.reset();
  executor_.Drain();
  EXPECT_FALSE(answered);
  EXPECT_TRUE(sink.events.empty());
  watch.reset();
}

TEST_F(ConnectTest, TheServerEndsThoughTheClientOfAWatchHasGone) {
  RecordingSink sink;
  auto watch = admin_->Watch({.resource = &ConfigMaps(), .send_initial_events = true}, &sink);
  ASSERT_TRUE(
      executor_.Until([&] { return !sink.events.empty() && sink.events.back().initial_end; }));
  // The work of ending the watch has lost the executor that it was for.
  admin_.reset();
  const auto ending = std::async(std::launch::async, [this] { server_.reset(); });
  if (ending.wait_for(std::chrono::seconds(60)) != std::future_status::ready) {
    // Threads that wait for each other cannot be ended, nor what they use be destroyed.
    fprintf(stderr, "the server does not end\n");
    std::abort();
  }
}

TEST_F(ConnectTest, DiscoveryTellsOfEveryResourceOnce) {
  const Result<client::ServedApi> api = Await(client().Discover());
  ASSERT_TRUE(api);
  size_t pods = 0;
  for (const client::DiscoveredResource& each : api->resources) {
    if (each.resource.name != "pods") continue;
    ++pods;
    EXPECT_EQ(each.resource.kind, "Pod");
    EXPECT_TRUE(each.Has("deletecollection"));
    EXPECT_TRUE(each.Has("watch"));
  }
  EXPECT_EQ(pods, 1U);
  EXPECT_TRUE(api->unavailable.empty());
}

TEST_F(ConnectTest, GroupsOfServersThatAreNotThereAreUnavailable) {
  const client::ApiResource& services =
      client::BuiltIn("apiregistration.k8s.io", "v1", "apiservices");
  ASSERT_TRUE(Await(client().Create(
      services, *client::ParseObject(
                    services, R"({"metadata":{"name":"v1beta1.metrics.k8s.io"},"spec":{"group":)"
                              R"("metrics.k8s.io","version":"v1beta1","groupPriorityMinimum":100,)"
                              R"("versionPriority":100,"insecureSkipTLSVerify":true,)"
                              R"("service":{"name":"m","namespace":"kube-system"}}})"))));
  EXPECT_TRUE(Eventually([&] {
    const Result<client::ServedApi> api = Await(client().Discover());
    return api && api->unavailable == std::vector<std::string>{"metrics.k8s.io/v1beta1"};
  }));
}

}  // namespace
}  // namespace skiff::apiserver
