#include "client/events.h"

#include <deque>
#include <vector>

#include <gtest/gtest.h>

#include "base/limits.h"
#include "client/manual_executor.h"
#include "object/json/encode.h"
#include "views/core/v1.h"

namespace skiff::client {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

// Keeps what is sent, and answers with an error as long as it is told to.
class Recording final : public ClientTransport {
 public:
  explicit Recording(ManualExecutor& executor) : executor_(executor) {}
  Executor& executor() override { return executor_; }
  void Send(ClientCall call, std::move_only_function<void(Result<ClientReply>)> done) override {
    Result<ClientReply> answer = ClientReply{.object = call.body};
    if (!errors.empty()) {
      answer = Fail(errors.front(), "no");
      errors.pop_front();
    }
    calls.push_back(std::move(call));
    executor_.Post([done = std::move(done), answer = std::move(answer)]() mutable {
      done(std::move(answer));
    });
  }
  std::unique_ptr<ClientWatch> Watch(WatchCall, ClientWatchSink*) override { return nullptr; }
  void Discover(std::move_only_function<void(Result<ServedApi>)>) override {}
  void Close() override {}

  std::vector<ClientCall> calls;
  std::deque<StatusReason> errors;

 private:
  ManualExecutor& executor_;
};

class EventsTest : public testing::Test {
 protected:
  EventsTest() {
    pod_ = *ParseObject(pods_, R"({"metadata":{"name":"web","namespace":"shop","uid":"u-1",
                                   "resourceVersion":"7"}})");
  }
  void Tell(std::string message) {
    recorder_->Record(pods_, *pod_, EventLevel::kWarning, "Failed", std::move(message));
  }
  const std::vector<ClientCall>& calls() const { return transport_.calls; }

  const ApiResource& pods_ = BuiltIn("", "v1", "pods");
  ObjectPtr pod_;
  ManualExecutor executor_;
  Recording transport_{executor_};
  SeededRandom random_{3};
  std::unique_ptr<EventRecorder> recorder_ =
      MakeEventRecorder(Client(transport_, "test"), "some-controller", random_);
};

TEST_F(EventsTest, AnEventNamesItsSubjectItsSourceAndItsTime) {
  Tell("no room");
  EXPECT_TRUE(calls().empty()) << "telling waits for nothing";
  executor_.RunUntilIdle();
  ASSERT_EQ(calls().size(), 1u);
  EXPECT_EQ(calls()[0].verb, ClientVerb::kCreate);
  EXPECT_EQ(object::EncodeJson(calls()[0].body->root()),
            R"({"kind":"Event","apiVersion":"v1",)"
            R"("metadata":{"name":"web.17979cfe362a0000","namespace":"shop"},)"
            R"("involvedObject":{"kind":"Pod","namespace":"shop","name":"web","uid":"u-1",)"
            R"("apiVersion":"v1","resourceVersion":"7"},"reason":"Failed","message":"no room",)"
            R"("source":{"component":"some-controller"},)"
            R"("firstTimestamp":"2023-11-14T22:13:20Z","lastTimestamp":"2023-11-14T22:13:20Z",)"
            R"("count":1,"type":"Warning","eventTime":null,)"
            R"("reportingComponent":"some-controller","reportingInstance":""})");
}

TEST_F(EventsTest, WhatHasNoNamespaceIsToldOfInDefault) {
  const ApiResource& nodes = BuiltIn("", "v1", "nodes");
  const ObjectPtr node = *ParseObject(nodes, R"({"metadata":{"name":"n1"}})");
  recorder_->Record(nodes, *node, EventLevel::kNormal, "Seen", "hello");
  executor_.RunUntilIdle();
  ASSERT_EQ(calls().size(), 1u);
  EXPECT_EQ(NameOf(*calls()[0].body).name_space, "default");
}

