// Clients within the process that ask for what an extension API server has.
#include <mutex>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "apiserver/server_testing.h"
#include "net/server.h"
#include "net/testing_tls.h"
#include "object/json/encode.h"

namespace skiff::apiserver {
namespace {

constexpr std::string_view kWidgets = "/apis/other.example.com/v1/namespaces/default/widgets";
constexpr std::string_view kWidget =
    R"({"apiVersion":"other.example.com/v1","kind":"Widget","metadata":{"name":"a",)"
    R"("namespace":"default","resourceVersion":"7","uid":"1"},"spec":{"n":1}})";

// It has widgets, of which there is one.
class Widgets final : public net::HttpHandler {
 public:
  void Handle(net::HttpRequest request, net::Responder responder) override {
    net::HttpResponse response;
    std::string type = "application/json";
    if (request.path == "/apis") {
      type += ";g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
      response.body = SharedBytes(std::string_view(
          R"({"items":[{"metadata":{"name":"other.example.com"},"versions":[{"version":"v1",)"
          R"("resources":[{"resource":"widgets","scope":"Namespaced","responseKind":)"
          R"({"group":"","version":"","kind":"Widget"},"verbs":["watch","list","delete"]}]}]}]})"));
    } else if (request.path == "/apis/other.example.com/v1") {
      response.body = SharedBytes(std::string_view("{}"));
    } else {
      response.code = Answer(request, response);
    }
    response.headers.Add("content-type", type);
    std::move(responder).Respond(std::move(response));
  }

  std::vector<net::HttpRequest> asked() {
    const std::lock_guard lock(mutex_);
    return asked_;
  }

 private:
  int Answer(const net::HttpRequest& request, net::HttpResponse& response) {
    {
      const std::lock_guard lock(mutex_);
      asked_.push_back(request);
    }
    std::string body = R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure",)"
                       R"("message":"there is none","reason":"NotFound","code":404})";
    int code = 404;
    if (request.path == kWidgets) {
      code = 200;
      body = request.query.find("watch=") != std::string::npos
                 ? R"({"type":"ADDED","object":)" + std::string(kWidget) + "}\n" +
                       R"({"type":"DELETED","object":)" + std::string(kWidget) + "}\n"
                 : R"({"kind":"WidgetList","apiVersion":"other.example.com/v1","metadata":)"
                   R"({"resourceVersion":"9"},"items":[)" +
                       std::string(kWidget) + "]}";
    } else if (request.path == std::string(kWidgets) + "/a") {
      code = 200;
      body = request.method == "GET"
                 ? std::string(kWidget)
                 : R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Success"})";
    }
    response.body = SharedBytes(std::string_view(body));
    return code;
  }

  std::mutex mutex_;
  std::vector<net::HttpRequest> asked_;
};

class ExtensionServerClientTest : public ServerWithinTest {
 protected:
  void SetUp() override {
    net::HttpServerOptions options;
    options.handler = &handler_;
    options.clock = &clock_;
    options.addresses = {"127.0.0.1:0"};
    options.tls.emplace();
    options.tls->certificate.certificate_file =
        folder_.Write("tls.crt", certificate_.CertificatePem());
    options.tls->certificate.key_file = folder_.Write("tls.key", certificate_.KeyPem());
    other_ = std::move(*net::HttpServer::Start(std::move(options)));
    ServerWithinTest::SetUp();
  }
  void TearDown() override {
    admin_.reset();
    server_.reset();
    other_->Stop();
  }

  void Register() {
    const std::string& address = other_->addresses().front();
    Create("", "services",
           R"({"metadata":{"name":"other","namespace":"default"},"spec":{"type":"ExternalName",)"
           R"("externalName":"localhost"}})");
    Create("apiregistration.k8s.io", "apiservices",
           R"({"metadata":{"name":"v1.other.example.com"},"spec":{"group":"other.example.com",)"
           R"("version":"v1","groupPriorityMinimum":100,"versionPriority":100,)"
           R"("insecureSkipTLSVerify":true,"service":{"name":"other","namespace":"default",)"
           R"("port":)" +
               address.substr(address.rfind(':') + 1) + "}}}");
    // Requests are passed on once it is available.
    ASSERT_TRUE(Eventually([&] {
      const auto found = Find();
      return found && Await(client().Get(*found, {"default", "a"}));
    }));
  }

