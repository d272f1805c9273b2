// A cluster in memory and one control loop in it, on virtual time: for tests of control loops.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "base/log.h"
#include "base/random.h"
#include "client/testing.h"
#include "controllers/controller.h"
#include "controllers/objects.h"
#include "object/json/encode.h"
#include "object/scalar/base64.h"

namespace skiff::controllers {

// What was told of which object.
class RecordedEvents final : public client::EventRecorder {
 public:
  void Record(const client::ApiResource& /*resource*/, const object::Document& about,
              client::EventLevel level, std::string_view reason, std::string message) override {
    const client::ObjectName name = client::NameOf(about);
    told.push_back((level == client::EventLevel::kWarning ? "Warning " : "Normal ") +
                   std::string(reason) + " " + name.name_space + "/" + name.name + ": " + message);
  }
  std::vector<std::string> told;
};

class ControllerTest : public ::testing::Test {
 protected:
  ~ControllerTest() override { End(); }
  void End() {
    if (controller_) controller_->Stop();
    api_.Close();
    executor_.RunUntilIdle();
    controller_.reset();
  }

  // Starts the loop, if there is one with these options, and lets it do what is to be done at once.
  void Run(std::unique_ptr<Controller> (*make)(ControllerContext)) {
    informers_ = client::MakeInformerSet(client_, random_);
    controller_ = make({.client = client_,
                        .informers = *informers_,
                        .clock = executor_.clock(),
                        .random = random_,
                        .log = log_,
                        .events = events_,
                        .options = options_,
                        .metrics = &metrics_});
    if (controller_ == nullptr) return;
    controller_->Start();
    informers_->Start();
    Settle();
  }

  void Settle() { Pass(std::chrono::seconds(1)); }
  void Pass(Duration time) { executor_.Advance(time); }

  client::ObjectPtr Put(const client::ApiResource& resource, std::string_view json) {
    return api_.objects().Put(resource, json);
  }
  // An active namespace.
  void PutNamespace(const std::string& name) {
    Put(client::BuiltIn("", "v1", "namespaces"),
        "{\"metadata\":{\"name\":" + object::JsonText(name) +
            "},\"status\":{\"phase\":\"Active\"}}");
  }
  client::ObjectPtr Find(const client::ApiResource& resource, std::string name_space,
                         std::string name) {
    return api_.objects().Find(resource,
                               {.name_space = std::move(name_space), .name = std::move(name)});
  }
  void Remove(const client::ApiResource& resource, std::string name_space, std::string name) {
    api_.objects().Remove(resource, {.name_space = std::move(name_space), .name = std::move(name)});
  }
  // As a user would, gracefully.
  void Delete(const client::ApiResource& resource, std::string name_space, std::string name) {
    client::ClientCall call;
    call.verb = client::ClientVerb::kDelete;
    call.resource = &resource;
    call.target = {.name_space = std::move(name_space), .name = std::move(name)};
    EXPECT_TRUE(api_.objects().Do(call));
  }

  // What the loop has written since the last ForgetCalls().
  size_t Writes() const {
    size_t writes = 0;
    for (const client::ClientCall& call : api_.calls()) {
      writes +=
          call.verb != client::ClientVerb::kGet && call.verb != client::ClientVerb::kList ? 1 : 0;
    }
    return writes;
  }
  // Nothing is written, however long one waits.
  void ExpectQuiet(Duration time = std::chrono::hours(1)) {
    api_.ForgetCalls();
    Pass(time);
    EXPECT_EQ(Writes(), 0U);
    EXPECT_TRUE(controller_->idle());
  }

  // "2023-11-14T22:13:20Z", so much time from now.
  std::string TimeFromNow(Duration by) {
    std::string text;
    const auto at = executor_.clock().Wall() + by;
    object::AppendTime(
        {.seconds = std::chrono::floor<std::chrono::seconds>(at).count(), .nanos = 0}, text);
    return text;
  }

  // Part of an object as JSON; "" when it is not there.
  static std::string Json(const client::ObjectPtr& object,
                          std::initializer_list<std::string_view> path) {
    const object::Value* value = object ? object->root().FindPath(path) : nullptr;
    return value != nullptr ? object::EncodeJson(*value) : std::string();
  }

  static std::string Base64(std::string_view bytes) {
    std::string text(object::Base64EncodedSize(bytes.size()), '\0');
    object::EncodeBase64(bytes, text.data());
    return text;
  }

  client::ManualExecutor executor_;
  client::FakeApi api_{executor_};
  client::Client client_{api_, "test"};
  SeededRandom random_{7};
  MemoryLogSink sink_;
  Log log_{executor_.clock(), sink_};
  RecordedEvents events_;
  ControllerOptions options_;
  MetricsRegistry registry_;
  ControllerMetrics metrics_{registry_};
  std::unique_ptr<client::InformerSet> informers_;
  std::unique_ptr<Controller> controller_;
};

}  // namespace skiff::controllers
