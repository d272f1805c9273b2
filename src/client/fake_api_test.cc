#include "client/fake_api.h"

#include <gtest/gtest.h>

#include "client/testing.h"
#include "object/json/encode.h"

namespace skiff::client {
namespace {

using std::chrono::seconds;

const ApiResource& Pods() { return BuiltIn("", "v1", "pods"); }
const ApiResource& ConfigMaps() { return BuiltIn("", "v1", "configmaps"); }
const ApiResource& Namespaces() { return BuiltIn("", "v1", "namespaces"); }
const ApiResource& Deployments() { return BuiltIn("apps", "v1", "deployments"); }

ApiResource Widgets() {
  return {.group = "example.com", .version = "v1", .name = "widgets", .kind = "Widget"};
}

struct Sink final : ClientWatchSink {
  void OnEvents(std::span<const ClientEvent> events) override {
    for (const ClientEvent& event : events) {
      switch (event.type) {
        case ClientEvent::Type::kAdded:
          seen.push_back("added " + NameOf(*event.object).name);
          break;
        case ClientEvent::Type::kModified:
          seen.push_back("modified " + NameOf(*event.object).name);
          break;
        case ClientEvent::Type::kDeleted:
          seen.push_back("deleted " + NameOf(*event.object).name);
          break;
        case ClientEvent::Type::kBookmark:
          seen.push_back(event.initial_end ? "end of initial events" : "bookmark");
          break;
      }
    }
  }
  void OnEnd(std::optional<Status> why) override {
    seen.push_back(why ? std::string(StatusReasonName(why->reason())) : "end");
  }
  std::vector<std::string> seen;
};

class FakeApiTest : public ::testing::Test {
 protected:
  // Runs a task to its end.
  template <typename T>
  T Run(Task<T> task) {
    std::optional<T> result;
    Detach<T>(std::move(task), [&](T value) { result.emplace(std::move(value)); });
    executor.RunUntilIdle();
    EXPECT_TRUE(result.has_value());
    return std::move(*result);
  }
  ObjectPtr Parse(const ApiResource& resource, std::string_view json) {
    return ParseObject(resource, json).value();
  }