TEST_F(EventsTest, ANameThatIsNoneForEventsIsReplaced) {
  const ApiResource& roles = BuiltIn("rbac.authorization.k8s.io", "v1", "clusterroles");
  const ObjectPtr role = *ParseObject(roles, R"({"metadata":{"name":"system:node"}})");
  recorder_->Record(roles, *role, EventLevel::kNormal, "Seen", "hello");
  executor_.RunUntilIdle();
  ASSERT_EQ(calls().size(), 1u);
  EXPECT_EQ(NameOf(*calls()[0].body).name.size(), 36u);
}

TEST_F(EventsTest, TheSameAgainPatchesCountAndTime) {
  Tell("no room");
  executor_.RunUntilIdle();
  executor_.Advance(seconds(5));
  Tell("no room");
  executor_.RunUntilIdle();
  ASSERT_EQ(calls().size(), 2u);
  EXPECT_EQ(calls()[1].verb, ClientVerb::kPatch);
  EXPECT_EQ(calls()[1].patch_type, PatchType::kStrategic);
  EXPECT_EQ(calls()[1].target, NameOf(*calls()[0].body));
  EXPECT_EQ(calls()[1].patch,
            R"({"count":2,"lastTimestamp":"2023-11-14T22:13:25Z","message":"no room"})");
}

TEST_F(EventsTest, AnEventThatIsGoneIsMadeAgainAndGoesOnCounting) {
  Tell("no room");
  executor_.RunUntilIdle();
  transport_.errors = {StatusReason::kNotFound};
  Tell("no room");
  executor_.RunUntilIdle();
  ASSERT_EQ(calls().size(), 3u);
  EXPECT_EQ(calls()[2].verb, ClientVerb::kCreate);
  EXPECT_EQ(object::ViewAs<views::core_v1::Event>(*calls()[2].body)->count(), 2);
}

TEST_F(EventsTest, EventsOfOneMomentHaveNamesOfTheirOwn) {
  Tell("one");
  Tell("two");
  executor_.RunUntilIdle();
  ASSERT_EQ(calls().size(), 2u);
  EXPECT_NE(NameOf(*calls()[0].body), NameOf(*calls()[1].body));
}

TEST_F(EventsTest, WithoutAnAnswerItIsTriedTwelveTimesWhileOthersWait) {
  transport_.errors.assign(100, StatusReason::kServiceUnavailable);
  Tell("one");
  Tell("two");
  executor_.Advance(seconds(9));
  EXPECT_EQ(calls().size(), 2u) << "the first attempt to repeat comes at a random time";
  executor_.Advance(seconds(110));
  ASSERT_GE(calls().size(), 13u);
  EXPECT_EQ(NameOf(*calls()[0].body), NameOf(*calls()[11].body));
  EXPECT_NE(NameOf(*calls()[0].body), NameOf(*calls()[12].body));
  transport_.errors.clear();
  executor_.Advance(seconds(10));
  const size_t sent = calls().size();
  executor_.Advance(minutes(10));
  EXPECT_EQ(calls().size(), sent);
}

TEST_F(EventsTest, WhatTheServerRefusesIsDropped) {
  transport_.errors = {StatusReason::kForbidden};
  Tell("one");
  Tell("two");
  executor_.Advance(minutes(1));
  EXPECT_EQ(calls().size(), 2u);
}

TEST_F(EventsTest, TheQueueIsBounded) {
  transport_.errors.assign(1, StatusReason::kServiceUnavailable);
  for (size_t i = 0; i < limits::kMaxQueuedEvents + 500; ++i) {
    const ObjectPtr pod = *ParseObject(
        pods_, R"({"metadata":{"namespace":"shop","name":"p)" + std::to_string(i) + "\"}}");
    recorder_->Record(pods_, *pod, EventLevel::kNormal, "Seen", "hello");
  }
  executor_.Advance(minutes(10));
  EXPECT_EQ(calls().size(), limits::kMaxQueuedEvents + 1);
}

TEST_F(EventsTest, ARecorderThatIsGoneWritesNothingMore) {
  transport_.errors.assign(1, StatusReason::kTimeout);
  Tell("one");
  Tell("two");
  executor_.RunUntilIdle();
  recorder_ = nullptr;
  executor_.Advance(minutes(1));
  EXPECT_EQ(calls().size(), 1u);
}

}  // namespace
}  // namespace skiff::client
