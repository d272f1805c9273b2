#include "client/https/https_transport.h"

#include <atomic>

#include "client/https/testing.h"
#include "net/gzip.h"

namespace skiff::client {
namespace {

using HttpsTransportTest = HttpsTest;

constexpr std::string_view kProtobuf = "application/vnd.kubernetes.protobuf";

std::string NotFound() {
  return R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure",)"
         R"("message":"configmaps \"a\" not found","reason":"NotFound",)"
         R"("details":{"name":"a","kind":"configmaps","retryAfterSeconds":3,)"
         R"("causes":[{"reason":"r","message":"m","field":"f"}]},"code":404})";
}

TEST_F(HttpsTransportTest, ObjectsComeAsProtobufOrJson) {
  Serve([&](net::HttpRequest request, net::Responder responder) {
    const bool as_protobuf = request.path.ends_with("/binary");
    std::move(responder).Respond(as_protobuf ? TypedResponse(kProtobuf, AsProtobuf(ConfigMap("b")))
                                             : JsonResponse(ConfigMap("a")));
  });
  Connect();
  for (const auto& [name, answered] : {std::pair{"binary", "b"}, {"text", "a"}}) {
    const auto reply = Call(GetCall(name));
    ASSERT_TRUE(reply) << reply.error().message();
    EXPECT_EQ(reply->code, 200);
    EXPECT_EQ(NameOf(*reply->object).name, answered);
    EXPECT_EQ(reply->object->kind(), "ConfigMap");
    EXPECT_EQ(reply->object->api_version(), "v1");
    EXPECT_EQ(reply->object->type(), BuiltIn("", "v1", "configmaps").type);
  }
}

TEST_F(HttpsTransportTest, WhatIsSentArrives) {
  std::string seen;
  Serve([&](net::HttpRequest request, net::Responder responder) {
    seen = request.method + " " + request.path + "?" + request.query;
    const auto sent = object::DecodeStorage(request.body);
    std::move(responder).Respond(JsonResponse(object::EncodeJson(sent->root()), 201));
  });
  Connect();
  ClientCall call = CreateCall("new");
  call.field_manager = "loop";
  const auto reply = Call(std::move(call));
  ASSERT_TRUE(reply) << reply.error().message();
  EXPECT_EQ(reply->code, 201);
  EXPECT_EQ(NameOf(*reply->object).name, "new");
  EXPECT_EQ(seen, "POST /api/v1/namespaces/default/configmaps?fieldManager=loop");
}

TEST_F(HttpsTransportTest, ListsBecomeObjectsWithTheirKind) {
  const std::string list =
      R"({"kind":"ConfigMapList","apiVersion":"v1","metadata":{"resourceVersion":"9",)"
      R"("continue":"c"},"items":[{"metadata":{"name":"a"}},{"metadata":{"name":"b"}}]})";
  std::atomic<bool> as_protobuf = true;
  Serve([&](net::HttpRequest, net::Responder responder) {
    std::move(responder).Respond(as_protobuf ? TypedResponse(kProtobuf, AsProtobuf(list))
                                             : JsonResponse(list));
  });
  Connect();
  for (const bool binary : {true, false}) {
    as_protobuf = binary;
    ClientCall call = GetCall();
    call.verb = ClientVerb::kList;
    const auto reply = Call(std::move(call));
    ASSERT_TRUE(reply) << reply.error().message();
    EXPECT_EQ(reply->object, nullptr);
    EXPECT_EQ(reply->resource_version, "9");
    EXPECT_EQ(reply->continue_token, "c");
    ASSERT_EQ(reply->items.size(), 2u);
    EXPECT_EQ(NameOf(*reply->items[1]).name, "b");
    EXPECT_EQ(reply->items[1]->kind(), "ConfigMap");
    EXPECT_EQ(reply->items[1]->api_version(), "v1");
  }
}

TEST_F(HttpsTransportTest, ADeletedCollectionIsAnsweredAsItWas) {
  Serve([&](net::HttpRequest request, net::Responder responder) {
    EXPECT_EQ(request.method, "DELETE");
    std::move(responder).Respond(JsonResponse(
        R"({"kind":"ConfigMapList","apiVersion":"v1","items":[{"metadata":{"name":"a"}}]})"));
  });
  Connect();
  ClientCall call = GetCall();
  call.verb = ClientVerb::kDeleteCollection;
  const auto reply = Call(std::move(call));
  ASSERT_TRUE(reply) << reply.error().message();
  ASSERT_EQ(reply->items.size(), 1u);
  EXPECT_EQ(NameOf(*reply->items[0]).name, "a");
}

TEST_F(HttpsTransportTest, CompressedAnswersAreAskedForAndInflated) {
  std::mutex mutex;
  std::string accepted;
  std::string encoding = "gzip";
  Serve([&](net::HttpRequest request, net::Responder responder) {
    const std::lock_guard lock(mutex);
    accepted = request.headers.Get("accept-encoding");
    net::HttpResponse response = JsonResponse(ConfigMap("a"));
    if (!encoding.empty()) {
      response.headers.Add("content-encoding", encoding);
      const SharedBytes sealed = net::GzipBytes(ConfigMap("a"));
      response.body =
          request.path.ends_with("cut") ? SharedBytes(sealed.view().substr(0, 30)) : sealed;
    }
    std::move(responder).Respond(std::move(response));
  });
  config_.compression = true;
  Connect();
  const auto reply = Call(GetCall());
  ASSERT_TRUE(reply) << reply.error().message();
  EXPECT_EQ(NameOf(*reply->object).name, "a");
  EXPECT_EQ(accepted, "gzip");
  const auto cut = CallThroughTime(GetCall("cut"));
  EXPECT_FALSE(cut) << "half of an answer is none";
  {
    const std::lock_guard lock(mutex);
    encoding.clear();
  }
  EXPECT_TRUE(Call(GetCall())) << "the server need not compress";
}

TEST_F(HttpsTransportTest, ANearServerNeedNotCompress) {
  std::atomic<bool> asked = false;
  Serve([&](net::HttpRequest request, net::Responder responder) {
    asked = !request.headers.Get("accept-encoding").empty();
    std::move(responder).Respond(JsonResponse(ConfigMap("a")));
  });
  Connect();
  EXPECT_TRUE(Call(GetCall()));
  EXPECT_FALSE(asked);
}

TEST_F(HttpsTransportTest, ServersOfHttp1AreSpokenToAlike) {
  for (const bool with_tls : {true, false}) {
    server_tls_.http2 = false;
    is_plain_ = !with_tls;
    Serve([&](net::HttpRequest request, net::Responder responder) {
      EXPECT_EQ(request.version, 11);
      EXPECT_EQ(request.headers.Get("authorization"), "Bearer secret");
      std::move(responder).Respond(request.method == "POST" ? JsonResponse(ConfigMap("new"), 201)
                                                            : JsonResponse(ConfigMap("a")));
    });
    config_.token.text = "secret";
    Connect();
    const auto reply = Call(GetCall());
    ASSERT_TRUE(reply) << reply.error().message();
    EXPECT_EQ(NameOf(*reply->object).name, "a");
    const auto made = Call(CreateCall("new"));
    ASSERT_TRUE(made) << made.error().message();
    EXPECT_EQ(made->code, 201);
    OnLoop([this] {
      transport_->Close();
      transport_.reset();
    });
    StopServer();
  }
}

TEST_F(HttpsTransportTest, CustomResourcesAreTreesWithoutAType) {
  Serve([&](net::HttpRequest, net::Responder responder) {
    std::move(responder).Respond(
        JsonResponse(R"({"kind":"WidgetList","apiVersion":"example.com/v1","metadata":{},)"
                     R"("items":[{"kind":"Widget","apiVersion":"example.com/v1",)"
                     R"("metadata":{"name":"w"},"spec":{"size":3}}]})"));
  });
  Connect();
  const ApiResource widgets{
      .group = "example.com", .version = "v1", .name = "widgets", .kind = "Widget"};
  ClientCall call;
  call.verb = ClientVerb::kList;
  call.resource = &widgets;
  auto reply = Call(call);
  ASSERT_TRUE(reply) << reply.error().message();
  ASSERT_EQ(reply->items.size(), 1u);
  EXPECT_EQ(reply->items[0]->type(), nullptr);
  EXPECT_EQ(reply->items[0]->root().FindPath({"spec", "size"})->AsInt(), 3);
  // A server that gives more than was asked for is understood as well.
  call.metadata_only = true;
  reply = Call(call);
  ASSERT_TRUE(reply) << reply.error().message();
  EXPECT_EQ(NameOf(*reply->items[0]).name, "w");
  EXPECT_EQ(reply->items[0]->root().Find("spec"), nullptr);
}

TEST_F(HttpsTransportTest, ErrorsAreWhatTheServerSaid) {
  Serve([&](net::HttpRequest request, net::Responder responder) {
    if (request.path.ends_with("/page"))
      return std::move(responder).Respond(TypedResponse("text/html", "<h1>no</h1>", 502));
    const bool as_protobuf = request.path.ends_with("/binary");
    std::move(responder).Respond(as_protobuf ? TypedResponse(kProtobuf, AsProtobuf(NotFound()), 404)
                                             : JsonResponse(NotFound(), 404));
  });
  Connect();
  for (const char* name : {"binary", "text"}) {
    const auto reply = Call(GetCall(name));
    ASSERT_FALSE(reply);
    EXPECT_EQ(reply.error().reason(), StatusReason::kNotFound);
    EXPECT_EQ(reply.error().message(), "configmaps \"a\" not found");
    EXPECT_EQ(reply.error().retry_after_seconds(), 3);
    ASSERT_NE(reply.error().subject(), nullptr);
    EXPECT_EQ(reply.error().subject()->kind, "configmaps");
    ASSERT_EQ(reply.error().causes().size(), 1u);
    EXPECT_EQ(reply.error().causes()[0].field, "f");
  }
  const auto reply = Call(GetCall("page"));
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().reason(), StatusReason::kServiceUnavailable);
  EXPECT_EQ(reply.error().message(),
            "the server answered with code 502, and not in the way of an API server");
}

