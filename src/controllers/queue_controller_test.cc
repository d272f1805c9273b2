#include "controllers/queue_controller.h"

#include "controllers/objects.h"
#include "controllers/queue_controller_testing.h"

namespace skiff::controllers {
namespace {

const client::ApiResource& ConfigMaps() { return client::BuiltIn("", "v1", "configmaps"); }
const client::ApiResource& Secrets() { return client::BuiltIn("", "v1", "secrets"); }

std::vector<std::string> seen;

// Notes how much it knew when it first looked at a key.
class RecordingController final : public QueueController {
 public:
  explicit RecordingController(ControllerContext context)
      : QueueController(std::move(context), {.name = "noting"}),
        secrets_(context_.informers.For(Secrets())) {
    queue_.FollowKeys(context_.informers.For(ConfigMaps()));
    queue_.Follow(secrets_, {});
  }

 private:
  Task<Result<void>> Reconcile(std::string key) override {
    seen.push_back(key + " " + std::to_string(secrets_.List().size()));
    co_return Result<void>();
  }
  client::Informer& secrets_;
};

std::unique_ptr<Controller> MakeNoting(ControllerContext context) {
  return std::make_unique<RecordingController>(std::move(context));
}

class QueueControllerTest : public ControllerTest {
 protected:
  QueueControllerTest() { seen.clear(); }
};

TEST_F(QueueControllerTest, NothingIsLookedAtBeforeEverythingThatIsNeededHasBeenSeen) {
  Put(ConfigMaps(), R"({"metadata":{"name":"m","namespace":"a"}})");
  Put(Secrets(), R"({"metadata":{"name":"s","namespace":"a"}})");
  const Status down(StatusReason::kServiceUnavailable, "down");
  api_.Fail(
      {.verb = client::ClientVerb::kList, .resource = "secrets", .times = -1, .status = down});
  api_.SetStreamedLists(false);
  Run(MakeNoting);
  Pass(std::chrono::minutes(1));
  EXPECT_TRUE(seen.empty());
  EXPECT_FALSE(controller_->idle());
  api_.StopFailing();
  Pass(std::chrono::minutes(2));
  EXPECT_EQ(seen, std::vector<std::string>{"a/m 1"});
  EXPECT_TRUE(controller_->idle());
}

TEST_F(QueueControllerTest, AStoppedLoopLooksAtNothing) {
  Run(MakeNoting);
  controller_->Stop();
  Put(ConfigMaps(), R"({"metadata":{"name":"m","namespace":"a"}})");
  Pass(std::chrono::minutes(1));
  EXPECT_TRUE(seen.empty());
  EXPECT_TRUE(controller_->idle());
}

TEST(ObjectsTest, KeysNameObjectsWithAndWithoutANamespace) {
  EXPECT_EQ(NameOfKey("a/b"), (client::ObjectName{.name_space = "a", .name = "b"}));
  EXPECT_EQ(NameOfKey("b"), (client::ObjectName{.name_space = "", .name = "b"}));
  const auto named =
      client::ParseObject(ConfigMaps(), R"({"metadata":{"name":"b","namespace":"a"}})");
  EXPECT_EQ(KeyOf(**named), "a/b");
}

TEST(ObjectsTest, FinalizersComeAndGoInCopies) {
  const client::ObjectPtr plain =
      *client::ParseObject(ConfigMaps(), R"({"metadata":{"name":"b"}})");
  const client::ObjectPtr with = WithFinalizer(*WithFinalizer(*plain, "x/a"), "x/b");
  EXPECT_FALSE(HasFinalizer(*plain, "x/a"));
  EXPECT_TRUE(HasFinalizer(*with, "x/b"));
  EXPECT_EQ(object::EncodeJson(WithoutFinalizer(*with, "x/a")->root().Find("metadata")[0]),
            R"({"name":"b","finalizers":["x/b"]})");
  const client::ObjectPtr without = WithoutFinalizer(*WithoutFinalizer(*with, "x/a"), "x/b");
  EXPECT_EQ(object::EncodeJson(without->root()), object::EncodeJson(plain->root()));
}

TEST(ObjectsTest, TimesFarAwayDoNotOverflow) {
  EXPECT_EQ(TimeUntil({.seconds = 10, .nanos = 5}, {.seconds = 9, .nanos = 6}),
            std::chrono::nanoseconds(999'999'999));
  EXPECT_EQ(TimeUntil(object::kZeroTimestamp, {.seconds = 1'700'000'000, .nanos = 0}),
            -std::chrono::years(100));
}

}  // namespace
}  // namespace skiff::controllers
