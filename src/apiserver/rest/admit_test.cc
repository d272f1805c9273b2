#include "apiserver/rest/admit.h"

#include <memory>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "apiserver/defaults/testing.h"
#include "base/clock.h"
#include "base/random.h"
#include "object/json/encode.h"

namespace skiff::apiserver {
namespace {

// Nobody waits for an answer here.
class NoSink final : public net::Responder::Sink {
 public:
  void Respond(net::HttpResponse) override {}
  bool gone() const override { return true; }
  void Post(std::move_only_function<void()>) override {}
};

// Writes down what it is asked, and refuses in one of the two phases if it is told to.
class RecordingAdmission final : public Admission {
 public:
  MaybeTask<Result<void>> Mutate(AdmissionRequest& request) override {
    EXPECT_EQ(request.operation, AdmissionOperation::kConnect);
    EXPECT_EQ(request.old, nullptr);
    EXPECT_FALSE(request.dry_run);
    asked = std::string(request.object->type()->name) + " " + std::string(request.resource.name) +
            "/" + std::string(request.subresource) + " " + std::string(request.name_space) + "/" +
            std::string(request.name) + " " + request.user.name + " " +
            object::EncodeJson(request.object->root());
    return refuse_mutating ? Refusal() : Result<void>();
  }
  MaybeTask<Result<void>> Validate(AdmissionRequest&) override {
    return refuse_validating ? Refusal() : Result<void>();
  }
  static Result<void> Refusal() { return Fail(StatusReason::kForbidden, "no"); }

  std::string asked;
  bool refuse_mutating = false;
  bool refuse_validating = false;
};

class AdmitConnectionTest : public ::testing::Test {
 protected:
  // What came of asking for the URL; empty: it is admitted.
  std::string Connect(std::string path, std::string query = {}, Admission* admission = nullptr) {
    admission_.asked.clear();
    RestContext context{.clock = clock_,
                        .random = random_,
                        .deadlines = deadlines_,
                        .defaults = KindDefaults(),
                        .settings = kDefaultSettings};
    context.admission = admission;
    serving::ApiRequest request{.http = {},
                                .responder = net::Responder(std::make_shared<NoSink>())};
    auto parsed = serving::QueryParameters::Parse(query);
    EXPECT_TRUE(parsed);
    request.query = std::move(*parsed);
    auto info = serving::ReadRequestInfo("POST", path, request.query);
    EXPECT_TRUE(info);
    request.info = std::move(*info);
    request.user.name = "ann";
    Endpoint endpoint;
    endpoint.resource = object::FindResource(request.info.group, "v1", request.info.resource);
    endpoint.subresource = endpoint.resource->FindSubresource(request.info.subresource);
    endpoint.context = &context;
    Result<void> admitted = Fail(StatusReason::kTimeout, "it still waits");
    Detach<Result<void>>(AdmitConnection(request, endpoint),
                         [&](Result<void> result) { admitted = std::move(result); });
    reason_ = admitted ? StatusReason() : admitted.error().reason();
    return admitted ? "" : admitted.error().message();
  }

  SystemClock clock_;
  SystemRandom random_;
  Deadlines deadlines_{clock_};
  RecordingAdmission admission_;
  StatusReason reason_ = {};
};

TEST_F(AdmitConnectionTest, PluginsSeeTheOptionsInTheKindOfTheSubresource) {
  const std::string pod = "/api/v1/namespaces/ns/pods/p";
  const struct {
    std::string path;
    std::string query;
    std::string asked;
  } cases[] = {
      {pod + "/exec", "command=ls&command=-l&container=c&stdin=1&tty=false",
       R"(PodExecOptions pods/exec ns/p ann {"stdin":true,"container":"c",)"
       R"("command":["ls","-l"]})"},
      {pod + "/exec", "other=1", R"(PodExecOptions pods/exec ns/p ann {"command":null})"},
      {pod + "/attach", "stdout=true&stderr=False&container=c",
       R"(PodAttachOptions pods/attach ns/p ann {"stdout":true,"container":"c"})"},
      {pod + "/portforward", "ports=80&ports=443,8080",
       R"(PodPortForwardOptions pods/portforward ns/p ann {"ports":[80,443,8080]})"},
      {pod + "/portforward", "", "PodPortForwardOptions pods/portforward ns/p ann {}"},
      {pod + ":80/proxy/a/b/", "path=/elsewhere",
       R"(PodProxyOptions pods/proxy ns/p:80 ann {"path":"/a/b/"})"},
      {"/api/v1/namespaces/ns/services/s/proxy/", "",
       R"(ServiceProxyOptions services/proxy ns/s ann {"path":"/"})"},
      {"/api/v1/nodes/n/proxy/pods", "", R"(NodeProxyOptions nodes/proxy /n ann {"path":"/pods"})"},
      {"/api/v1/nodes/n/proxy", "path=/pods", "NodeProxyOptions nodes/proxy /n ann {}"},
  };
  for (const auto& each : cases) {
    EXPECT_EQ(Connect(each.path, each.query, &admission_), "") << each.path;
    EXPECT_EQ(admission_.asked, each.asked);
  }
}

TEST_F(AdmitConnectionTest, APluginOfEitherPhaseRefuses) {
  const std::string path = "/api/v1/namespaces/ns/pods/p/exec";
  admission_.refuse_mutating = true;
  EXPECT_EQ(Connect(path, "", &admission_), "no");
  EXPECT_EQ(reason_, StatusReason::kForbidden);
  admission_.refuse_mutating = false;
  admission_.refuse_validating = true;
  EXPECT_EQ(Connect(path, "", &admission_), "no");
}

TEST_F(AdmitConnectionTest, WhatIsWrongIsRefusedBeforeAnyPluginIsAsked) {
  const std::string path = "/api/v1/namespaces/ns/pods/p/portforward";
  const std::string why = "cannot convert to []int32: strconv.ParseUint: parsing ";
  const struct {
    std::string query;
    std::string says;
  } cases[] = {
      {"ports=http", why + "\"http\": invalid syntax"},
      {"ports=80,", why + "\"\": invalid syntax"},
      {"ports=-1", why + "\"-1\": invalid syntax"},
      {"ports=65536", why + "\"65536\": value out of range"},
      {"ports=80&ports=99999999999999999999", why + "\"99999999999999999999\": value out of range"},
      {"dryRun=All", "dryRun is not supported"},
      {"dryRun", "dryRun is not supported"},
  };
  for (const auto& each : cases) {
    EXPECT_EQ(Connect(path, each.query, &admission_), each.says);
    EXPECT_EQ(reason_, StatusReason::kBadRequest);
    EXPECT_EQ(admission_.asked, "");
  }
  EXPECT_EQ(Connect(path, "ports=0,65535", &admission_), "");
}

TEST_F(AdmitConnectionTest, WithoutPluginsEverythingThatIsRightIsAdmitted) {
  EXPECT_EQ(Connect("/api/v1/namespaces/ns/pods/p/attach"), "");
  EXPECT_EQ(Connect("/api/v1/namespaces/ns/pods/p/attach", "dryRun=All"),
            "dryRun is not supported");
}

}  // namespace
}  // namespace skiff::apiserver