TEST_F(HttpsTransportTest, AnswersThatCannotBeReadAreErrors) {
  std::string body;
  std::string type;
  Serve([&](net::HttpRequest, net::Responder responder) {
    std::move(responder).Respond(TypedResponse(type, body));
  });
  Connect();
  const std::string whole = AsProtobuf(ConfigMap("a"));
  for (const auto& [its_type, its_body] : std::vector<std::pair<std::string, std::string>>{
           {"application/json", "{"},
           {"application/json", "[]"},
           {"text/html", "<html>"},
           {std::string(kProtobuf), "k8s"},
           {std::string(kProtobuf), whole.substr(0, whole.size() - 9)}}) {
    type = its_type;
    body = its_body;
    const auto reply = Call(GetCall());
    ASSERT_FALSE(reply) << its_type << its_body;
    EXPECT_EQ(reply.error().reason(), StatusReason::kInternalError) << reply.error().message();
  }
}

TEST_F(HttpsTransportTest, WhatCannotBeReadIsNotRepeated) {
  Serve([&](net::HttpRequest, net::Responder responder) {
    std::move(responder).Respond(
        JsonResponse(R"({"kind":"ConfigMap","apiVersion":"v1","data":{"k":["hunter2"]}})"));
  });
  Connect();
  const auto reply = Call(GetCall());
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().message().find("hunter2"), std::string::npos);
  EXPECT_NE(reply.error().message().find("data.k"), std::string::npos) << reply.error().message();
}

