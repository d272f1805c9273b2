// The control loops of `skiff up` against a whole server without a listener on a store in memory:
// deletions come to their end, with the rights that the loops really have.
#include "cli/up_loops.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>

#include <gtest/gtest.h>

#include "apiserver/authn/user.h"
#include "client/client.h"
#include "store/embedded/embedded_store.h"
#include "store/embedded/memory_engine.h"

namespace skiff {
namespace {

// Runs on the thread of the test, when that waits for something.
class TestExecutor final : public Executor {
 public:
  explicit TestExecutor(Clock& clock) : clock_(clock) {}
  void Post(Work work) override {
    const std::lock_guard lock(mutex_);
    posted_.push_back(std::move(work));
    changed_.notify_all();
  }
  TimerId After(Duration, Work) override { return {}; }
  void Cancel(TimerId) override {}
  Clock& clock() override { return clock_; }

  // Runs what was posted, for at most so long, or until `holds`.
  bool Until(const std::function<bool()>& holds, std::chrono::milliseconds at_most) {
    const auto deadline = std::chrono::steady_clock::now() + at_most;
    while (!holds()) {
      Work work;
      {
        std::unique_lock lock(mutex_);
        if (!changed_.wait_until(lock, deadline, [this] { return !posted_.empty(); })) return false;
        work = std::move(posted_.front());
        posted_.pop_front();
      }
      work();
    }
    return true;
  }

 private:
  Clock& clock_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Work> posted_;
};

const ApiResource& ConfigMaps() { return BuiltIn("", "v1", "configmaps"); }
const ApiResource& Secrets() { return BuiltIn("", "v1", "secrets"); }
const ApiResource& Namespaces() { return BuiltIn("", "v1", "namespaces"); }
const ApiResource& Definitions() {
  return BuiltIn("apiextensions.k8s.io", "v1", "customresourcedefinitions");
}

class UpLoopsTest : public testing::Test {
 protected:
  void SetUp() override {
    EmbeddedOptions embedded;
    embedded.open_engine = [this] { return disk_->Open(); };
    embedded.clock = &clock_;
    embedded.random = &random_;
    auto store = EmbeddedStore::Open(std::move(embedded));
    ASSERT_TRUE(store) << store.error().ToString();
    store_ = std::move(*store);
    ApiServerOptions options;
    options.listen = false;
    options.authorization_modes = {AuthorizationMode::kRbac};
    options.disable_admission_plugins = {"ServiceAccount"};
    FillDerived(options, {.default_address = IpAddress::LoopbackV4(), .host_name = "test"});
    auto server = ApiServer::Start(std::move(options), clock_, random_, log_, store_.get());
    ASSERT_TRUE(server) << server.error().ToString();
    server_ = std::move(*server);
    ASSERT_TRUE(Eventually([this] { return server_->ready(); }));
    admin_ = server_->Connect(
        {.name = "admin", .uid = {}, .groups = {kMastersGroup, kAuthenticatedGroup}, .extra = {}},
        executor_);
    auto loops = UpLoops::Start({.controllers = {"namespace", "garbagecollector"},
                                 .root_ca = {},
                                 .service_account_private_key = {}},
                                *server_, clock_, random_, log_);
    ASSERT_TRUE(loops) << loops.error().ToString();
    loops_ = std::move(*loops);
  }
  void TearDown() override {
    loops_ = nullptr;
    if (admin_) admin_->Close();
    executor_.Until([] { return false; }, std::chrono::milliseconds(10));
    admin_ = nullptr;
    server_ = nullptr;
  }

  bool Eventually(const std::function<bool()>& holds) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (!holds()) {
      if (std::chrono::steady_clock::now() > deadline) return false;
      executor_.Until([] { return false; }, std::chrono::milliseconds(20));
    }
    return true;
  }
  template <typename T>
  T Await(Task<T> task) {
    std::optional<T> out;
    Detach<T>(std::move(task), [&](T result) { out.emplace(std::move(result)); });
    EXPECT_TRUE(executor_.Until([&] { return out.has_value(); }, std::chrono::seconds(20)));
    return std::move(*out);
  }
  Client client() { return Client(*admin_, "test"); }