  void Create(std::string_view group, std::string_view name, std::string_view json) {
    const client::ApiResource& resource = client::BuiltIn(group, "v1", name);
    const auto made = Await(client().Create(resource, *client::ParseObject(resource, json)));
    ASSERT_TRUE(made) << made.error().ToString();
  }

  std::optional<client::ApiResource> Find() {
    const Result<client::ServedApi> api = Await(client().Discover());
    if (!api) return std::nullopt;
    for (const client::DiscoveredResource& each : api->resources) {
      if (each.resource.group == "other.example.com") return each.resource;
    }
    return std::nullopt;
  }

  net::TestFolder folder_;
  net::TestCertificate certificate_{
      {.common_name = "other", .usage = "serverAuth", .names = "DNS:other.default.svc"}};
  Widgets handler_;
  std::unique_ptr<net::HttpServer> other_;
};

struct Events final : client::ClientWatchSink {
  void OnEvents(std::span<const client::ClientEvent> batch) override {
    for (const client::ClientEvent& each : batch) {
      text += (each.type == client::ClientEvent::Type::kAdded ? "+" : "-") +
              client::NameOf(*each.object).name;
    }
  }
  void OnEnd(std::optional<Status> reason) override {
    ended = true;
    text += reason ? " " + reason->message() : " end";
  }
  std::string text;
  bool ended = false;
};

TEST_F(ExtensionServerClientTest, ResourcesOfAnotherServerAreFoundReadAndDeleted) {
  Register();
  const auto widgets = Find();
  ASSERT_TRUE(widgets);
  EXPECT_EQ(widgets->kind, "Widget");
  EXPECT_TRUE(widgets->namespaced);
  const auto listed = Await(client().Send(
      {.verb = client::ClientVerb::kList, .resource = &*widgets, .target = {"default", ""}}));
  ASSERT_TRUE(listed) << listed.error().ToString();
  ASSERT_EQ(listed->items.size(), 1u);
  EXPECT_EQ(listed->resource_version, "9");
  EXPECT_EQ(object::EncodeJson(listed->items[0]->root()), kWidget);
  const Result<void> deleted =
      Await(client().Delete(*widgets, {"default", "a"}, {.uid = "1", .propagation = "Orphan"}));
  EXPECT_TRUE(deleted) << deleted.error().ToString();
  const net::HttpRequest asked = handler_.asked().back();
  EXPECT_EQ(asked.method, "DELETE");
  EXPECT_NE(asked.body.find(R"("propagationPolicy":"Orphan")"), std::string::npos) << asked.body;
  EXPECT_EQ(asked.headers.Get("x-remote-user"), "admin");
  const auto missing = Await(client().Get(*widgets, {"default", "b"}));
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().reason(), StatusReason::kNotFound);
  EXPECT_EQ(missing.error().message(), "there is none");
}

TEST_F(ExtensionServerClientTest, WatchesOfAnotherServerTellItsEvents) {
  Register();
  const auto widgets = Find();
  ASSERT_TRUE(widgets);
  Events events;
  const auto watch = admin_->Watch({.resource = &*widgets, .name_space = "default"}, &events);
  EXPECT_TRUE(executor_.Until([&] { return events.ended; }));
  EXPECT_EQ(events.text, "+a-a end");
}

TEST_F(ExtensionServerClientTest, WhatHasGoneIsUnavailableAndIsAnError) {
  Register();
  const auto widgets = Find();
  ASSERT_TRUE(widgets);
  other_->Stop();
  const auto lost = Await(client().Get(*widgets, {"default", "a"}));
  ASSERT_FALSE(lost);
  EXPECT_EQ(lost.error().code(), 503);
  Events events;
  const auto watch = admin_->Watch({.resource = &*widgets, .name_space = "default"}, &events);
  EXPECT_TRUE(executor_.Until([&] { return events.ended; }));
  EXPECT_NE(events.text, " end");
}

TEST_F(ExtensionServerClientTest, AClientThatGoesLeavesNothingBehind) {
  Register();
  const auto widgets = Find();
  ASSERT_TRUE(widgets);
  bool answered = false;
  admin_->Send({.resource = &*widgets, .target = {"default", "a"}},
               [&](const Result<client::ClientReply>&) { answered = true; });
  Events events;
  auto watch = admin_->Watch({.resource = &*widgets, .name_space = "default"}, &events);
  watch.reset();
  admin_.reset();
  executor_.RunFor(std::chrono::milliseconds(50));
  EXPECT_FALSE(answered);
  EXPECT_EQ(events.text, "");
}

}  // namespace
}  // namespace skiff::apiserver