TEST_F(HttpsTransportTest, DeletionsThatAreAnsweredWithAStatusHaveNoObject) {
  Serve([&](net::HttpRequest, net::Responder responder) {
    std::move(responder).Respond(
        JsonResponse(R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Success"})"));
  });
  Connect();
  ClientCall call = GetCall();
  call.verb = ClientVerb::kDelete;
  const auto reply = Call(std::move(call));
  ASSERT_TRUE(reply) << reply.error().message();
  EXPECT_EQ(reply->object, nullptr);
}

TEST_F(HttpsTransportTest, WhatTheServerPutsOffIsTriedAgain) {
  std::atomic<int> asked = 0;
  Serve([&](net::HttpRequest, net::Responder responder) {
    if (++asked == 3) return std::move(responder).Respond(JsonResponse(ConfigMap("a"), 201));
    net::HttpResponse response = JsonResponse("{}", asked == 1 ? 429 : 503);
    response.headers.Add("retry-after", "2");
    std::move(responder).Respond(std::move(response));
  });
  Connect();
  const auto reply = CallThroughTime(CreateCall());
  ASSERT_TRUE(reply) << reply.error().message();
  EXPECT_EQ(asked, 3);
}

TEST_F(HttpsTransportTest, WhatIsPutOffForTooLongIsAnError) {
  std::atomic<int> asked = 0;
  Serve([&](net::HttpRequest, net::Responder responder) {
    ++asked;
    net::HttpResponse response = JsonResponse("{}", 429);
    response.headers.Add("retry-after", "600");
    std::move(responder).Respond(std::move(response));
  });
  Connect();
  const auto reply = Call(GetCall());
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().reason(), StatusReason::kTooManyRequests);
  EXPECT_EQ(reply.error().retry_after_seconds(), 600);
  EXPECT_EQ(asked, 1);
}

