// The control loops of `skiff up` against a whole server without a listener on a store in memory:
// deletions come to their end, with the rights that the loops really have.
#include "cli/up/up_controllers.h"

#include <chrono>

#include <gtest/gtest.h>

#include "apiserver/server_testing.h"
#include "views/core/v1.h"

namespace skiff::cli {
namespace {

const client::ApiResource& ConfigMaps() { return client::BuiltIn("", "v1", "configmaps"); }
const client::ApiResource& Secrets() { return client::BuiltIn("", "v1", "secrets"); }
const client::ApiResource& Namespaces() { return client::BuiltIn("", "v1", "namespaces"); }

class UpControllersTest : public apiserver::ServerWithinTest {
 protected:
  void SetUp() override {
    ASSERT_NO_FATAL_FAILURE(apiserver::ServerWithinTest::SetUp());
    if (starts_loops_) loops_ = StartLoops(*server_, {});
  }
  std::unique_ptr<UpControllers> StartLoops(apiserver::ApiServer& server,
                                            UpControllersOptions options) {
    options.controllers = {"namespace", "garbagecollector"};
    auto loops = UpControllers::Start(options, server, clock_, random_, log_);
    EXPECT_TRUE(loops) << loops.error().ToString();
    return loops ? std::move(*loops) : nullptr;
  }
  void TearDown() override {
    loops_ = nullptr;
    if (admin_) admin_->Close();
    executor_.RunFor(std::chrono::milliseconds(10));
    admin_ = nullptr;
    server_ = nullptr;
  }

  client::ObjectPtr Make(const client::ApiResource& resource, const std::string& name_space,
                         const std::string& name, const client::ObjectPtr& owner = {}) {
    std::string metadata = R"("name":")" + name + "\"";
    if (!name_space.empty()) metadata += R"(,"namespace":")" + name_space + "\"";
    if (owner) {
      metadata += R"(,"ownerReferences":[{"apiVersion":")" + std::string(owner->api_version()) +
                  R"(","kind":")" + std::string(owner->kind()) + R"(","name":")" +
                  client::NameOf(*owner).name + R"(","uid":")" +
                  std::string(client::UidOf(*owner)) + R"(","blockOwnerDeletion":true}])";
    }
    client::ObjectPtr wanted =
        client::ParseObject(resource, "{\"metadata\":{" + metadata + "}}").value();
    const Result<client::ObjectPtr> made = Await(client().Create(resource, std::move(wanted)));
    EXPECT_TRUE(made) << made.error().ToString();
    return made ? *made : nullptr;
  }
  void Delete(const client::ApiResource& resource, const std::string& name_space,
              const std::string& name, const std::string& propagation) {
    const Result<void> deleted = Await(client().Delete(
        resource, {.name_space = name_space, .name = name}, {.propagation = propagation}));
    EXPECT_TRUE(deleted) << deleted.error().ToString();
  }
  client::ObjectPtr Find(const client::ApiResource& resource, const std::string& name_space,
                         const std::string& name) {
    const Result<client::ObjectPtr> found =
        Await(client().Get(resource, {.name_space = name_space, .name = name}));
    return found ? *found : nullptr;
  }
  bool IsGone(const client::ApiResource& resource, const std::string& name_space,
              const std::string& name) {
    return Eventually([&] { return Find(resource, name_space, name) == nullptr; });
  }

  bool starts_loops_ = true;
  std::unique_ptr<UpControllers> loops_;
};

TEST_F(UpControllersTest, DependentsGoWithTheirOwnersAsTheDeletionSays) {
  for (const char* how : {"Background", "Foreground"}) {
    const client::ObjectPtr top = Make(ConfigMaps(), "default", "top");
    const client::ObjectPtr middle = Make(Secrets(), "default", "middle", top);
    Make(ConfigMaps(), "default", "bottom", middle);
    Delete(ConfigMaps(), "default", "top", how);
    EXPECT_TRUE(IsGone(ConfigMaps(), "default", "top")) << how;
    EXPECT_TRUE(IsGone(Secrets(), "default", "middle")) << how;
    EXPECT_TRUE(IsGone(ConfigMaps(), "default", "bottom")) << how;
  }
  const client::ObjectPtr top = Make(ConfigMaps(), "default", "top");
  Make(Secrets(), "default", "orphan", top);
  Delete(ConfigMaps(), "default", "top", "Orphan");
  EXPECT_TRUE(IsGone(ConfigMaps(), "default", "top"));
  const client::ObjectPtr orphan = Find(Secrets(), "default", "orphan");
  ASSERT_NE(orphan, nullptr);
  EXPECT_EQ(orphan->root().FindPath({"metadata", "ownerReferences"}), nullptr);
}

TEST_F(UpControllersTest, ControllerManagerIsHealthyWhileTheLoopsRun) {
  const client::ApiResource& components = client::BuiltIn("", "v1", "componentstatuses");
  const client::ObjectPtr status = Find(components, "", "controller-manager");
  ASSERT_NE(status, nullptr);
  const views::core_v1::ComponentStatus view(*status);
  ASSERT_EQ(view.conditions().size(), 1U);
  EXPECT_EQ(view.conditions()[0].type(), "Healthy");
  EXPECT_EQ(view.conditions()[0].status(), "True");
  EXPECT_EQ(view.conditions()[0].message(), "ok");
  loops_ = nullptr;
  const client::ObjectPtr later = Find(components, "", "controller-manager");
  ASSERT_NE(later, nullptr);
  EXPECT_NE(views::core_v1::ComponentStatus(*later).conditions()[0].message(), "ok");
}

