#include "client/client.h"

#include <gtest/gtest.h>

#include "client/testing.h"

namespace skiff::client {
namespace {

const ApiResource& ConfigMaps() { return BuiltIn("", "v1", "configmaps"); }

class ClientTest : public ::testing::Test {
 protected:
  template <typename T>
  T Run(Task<T> task) {
    std::optional<T> result;
    Detach<T>(std::move(task), [&](T value) { result.emplace(std::move(value)); });
    executor.RunUntilIdle();
    EXPECT_TRUE(result.has_value());
    return std::move(*result);
  }

  ManualExecutor executor;
  FakeApi api{executor};
};

TEST_F(ClientTest, WritesGoByTheNameOfTheirManager) {
  Client client(api, "who");
  const ObjectPtr object =
      ParseObject(ConfigMaps(), R"({"metadata":{"name":"a","namespace":"n"}})").value();
  const ObjectPtr made = Run(client.Create(ConfigMaps(), object)).value();
  Run(client.Update(ConfigMaps(), made)).value();
  Run(client.Patch(ConfigMaps(), {"n", "a"}, PatchType::kMerge, "{}")).value();
  ClientCall own;
  own.verb = ClientVerb::kPatch;
  own.resource = &ConfigMaps();
  own.target = {"n", "a"};
  own.patch = "{}";
  own.field_manager = "another";
  Run(client.Send(own)).value();
  std::vector<std::string> managers;
  for (const ClientCall& call : api.calls()) managers.push_back(call.field_manager);
  EXPECT_EQ(managers, (std::vector<std::string>{"who", "who", "who", "another"}));
  EXPECT_EQ(api.calls()[0].target, (ObjectName{"n", ""}));
  EXPECT_EQ(api.calls()[1].target, (ObjectName{"n", "a"}));
}

TEST_F(ClientTest, ATaskOutlivesItsClient) {
  api.objects().Put(ConfigMaps(), R"({"metadata":{"name":"a"}})");
  std::optional<Task<Result<ObjectPtr>>> task;
  {
    Client client(api, "who");
    task.emplace(client.Get(ConfigMaps(), {"default", "a"}));
  }
  EXPECT_EQ(NameOf(*Run(std::move(*task)).value()).name, "a");
}

TEST_F(ClientTest, CallsAreAwaitedOneAfterTheOther) {
  for (const char* name : {"a", "b"}) {
    api.objects().Put(ConfigMaps(), R"({"metadata":{"name":")" + std::string(name) +
                                        R"(","labels":{"a-label-with-a-long-name":"x"}}})");
  }
  const auto loop = [](Client client) -> Task<Result<size_t>> {
    ClientCall call;
    call.resource = &ConfigMaps();
    call.label_selector = "a-label-with-a-long-name=x";
    const Result<ClientReply> all = co_await client.List(call);
    if (!all) co_return std::unexpected(all.error());
    for (const ObjectPtr& item : all->items) {
      const DeleteChoice how{.uid = std::string(UidOf(*item)), .propagation = "Orphan"};
      const Result<void> gone = co_await client.Delete(ConfigMaps(), NameOf(*item), how);
      if (!gone) co_return std::unexpected(gone.error());
    }
    co_return all->items.size();
  };
  EXPECT_EQ(Run(loop(Client(api, "who"))).value(), 2U);
  EXPECT_EQ(api.objects().All(ConfigMaps()).size(), 2U) << "their finalizer keeps them";
}

TEST_F(ClientTest, WhoAwaitsACallEndsWhenTheTransportCloses) {
  api.SetDelay(std::chrono::hours(1));
  Client client(api, "who");
  const auto loop = [](Client speaker, int& ended) -> Task<void> {
    const ObjectName name{"n", "a"};
    co_await speaker.Get(ConfigMaps(), name);
    co_await speaker.Delete(ConfigMaps(), name);
    co_await speaker.Discover();
    ++ended;
  };
  int ended = 0;
  Detach(loop(client, ended));
  executor.RunUntilIdle();
  api.Close();
  executor.RunUntilIdle();
  EXPECT_EQ(ended, 1);
}

}  // namespace
}  // namespace skiff::client