TEST_F(HttpsTransportTest, A503WithoutATimeIsAnError) {
  std::atomic<int> asked = 0;
  Serve([&](net::HttpRequest, net::Responder responder) {
    ++asked;
    std::move(responder).Respond(JsonResponse("{}", 503));
  });
  Connect();
  EXPECT_EQ(Call(GetCall()).error().reason(), StatusReason::kServiceUnavailable);
  EXPECT_EQ(asked, 1);
}

TEST_F(HttpsTransportTest, AReadThatBreaksIsTriedAgainAndAWriteIsNot) {
  std::atomic<int> asked = 0;
  Serve([&](net::HttpRequest, net::Responder responder) {
    if (++asked % 2 == 0) return std::move(responder).Respond(JsonResponse(ConfigMap("a")));
    auto feed = std::make_shared<net::Feed>();
    net::HttpResponse response = JsonResponse("");
    response.source = feed->MakeSource();
    feed->Add(R"({"kind":)");
    std::move(responder).Respond(std::move(response));
    feed->Break();
  });
  Connect();
  const auto read = CallThroughTime(GetCall());
  ASSERT_TRUE(read) << read.error().message();
  EXPECT_EQ(asked, 2);
  const auto write = Call(CreateCall());
  ASSERT_FALSE(write);
  EXPECT_EQ(write.error().reason(), StatusReason::kServerTimeout);
  EXPECT_EQ(asked, 3);
}

TEST_F(HttpsTransportTest, AServerThatRestartsIsFoundAgain) {
  std::vector<net::Responder> held;
  net::Latch arrived;
  Serve([&](net::HttpRequest, net::Responder responder) {
    held.push_back(std::move(responder));
    arrived.Open();
  });
  Connect();
  auto lost = Start(CreateCall());
  ASSERT_TRUE(arrived.Wait());
  StopServer();
  ASSERT_TRUE(lost->done.Wait());
  EXPECT_EQ(lost->reply.error().reason(), StatusReason::kServerTimeout) << "it may have happened";
  // Nothing listens: not even a write can have happened, so that it is tried again.
  auto pending = Start(CreateCall());
  EXPECT_FALSE(pending->done.is_open());
  Serve([&](net::HttpRequest, net::Responder responder) {
    std::move(responder).Respond(JsonResponse(ConfigMap("a"), 201));
  });
  PassTimeUntil(pending->done);
  EXPECT_TRUE(pending->reply) << pending->reply.error().message();
}