  ObjectPtr Make(const ApiResource& resource, const std::string& name_space,
                 const std::string& name, const ObjectPtr& owner = {}) {
    std::string metadata = R"("name":")" + name + "\"";
    if (!name_space.empty()) metadata += R"(,"namespace":")" + name_space + "\"";
    if (owner) {
      metadata += R"(,"ownerReferences":[{"apiVersion":")" + std::string(owner->api_version()) +
                  R"(","kind":")" + std::string(owner->kind()) + R"(","name":")" +
                  NameOf(*owner).name + R"(","uid":")" + std::string(UidOf(*owner)) +
                  R"(","blockOwnerDeletion":true}])";
    }
    ObjectPtr wanted = ParseObject(resource, "{\"metadata\":{" + metadata + "}}").value();
    const Result<ObjectPtr> made = Await(client().Create(resource, std::move(wanted)));
    EXPECT_TRUE(made) << made.error().ToString();
    return made ? *made : nullptr;
  }
  void Delete(const ApiResource& resource, const std::string& name_space, const std::string& name,
              const std::string& propagation) {
    const Result<void> deleted = Await(client().Delete(
        resource, {.name_space = name_space, .name = name}, {.propagation = propagation}));
    EXPECT_TRUE(deleted) << deleted.error().ToString();
  }
  ObjectPtr Find(const ApiResource& resource, const std::string& name_space,
                 const std::string& name) {
    const Result<ObjectPtr> found =
        Await(client().Get(resource, {.name_space = name_space, .name = name}));
    return found ? *found : nullptr;
  }
  bool IsGone(const ApiResource& resource, const std::string& name_space, const std::string& name) {
    return Eventually([&] { return Find(resource, name_space, name) == nullptr; });
  }
  // A custom kind, which takes a moment to be served.
  ApiResource Define(const std::string& plural, const std::string& kind) {
    const std::string json = R"({"metadata":{"name":")" + plural + R"(.example.com"},
        "spec":{"group":"example.com","scope":"Namespaced",
          "names":{"plural":")" +
                             plural + R"(","kind":")" + kind + R"("},
          "versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":
            {"type":"object","x-kubernetes-preserve-unknown-fields":true}}}]}})";
    ObjectPtr definition = ParseObject(Definitions(), json).value();
    const Result<ObjectPtr> made = Await(client().Create(Definitions(), std::move(definition)));
    EXPECT_TRUE(made) << made.error().ToString();
    const ApiResource resource{
        .group = "example.com", .version = "v1", .name = plural, .kind = kind};
    EXPECT_TRUE(Eventually([&] {
      const Result<ServedApi> served = Await(client().Discover());
      return served && std::ranges::any_of(served->resources, [&](const auto& each) {
               return each.resource == resource;
             });
    }));
    return resource;
  }

  SystemClock clock_;
  SystemRandom random_;
  MemoryLogSink sink_;
  Log log_{clock_, sink_};
  std::shared_ptr<MemoryDisk> disk_ = MemoryDisk::Make();
  std::unique_ptr<Store> store_;
  TestExecutor executor_{clock_};
  std::unique_ptr<ApiServer> server_;
  std::unique_ptr<ClientTransport> admin_;
  std::unique_ptr<UpLoops> loops_;
};

TEST_F(UpLoopsTest, DependentsGoWithTheirOwnersAsTheDeletionSays) {
  for (const char* how : {"Background", "Foreground"}) {
    const ObjectPtr top = Make(ConfigMaps(), "default", "top");
    const ObjectPtr middle = Make(Secrets(), "default", "middle", top);
    Make(ConfigMaps(), "default", "bottom", middle);
    Delete(ConfigMaps(), "default", "top", how);
    EXPECT_TRUE(IsGone(ConfigMaps(), "default", "top")) << how;
    EXPECT_TRUE(IsGone(Secrets(), "default", "middle")) << how;
    EXPECT_TRUE(IsGone(ConfigMaps(), "default", "bottom")) << how;
  }
  const ObjectPtr top = Make(ConfigMaps(), "default", "top");
  Make(Secrets(), "default", "orphan", top);
  Delete(ConfigMaps(), "default", "top", "Orphan");
  EXPECT_TRUE(IsGone(ConfigMaps(), "default", "top"));
  const ObjectPtr orphan = Find(Secrets(), "default", "orphan");
  ASSERT_NE(orphan, nullptr);
  EXPECT_EQ(orphan->root().FindPath({"metadata", "ownerReferences"}), nullptr);
}

TEST_F(UpLoopsTest, CustomResourcesOwnAndAreOwned) {
  const ApiResource widgets = Define("widgets", "Widget");
  const ObjectPtr owner = Make(widgets, "default", "owner");
  Make(widgets, "default", "dependent", owner);
  Make(ConfigMaps(), "default", "dependent", owner);
  Delete(widgets, "default", "owner", "Foreground");
  EXPECT_TRUE(IsGone(widgets, "default", "owner"));
  EXPECT_TRUE(IsGone(widgets, "default", "dependent"));
  EXPECT_TRUE(IsGone(ConfigMaps(), "default", "dependent"));

  const ObjectPtr keeper = Make(ConfigMaps(), "default", "keeper");
  Make(widgets, "default", "orphan", keeper);
  // The collector must have seen the kind and the object by now, or it would not know whom to
  // spare.
  executor_.Until([] { return false; }, std::chrono::milliseconds(300));
  Delete(ConfigMaps(), "default", "keeper", "Orphan");
  EXPECT_TRUE(IsGone(ConfigMaps(), "default", "keeper"));
  const ObjectPtr orphan = Find(widgets, "default", "orphan");
  ASSERT_NE(orphan, nullptr);
  const Value* owners = orphan->root().FindPath({"metadata", "ownerReferences"});
  EXPECT_TRUE(owners == nullptr || owners->size() == 0);
}

TEST_F(UpLoopsTest, NamespacesGoWithAllThatIsInThem) {
  const ApiResource gadgets = Define("gadgets", "Gadget");
  Make(Namespaces(), "", "doomed");
  for (int i = 0; i < 300; ++i) Make(ConfigMaps(), "doomed", "c" + std::to_string(i));
  Make(gadgets, "doomed", "g");
  Delete(Namespaces(), "", "doomed", "");
  const ObjectPtr terminating = Find(Namespaces(), "", "doomed");
  ASSERT_NE(terminating, nullptr);
  EXPECT_TRUE(IsDeleting(*terminating));
  EXPECT_TRUE(IsGone(Namespaces(), "", "doomed")) << sink_.Text();
  ClientCall list;
  list.resource = &ConfigMaps();
  list.target.name_space = "doomed";
  const Result<ClientReply> left = Await(client().List(std::move(list)));
  ASSERT_TRUE(left);
  EXPECT_EQ(left->items.size(), 0U);
}

}  // namespace
}  // namespace skiff