TEST_F(UpControllersTest, NamespacesGoWithAllThatIsInThem) {
  Make(Namespaces(), "", "doomed");
  for (int i = 0; i < 300; ++i) Make(ConfigMaps(), "doomed", "c" + std::to_string(i));
  Delete(Namespaces(), "", "doomed", "");
  // It may have gone already.
  const client::ObjectPtr terminating = Find(Namespaces(), "", "doomed");
  EXPECT_TRUE(terminating == nullptr || client::IsDeleting(*terminating));
  EXPECT_TRUE(IsGone(Namespaces(), "", "doomed")) << sink_.Text();
  client::ClientCall list;
  list.resource = &ConfigMaps();
  list.target.name_space = "doomed";
  const Result<client::ClientReply> left = Await(client().List(std::move(list)));
  ASSERT_TRUE(left);
  EXPECT_EQ(left->items.size(), 0U);
}

// Two servers on one store, as on an etcd.
class ElectedControllersTest : public UpControllersTest {
 protected:
  ElectedControllersTest() { starts_loops_ = false; }
  void SetUp() override {
    UpControllersTest::SetUp();
    other_server_ = MakeServer();
    ASSERT_NE(other_server_, nullptr);
  }
  void TearDown() override {
    other_ = nullptr;
    UpControllersTest::TearDown();
    other_server_ = nullptr;
  }
  static UpControllersOptions Elected(std::chrono::seconds renew_deadline) {
    UpControllersOptions options;
    options.elect = true;
    options.election.lease_duration = 2 * renew_deadline;
    options.election.renew_deadline = renew_deadline;
    options.election.retry_period = std::chrono::milliseconds(200);
    return options;
  }
  std::string Holder() {
    const client::ObjectPtr lease = Find(client::BuiltIn("coordination.k8s.io", "v1", "leases"),
                                         "kube-system", "kube-controller-manager");
    const object::Value* holder =
        lease == nullptr ? nullptr : lease->root().FindPath({"spec", "holderIdentity"});
    return holder == nullptr ? "" : std::string(holder->AsText());
  }

  std::unique_ptr<apiserver::ApiServer> other_server_;
  std::unique_ptr<UpControllers> other_;
};

TEST_F(ElectedControllersTest, OfTwoServersOneRunsTheLoopsAndTheOtherTakesOver) {
  // Long, since who is kept from running for a while must not lose the lease by that.
  const UpControllersOptions elected = Elected(std::chrono::seconds(60));
  loops_ = StartLoops(*server_, elected);
  ASSERT_TRUE(Eventually([this] { return loops_->leads(); })) << sink_.Text();
  const std::string first = Holder();
  EXPECT_NE(first, "");
  other_ = StartLoops(*other_server_, elected);
  executor_.Until([] { return false; }, std::chrono::milliseconds(1000));
  EXPECT_FALSE(other_->leads());
  EXPECT_EQ(Holder(), first);
  EXPECT_TRUE(server_->metrics().Text().contains(
      "leader_election_master_status{name=\"kube-controller-manager\"} 1"));
  EXPECT_TRUE(other_server_->metrics().Text().contains(
      "leader_election_master_status{name=\"kube-controller-manager\"} 0"));

  loops_ = nullptr;
  ASSERT_TRUE(Eventually([this] { return other_->leads(); })) << "the lease is handed on";
  EXPECT_NE(Holder(), first);
  Make(Namespaces(), "", "doomed");
  Delete(Namespaces(), "", "doomed", "");
  EXPECT_TRUE(IsGone(Namespaces(), "", "doomed")) << sink_.Text();
}

TEST_F(ElectedControllersTest, WhoLosesTheLeaseStopsAndTakesPartAgain) {
  loops_ = StartLoops(*server_, Elected(std::chrono::seconds(1)));
  ASSERT_TRUE(Eventually([this] { return loops_->leads(); })) << sink_.Text();
  const auto steal_for = [this](int lease_seconds) {
    const Result<client::ObjectPtr> taken = Await(client().Patch(
        client::BuiltIn("coordination.k8s.io", "v1", "leases"),
        {"kube-system", "kube-controller-manager"}, client::PatchType::kMerge,
        R"({"spec":{"holderIdentity":"thief","renewTime":"2026-01-01T00:00:00.000000Z",)"
        R"("leaseDurationSeconds":)" +
            std::to_string(lease_seconds) + "}}"));
    ASSERT_TRUE(taken) << taken.error().ToString();
  };
  steal_for(3600);
  EXPECT_TRUE(Eventually([this] { return !loops_->leads(); }));
  EXPECT_EQ(Holder(), "thief");
  steal_for(1);
  EXPECT_TRUE(Eventually([this] { return loops_->leads(); })) << "the thief never renews";
  Make(Namespaces(), "", "doomed");
  Delete(Namespaces(), "", "doomed", "");
  EXPECT_TRUE(IsGone(Namespaces(), "", "doomed")) << sink_.Text();
}

}  // namespace
}  // namespace skiff::cli