TEST_F(HttpsTransportTest, TheNameOfAServerIsLookedUpAgain) {
  const auto answer = [&](net::HttpRequest, net::Responder responder) {
    std::move(responder).Respond(JsonResponse(ConfigMap("a")));
  };
  Serve(answer);
  config_.server = "https://localhost" + port_.address().substr(port_.address().rfind(':'));
  Connect();
  ASSERT_TRUE(Call(GetCall()));
  StopServer();
  EXPECT_FALSE(CallThroughTime(GetCall()));
  Serve(answer);
  const auto reply = CallThroughTime(GetCall());
  EXPECT_TRUE(reply) << reply.error().message();
}

TEST_F(HttpsTransportTest, AShortTimeoutLeavesNoTimeForFurtherTries) {
  std::atomic<int> asked = 0;
  Serve([&](net::HttpRequest, net::Responder responder) {
    ++asked;
    net::HttpResponse response = JsonResponse("{}", 429);
    response.headers.Add("retry-after", "6");
    std::move(responder).Respond(std::move(response));
  });
  config_.timeout = std::chrono::seconds(5);
  Connect();
  EXPECT_EQ(Call(GetCall()).error().reason(), StatusReason::kTooManyRequests);
  EXPECT_EQ(asked, 1);
}

TEST_F(HttpsTransportTest, AServerThatSaysGoodbyeIsLeftInOrder) {
  const auto answer = [&](net::HttpRequest, net::Responder responder) {
    std::move(responder).Respond(JsonResponse(ConfigMap("a"), 201));
  };
  Serve(answer);
  Connect();
  for (int round = 0; round < 3; ++round) {
    ASSERT_TRUE(Call(CreateCall()));
    server_->Drain(std::chrono::seconds(net::kPatienceSeconds));
    PassATurn();  // in which the client hears of it
    Serve(answer);
    const auto reply = CallThroughTime(CreateCall());
    ASSERT_TRUE(reply) << reply.error().message();
  }
}

TEST_F(HttpsTransportTest, AServerThatIsNotThereIsSaidToBeMissing) {
  config_.server = "https://" + port_.address();
  Connect();
  const auto reply = CallThroughTime(CreateCall());
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().reason(), StatusReason::kServiceUnavailable);
  EXPECT_NE(reply.error().message().find("Connection refused"), std::string::npos);
}

TEST_F(HttpsTransportTest, ASlowAnswerToAWriteLeavesItsFateOpen) {
  std::vector<net::Responder> held;
  net::Latch both_came;
  Serve([&](net::HttpRequest, net::Responder responder) {
    held.push_back(std::move(responder));
    if (held.size() == 2) both_came.Open();
  });
  Connect();
  auto read = Start(GetCall());
  auto write = Start(CreateCall());
  ASSERT_TRUE(both_came.Wait());
  Advance(std::chrono::seconds(61));
  ASSERT_TRUE(read->done.Wait());
  ASSERT_TRUE(write->done.Wait());
  EXPECT_EQ(read->reply.error().reason(), StatusReason::kTimeout);
  EXPECT_EQ(write->reply.error().reason(), StatusReason::kServerTimeout);
  server_.reset();
}