  ManualExecutor executor;
  FakeApi api{executor};
  Client client{api, "test"};
};

TEST_F(FakeApiTest, ACreatedObjectHasWhatServersGiveIt) {
  const auto made = Run(client.Create(
      Deployments(), Parse(Deployments(), R"({"metadata":{"generateName":"web-","namespace":"a"},
                               "spec":{"replicas":2},"status":{"replicas":7}})")));
  ASSERT_TRUE(made.has_value()) << made.error().ToString();
  const object::Document& object = **made;
  EXPECT_EQ(NameOf(object).name.size(), 9U);
  EXPECT_EQ(UidOf(object).size(), 36U);
  EXPECT_EQ(ResourceVersionOf(object), "2");
  EXPECT_EQ(object.root().FindPath({"metadata", "generation"})->AsInt(), 1);
  EXPECT_EQ(object.root().Find("status"), nullptr);
  EXPECT_NE(object.root().FindPath({"metadata", "creationTimestamp"}), nullptr);
}

TEST_F(FakeApiTest, WhatIsThereCannotBeCreatedAndWhatIsNotCannotBeRead) {
  api.objects().Put(ConfigMaps(), R"({"metadata":{"name":"a","namespace":"n"}})");
  const auto again = Run(client.Create(
      ConfigMaps(), Parse(ConfigMaps(), R"({"metadata":{"name":"a","namespace":"n"}})")));
  EXPECT_EQ(again.error().reason(), StatusReason::kAlreadyExists);
  EXPECT_EQ(again.error().message(), "configmaps \"a\" already exists");
  const auto absent = Run(client.Get(Deployments(), {"n", "b"}));
  EXPECT_EQ(absent.error().message(), "deployments.apps \"b\" not found");
  EXPECT_EQ(absent.error().code(), 404);
}

TEST_F(FakeApiTest, AnUpdateOfAnOldStateConflicts) {
  const ObjectPtr first =
      api.objects().Put(ConfigMaps(), R"({"metadata":{"name":"a","namespace":"n"}})");
  const std::shared_ptr<object::Document> next = MutableCopy(*first);
  next->root().Set(next->arena(), "immutable", object::Value::Bool(true));
  const auto updated = Run(client.Update(ConfigMaps(), next));
  ASSERT_TRUE(updated.has_value());
  EXPECT_NE(ResourceVersionOf(**updated), ResourceVersionOf(*first));
  const auto old = Run(client.Update(ConfigMaps(), first));
  EXPECT_EQ(old.error().reason(), StatusReason::kConflict);
  const auto same = Run(client.Update(ConfigMaps(), *updated));
  EXPECT_EQ(ResourceVersionOf(**same), ResourceVersionOf(**updated));
}

TEST_F(FakeApiTest, StatusAndSpecAreWrittenApart) {
  api.objects().Put(Deployments(), R"({"metadata":{"name":"a","generation":1},
                                       "spec":{"replicas":1},"status":{"replicas":1}})");
  const std::string patch = R"({"spec":{"replicas":2},"status":{"replicas":2}})";
  const auto spec =
      Run(client.Patch(Deployments(), {"default", "a"}, PatchType::kMerge, patch)).value();
  EXPECT_EQ(spec->root().FindPath({"spec", "replicas"})->AsInt(), 2);
  EXPECT_EQ(spec->root().FindPath({"status", "replicas"})->AsInt(), 1);
  EXPECT_EQ(spec->root().FindPath({"metadata", "generation"})->AsInt(), 2);
  const std::string other = R"({"spec":{"replicas":3},"status":{"replicas":3}})";
  const auto status =
      Run(client.Patch(Deployments(), {"default", "a"}, PatchType::kStrategic, other, "status"))
          .value();
  EXPECT_EQ(status->root().FindPath({"spec", "replicas"})->AsInt(), 2);
  EXPECT_EQ(status->root().FindPath({"status", "replicas"})->AsInt(), 3);
  EXPECT_EQ(status->root().FindPath({"metadata", "generation"})->AsInt(), 2);
}

TEST_F(FakeApiTest, FinalizersKeepADeletedObjectUntilTheLastOneGoes) {
  api.objects().Put(ConfigMaps(), R"({"metadata":{"name":"a","finalizers":["x/y"]}})");
  ASSERT_TRUE(Run(client.Delete(ConfigMaps(), {"default", "a"})).has_value());
  ObjectPtr left = api.objects().Find(ConfigMaps(), {"default", "a"});
  ASSERT_NE(left, nullptr);
  EXPECT_TRUE(IsDeleting(*left));
  const auto more = Run(client.Patch(ConfigMaps(), {"default", "a"}, PatchType::kMerge,
                                     R"({"metadata":{"finalizers":["x/y","x/z"]}})"));
  EXPECT_EQ(more.error().reason(), StatusReason::kInvalid);
  const auto none = Run(client.Patch(ConfigMaps(), {"default", "a"}, PatchType::kJson,
                                     R"([{"op":"remove","path":"/metadata/finalizers"}])"));
  ASSERT_TRUE(none.has_value()) << none.error().ToString();
  EXPECT_EQ(api.objects().Find(ConfigMaps(), {"default", "a"}), nullptr);
}

TEST_F(FakeApiTest, PropagationBecomesAFinalizer) {
  for (const auto& [name, policy] : {std::pair("a", "Foreground"), std::pair("b", "Orphan")}) {
    api.objects().Put(ConfigMaps(), R"({"metadata":{"name":")" + std::string(name) + "\"}}");
    DeleteChoice how;
    how.propagation = policy;
    ASSERT_TRUE(Run(client.Delete(ConfigMaps(), {"default", name}, how)).has_value());
  }
  const auto finalizer = [&](std::string name) {
    const ObjectPtr object = api.objects().Find(ConfigMaps(), {"default", std::move(name)});
    return std::string(
        object->root().FindPath({"metadata", "finalizers"})->items().front().AsText());
  };
  EXPECT_EQ(finalizer("a"), "foregroundDeletion");
  EXPECT_EQ(finalizer("b"), "orphan");
}

TEST_F(FakeApiTest, APodOnANodeGoesAfterItsGraceAndAtOnceWithoutOne) {
  api.objects().Put(Pods(), R"({"metadata":{"name":"a"},"spec":{"nodeName":"n"}})");
  ASSERT_TRUE(Run(client.Delete(Pods(), {"default", "a"})).has_value());
  const ObjectPtr pod = api.objects().Find(Pods(), {"default", "a"});
  ASSERT_NE(pod, nullptr);
  EXPECT_EQ(pod->root().FindPath({"metadata", "deletionGracePeriodSeconds"})->AsInt(), 30);
  DeleteChoice now;
  now.grace_period_seconds = 0;
  ASSERT_TRUE(Run(client.Delete(Pods(), {"default", "a"}, now)).has_value());
  EXPECT_EQ(api.objects().Find(Pods(), {"default", "a"}), nullptr);
}

TEST_F(FakeApiTest, PreconditionsOfADeletionHold) {
  api.objects().Put(ConfigMaps(), R"({"metadata":{"name":"a"}})");
  DeleteChoice how;
  how.uid = "another";
  const auto wrong = Run(client.Delete(ConfigMaps(), {"default", "a"}, how));
  EXPECT_EQ(wrong.error().reason(), StatusReason::kConflict);
  how.uid.clear();
  how.resource_version = "1";
  const auto old = Run(client.Delete(ConfigMaps(), {"default", "a"}, how));
  EXPECT_EQ(old.error().reason(), StatusReason::kConflict);
}

TEST_F(FakeApiTest, ANamespaceEndsWhenItIsFinalizedAndTakesNothingNewBefore) {
  Run(client.Create(Namespaces(), Parse(Namespaces(), R"({"metadata":{"name":"n"}})"))).value();
  ASSERT_TRUE(Run(client.Delete(Namespaces(), {"", "n"})).has_value());
  const ObjectPtr left = api.objects().Find(Namespaces(), {"", "n"});
  ASSERT_NE(left, nullptr);
  EXPECT_EQ(left->root().FindPath({"status", "phase"})->AsText(), "Terminating");
  const auto made = Run(client.Create(
      ConfigMaps(), Parse(ConfigMaps(), R"({"metadata":{"name":"a","namespace":"n"}})")));
  ASSERT_FALSE(made.has_value());
  EXPECT_EQ(made.error().reason(), StatusReason::kForbidden);
  EXPECT_EQ(made.error().causes().front().reason, "NamespaceTerminating");
  const std::shared_ptr<object::Document> last = MutableCopy(*left);
  last->root().Find("spec")->Erase("finalizers");
  ASSERT_TRUE(Run(client.Update(Namespaces(), last, "finalize")).has_value());
  EXPECT_EQ(api.objects().Find(Namespaces(), {"", "n"}), nullptr);
}

TEST_F(FakeApiTest, ListsAreSelectedAndComeInPages) {
  for (int i = 0; i < 5; ++i) {
    api.objects().Put(ConfigMaps(), R"({"metadata":{"name":"a)" + std::to_string(i) +
                                        R"(","labels":{"odd":")" + (i % 2 == 1 ? "yes" : "no") +
                                        "\"}}}");
  }
  ClientCall call;
  call.resource = &ConfigMaps();
  call.label_selector = "odd=yes";
  EXPECT_EQ(Run(client.List(call)).value().items.size(), 2U);
  call.label_selector.clear();
  call.field_selector = "metadata.name=a3";
  EXPECT_EQ(Run(client.List(call)).value().items.size(), 1U);
  call.field_selector.clear();
  call.limit = 3;
  call.metadata_only = true;
  const ClientReply first = Run(client.List(call)).value();
  EXPECT_EQ(first.items.size(), 3U);
  EXPECT_EQ(first.items[0]->kind(), "PartialObjectMetadata");
  call.continue_token = first.continue_token;
  const ClientReply second = Run(client.List(call)).value();
  EXPECT_EQ(second.items.size(), 2U);
  EXPECT_EQ(second.continue_token, "");
  EXPECT_EQ(second.resource_version, first.resource_version);
}

TEST_F(FakeApiTest, AWatchTellsWhatComesIntoItsSelectionAndLeavesIt) {
  const ObjectPtr first = api.objects().Put(ConfigMaps(), R"({"metadata":{"name":"a"}})");
  Sink sink;
  WatchCall call;
  call.resource = &ConfigMaps();
  call.resource_version = std::string(ResourceVersionOf(*first));
  call.label_selector = "x=y";
  const auto watch = api.Watch(call, &sink);
  executor.RunUntilIdle();
  api.objects().Put(ConfigMaps(), R"({"metadata":{"name":"a","labels":{"x":"y"}}})");
  executor.RunUntilIdle();
  api.objects().Put(ConfigMaps(), R"({"metadata":{"name":"a","labels":{"x":"z"}}})");
  api.objects().Remove(ConfigMaps(), {"default", "a"});
  executor.RunUntilIdle();
  api.SendBookmarks();
  executor.RunUntilIdle();
  EXPECT_EQ(sink.seen, (std::vector<std::string>{"added a", "deleted a", "bookmark"}));
  api.Close();
  EXPECT_EQ(sink.seen.back(), "ServiceUnavailable");
}

TEST_F(FakeApiTest, AStreamedListEndsWithABookmark) {
  api.objects().Put(ConfigMaps(), R"({"metadata":{"name":"a"}})");
  Sink sink;
  WatchCall call;
  call.resource = &ConfigMaps();
  call.send_initial_events = true;
  const auto watch = api.Watch(call, &sink);
  executor.RunUntilIdle();
  EXPECT_EQ(sink.seen, (std::vector<std::string>{"added a", "end of initial events"}));
}

TEST_F(FakeApiTest, AWatchFromAnExpiredVersionEndsSo) {
  const ObjectPtr first = api.objects().Put(ConfigMaps(), R"({"metadata":{"name":"a"}})");
  api.objects().ExpireHistory();
  Sink sink;
  WatchCall call;
  call.resource = &ConfigMaps();
  call.resource_version = std::string(ResourceVersionOf(*first));
  const auto watch = api.Watch(call, &sink);
  executor.RunUntilIdle();
  EXPECT_EQ(sink.seen, std::vector<std::string>{"Expired"});
}

TEST_F(FakeApiTest, FaultsComeAsOftenAsAskedAndMayHideThatACallWasCarriedOut) {
  api.Fail({.verb = ClientVerb::kCreate,
            .times = 1,
            .status = Status(StatusReason::kServerTimeout, "lost"),
            .carried_out = true});
  const ObjectPtr body = Parse(ConfigMaps(), R"({"metadata":{"name":"a","namespace":"n"}})");
  const auto lost = Run(client.Create(ConfigMaps(), body));
  EXPECT_EQ(lost.error().reason(), StatusReason::kServerTimeout);
  const auto again = Run(client.Create(ConfigMaps(), body));
  EXPECT_EQ(again.error().reason(), StatusReason::kAlreadyExists);
}

TEST_F(FakeApiTest, CustomResourcesAreDiscoveredAndServedUntilTheyAreRemoved) {
  const ApiResource widgets = Widgets();
  const ObjectPtr body = Parse(widgets, R"({"metadata":{"name":"a","namespace":"n"},"spec":{}})");
  EXPECT_EQ(Run(client.Create(widgets, body)).error().code(), 404);
  api.objects().AddCustom(widgets);
  const auto made = Run(client.Create(widgets, body)).value();
  EXPECT_EQ(UidOf(*made).size(), 36U);
  EXPECT_EQ(made->type(), nullptr);
  const auto status = Run(client.Patch(widgets, {"n", "a"}, PatchType::kMerge,
                                       R"({"spec":{"x":1},"status":{"y":2}})", "status"))
                          .value();
  EXPECT_EQ(object::EncodeJson(*status->root().Find("spec")), "{}");
  EXPECT_EQ(object::EncodeJson(*status->root().Find("status")), R"({"y":2})");
  api.objects().SetUnavailable({"metrics.k8s.io/v1beta1"});
  const ServedApi served = Run(client.Discover()).value();
  EXPECT_EQ(served.unavailable, std::vector<std::string>{"metrics.k8s.io/v1beta1"});
  EXPECT_EQ(served.resources.back().resource, widgets);
  EXPECT_TRUE(served.resources.back().Has("deletecollection"));
  api.objects().RemoveCustom(widgets);
  EXPECT_EQ(Run(client.Get(widgets, {"n", "a"})).error().code(), 404);
}

TEST_F(FakeApiTest, ClosingAnswersWhatIsOpenAndEverythingAfterwards) {
  api.SetDelay(seconds(10));
  std::vector<StatusReason> answers;
  const auto get = [&] {
    Detach<Result<ObjectPtr>>(client.Get(Pods(), {"n", "a"}), [&](Result<ObjectPtr> result) {
      answers.push_back(result.error().reason());
    });
  };
  get();
  executor.Advance(seconds(1));
  EXPECT_TRUE(answers.empty());
  api.Close();
  EXPECT_EQ(answers, std::vector<StatusReason>{StatusReason::kServiceUnavailable});
  get();
  EXPECT_EQ(answers.size(), 1U);
  executor.RunUntilIdle();
  EXPECT_EQ(answers.size(), 2U);
}

}  // namespace
}  // namespace skiff::client