TEST_F(HttpsTransportTest, CallsBeyondTheRateWait) {
  std::atomic<int> asked = 0;
  Serve([&](net::HttpRequest, net::Responder responder) {
    ++asked;
    std::move(responder).Respond(JsonResponse(ConfigMap("a")));
  });
  config_.qps = 1;
  config_.burst = 2;
  Connect();
  ASSERT_TRUE(Call(GetCall()));
  ASSERT_TRUE(Call(GetCall()));
  auto third = Start(GetCall());
  ASSERT_FALSE(third->done.is_open());
  EXPECT_EQ(asked, 2);
  Advance(std::chrono::milliseconds(1001));
  ASSERT_TRUE(third->done.Wait());
  EXPECT_TRUE(third->reply);
}

TEST_F(HttpsTransportTest, RequestsAreCounted) {
  std::atomic<int> asked = 0;
  Serve([&](net::HttpRequest, net::Responder responder) {
    net::HttpResponse response = JsonResponse(ConfigMap("a"), ++asked == 1 ? 503 : 200);
    if (asked == 1) response.headers.Add("retry-after", "1");
    std::move(responder).Respond(std::move(response));
  });
  MetricsRegistry registry;
  RestClientMetrics metrics(registry);
  HttpsEnvironment environment = Environment();
  environment.metrics = &metrics;
  transport_ = *HttpsTransport::Open(environment, config_);
  ASSERT_TRUE(CallThroughTime(GetCall()));
  StopServer();
  EXPECT_FALSE(CallThroughTime(CreateCall()));
  const std::string text = registry.Text();
  const std::string host = "host=\"" + port_.address() + "\"";
  for (const std::string& line :
       {"rest_client_requests_total{code=\"503\"," + host + ",method=\"GET\"} 1",
        "rest_client_requests_total{code=\"200\"," + host + ",method=\"GET\"} 1",
        "rest_client_request_retries_total{code=\"503\"," + host + ",verb=\"GET\"} 1",
        "rest_client_requests_total{code=\"<error>\"," + host + ",method=\"POST\"}",
        "rest_client_rate_limiter_duration_seconds_count{" + host + ",verb=\"GET\"} 2"})
    EXPECT_NE(text.find(line), std::string::npos) << line << "\n" << text;
}

TEST_F(HttpsTransportTest, CloseAnswersEverything) {
  std::vector<net::Responder> held;
  Serve([&](net::HttpRequest, net::Responder responder) { held.push_back(std::move(responder)); });
  config_.qps = 1;
  config_.burst = 1;
  Connect();
  auto sent = Start(GetCall());
  auto throttled = Start(GetCall());
  RecordingSink sink;
  std::unique_ptr<ClientWatch> watch;
  OnLoop([&] {
    WatchCall call;
    call.resource = &BuiltIn("", "v1", "configmaps");
    watch = transport_->Watch(call, &sink);
    transport_->Close();
  });
  auto late = Start(GetCall());
  for (const auto& one : {sent.get(), throttled.get(), late.get()}) {
    ASSERT_TRUE(one->done.Wait());
    EXPECT_EQ(one->reply.error().reason(), StatusReason::kServiceUnavailable);
  }
  ASSERT_TRUE(sink.WaitFor(1));
  EXPECT_EQ(sink.text(), "end ServiceUnavailable");
  OnLoop([&] { watch.reset(); });
  server_.reset();
}

TEST_F(HttpsTransportTest, AnswersComeAfterTheCallHasReturned) {
  Serve([](net::HttpRequest, net::Responder responder) {
    std::move(responder).Respond(JsonResponse("{}"));
  });
  config_.token.file = folder_.Path("nowhere");
  Connect();
  bool returned = false;
  int answers = 0;
  const auto answer = [&](Result<ClientReply> reply) {
    EXPECT_FALSE(reply);
    EXPECT_TRUE(returned);
    ++answers;
  };
  OnLoop([&] {
    transport_->Send(GetCall(), answer);  // there is no token
    transport_->Send(GetCall(""), answer);
    returned = true;
  });
  OnLoop([] {});
  EXPECT_EQ(answers, 2);
}

}  // namespace
}  // namespace skiff::client
