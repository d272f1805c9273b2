#include "client/https/https_watch.h"

#include "client/https/testing.h"
#include "net/gzip.h"
#include "object/protobuf/wire.h"

namespace skiff::client {
namespace {

std::string Field(uint32_t number, std::string_view bytes) {
  uint8_t head[2 * object::kMaxVarintBytes];
  uint8_t* end = object::WriteVarint(head, object::WireKey(number, object::WireType::kBytes));
  end = object::WriteVarint(end, bytes.size());
  return std::string(reinterpret_cast<const char*>(head), static_cast<size_t>(end - head))
      .append(bytes);
}

// An event as a server frames it.
std::string ProtobufEvent(std::string_view type, std::string_view json) {
  const std::string event = Field(1, type) + Field(2, Field(1, AsProtobuf(json)));
  std::string out;
  for (int shift = 24; shift >= 0; shift -= 8)
    out += static_cast<char>(event.size() >> static_cast<unsigned>(shift) & 0xff);
  return out + event;
}
std::string JsonEvent(std::string_view type, std::string_view json) {
  return R"({"type":")" + std::string(type) + R"(","object":)" + std::string(json) + "}\n";
}

constexpr std::string_view kExpired =
    R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure",)"
    R"("message":"too old resource version","reason":"Expired","code":410})";
constexpr std::string_view kBookmark =
    R"({"kind":"ConfigMap","apiVersion":"v1","metadata":{"resourceVersion":"7",)"
    R"("annotations":{"k8s.io/initial-events-end":"true"}}})";

class HttpsWatchTest : public HttpsTest {
 protected:
  // The server answers with what the feed gives.
  void ServeFeed(bool as_protobuf) {
    Serve([this, as_protobuf](net::HttpRequest request, net::Responder responder) {
      if (request.query.find("watch=true") == std::string::npos)
        return std::move(responder).Respond(JsonResponse(ConfigMap("a")));
      query_ = request.query;
      net::HttpResponse response = TypedResponse(
          as_protobuf ? "application/vnd.kubernetes.protobuf;stream=watch" : "application/json",
          "");
      response.source = feed_->MakeSource();
      std::move(responder).Respond(std::move(response));
    });
    Connect();
  }
  void Watch() {
    OnLoop([this] {
      WatchCall call;
      call.resource = &BuiltIn("", "v1", "configmaps");
      call.resource_version = "5";
      watch_ = transport_->Watch(call, &sink_);
    });
  }
  void TearDown() override {
    OnLoop([this] { watch_.reset(); });
    HttpsTest::TearDown();
  }

  std::shared_ptr<net::Feed> feed_ = std::make_shared<net::Feed>();
  RecordingSink sink_;
  std::unique_ptr<ClientWatch> watch_;
  std::string query_;
};

TEST_F(HttpsWatchTest, EventsComeInBothForms) {
  for (const bool as_protobuf : {true, false}) {
    feed_ = std::make_shared<net::Feed>();
    RecordingSink sink;
    ServeFeed(as_protobuf);
    const auto event = as_protobuf ? ProtobufEvent : JsonEvent;
    OnLoop([&] {
      WatchCall call;
      call.resource = &BuiltIn("", "v1", "configmaps");
      watch_ = transport_->Watch(call, &sink);
    });
    feed_->Add(event("ADDED", ConfigMap("a")));
    const std::string second = event("MODIFIED", ConfigMap("b"));
    feed_->Add(second.substr(0, 10));
    ASSERT_TRUE(sink.WaitFor(1));
    feed_->Add(second.substr(10) + event("DELETED", ConfigMap("c")) + event("BOOKMARK", kBookmark));
    feed_->End();
    ASSERT_TRUE(sink.WaitFor(5));
    EXPECT_EQ(sink.text(), "ADDED a, MODIFIED b, DELETED c, BOOKMARK 7 end, end");
    EXPECT_EQ(sink.object(0)->kind(), "ConfigMap");
    EXPECT_EQ(sink.object(0)->type(), BuiltIn("", "v1", "configmaps").type);
    OnLoop([&] {
      watch_.reset();
      transport_->Close();
      transport_.reset();
    });
    StopServer();
  }
}

TEST_F(HttpsWatchTest, EventsComeOverHttp1WhileOthersCall) {
  server_tls_.http2 = false;
  Serve([this](net::HttpRequest request, net::Responder responder) {
    net::HttpResponse response = JsonResponse(ConfigMap("b"));
    if (request.query.contains("watch=")) {
      response.body = {};
      response.source = feed_->MakeSource();
    }
    std::move(responder).Respond(std::move(response));
  });
  Connect();
  Watch();
  feed_->Add(JsonEvent("ADDED", ConfigMap("a")));
  ASSERT_TRUE(sink_.WaitFor(1));
  EXPECT_TRUE(Call(GetCall()));
  feed_->Add(JsonEvent("MODIFIED", ConfigMap("a", "2")));
  ASSERT_TRUE(sink_.WaitFor(2));
  EXPECT_TRUE(Call(GetCall()));
  feed_->End();
  ASSERT_TRUE(sink_.WaitFor(3));
  EXPECT_EQ(sink_.text(), "ADDED a, MODIFIED a, end");
}

TEST_F(HttpsWatchTest, CompressedEventsAreInflatedAsTheyCome) {
  Serve([this](net::HttpRequest, net::Responder responder) {
    net::HttpResponse response = JsonResponse("");
    response.headers.Add("content-encoding", "gzip");
    response.source = net::MakeGzipSource(feed_->MakeSource());
    std::move(responder).Respond(std::move(response));
  });
  config_.compression = true;
  Connect();
  Watch();
  feed_->Add(JsonEvent("ADDED", ConfigMap("a")));
  ASSERT_TRUE(sink_.WaitFor(1));
  feed_->Add(JsonEvent("DELETED", ConfigMap("a", "2")));
  ASSERT_TRUE(sink_.WaitFor(2));
  EXPECT_EQ(sink_.text(), "ADDED a, DELETED a");
}

TEST_F(HttpsWatchTest, TheServerIsToldWhenToEndIt) {
  ServeFeed(true);
  Watch();
  feed_->End();
  ASSERT_TRUE(sink_.WaitFor(1));
  const size_t at = query_.find("timeoutSeconds=");
  ASSERT_NE(at, std::string::npos) << query_;
  const int seconds = std::stoi(query_.substr(at + 15));
  EXPECT_GE(seconds, 300);
  EXPECT_LT(seconds, 600);
}

TEST_F(HttpsWatchTest, AnErrorEventEndsIt) {
  ServeFeed(true);
  Watch();
  feed_->Add(ProtobufEvent("ADDED", ConfigMap("a")) + ProtobufEvent("ERROR", kExpired) +
             ProtobufEvent("ADDED", ConfigMap("b")));
  ASSERT_TRUE(sink_.WaitFor(2));
  EXPECT_EQ(sink_.text(), "ADDED a, end Expired");
  EXPECT_EQ(sink_.fault(), "too old resource version");
  EXPECT_TRUE(feed_->WaitUntilGone());
  EXPECT_EQ(sink_.text(), "ADDED a, end Expired");
}

TEST_F(HttpsWatchTest, ARefusalOfA410MeansToReadAgain) {
  Serve([&](net::HttpRequest, net::Responder responder) {
    std::move(responder).Respond(
        JsonResponse(R"({"kind":"Status","apiVersion":"v1","reason":"Gone","code":410})", 410));
  });
  Connect();
  Watch();
  ASSERT_TRUE(sink_.WaitFor(1));
  EXPECT_EQ(sink_.text(), "end Expired");
}

TEST_F(HttpsWatchTest, ARefusalIsHandedOnWithItsTime) {
  Serve([&](net::HttpRequest, net::Responder responder) {
    std::move(responder).Respond(JsonResponse(
        R"({"kind":"Status","apiVersion":"v1","message":"later","reason":"TooManyRequests",)"
        R"("details":{"retryAfterSeconds":1},"code":429})",
        429));
  });
  Connect();
  Watch();
  ASSERT_TRUE(sink_.WaitFor(1));
  EXPECT_EQ(sink_.text(), "end TooManyRequests");
}

TEST_F(HttpsWatchTest, WhatIsCutOffIsNoOrderlyEnd) {
  ServeFeed(true);
  Watch();
  feed_->Add(ProtobufEvent("ADDED", ConfigMap("a")).substr(0, 20));
  feed_->End();
  ASSERT_TRUE(sink_.WaitFor(1));
  EXPECT_EQ(sink_.text(), "end ServiceUnavailable");
}

TEST_F(HttpsWatchTest, AServerThatGoesAwayIsNoOrderlyEnd) {
  ServeFeed(false);
  Watch();
  feed_->Add(JsonEvent("ADDED", ConfigMap("a")));
  ASSERT_TRUE(sink_.WaitFor(1));
  StopServer();
  ASSERT_TRUE(sink_.WaitFor(2));
  EXPECT_EQ(sink_.text(), "ADDED a, end ServiceUnavailable");
}

TEST_F(HttpsWatchTest, GarbageEndsIt) {
  for (const std::string_view garbage :
       {std::string_view("\xff\xff\xff\xff"), std::string_view("\0\0\0\2\xff\xff", 6)}) {
    feed_ = std::make_shared<net::Feed>();
    RecordingSink sink;
    ServeFeed(true);
    OnLoop([&] {
      WatchCall call;
      call.resource = &BuiltIn("", "v1", "configmaps");
      watch_ = transport_->Watch(call, &sink);
    });
    feed_->Add(garbage);
    ASSERT_TRUE(sink.WaitFor(1));
    EXPECT_EQ(sink.text(), "end InternalError");
    OnLoop([&] {
      watch_.reset();
      transport_->Close();
      transport_.reset();
    });
    StopServer();
  }
}

TEST_F(HttpsWatchTest, ItMayBeStoppedWhileItSpeaks) {
  ServeFeed(true);
  sink_.on_events = [this] { watch_.reset(); };
  Watch();
  feed_->Add(ProtobufEvent("ADDED", ConfigMap("a")) + ProtobufEvent("ERROR", kExpired));
  ASSERT_TRUE(sink_.WaitFor(1));
  EXPECT_TRUE(feed_->WaitUntilGone());
  OnLoop([] {});
  EXPECT_EQ(sink_.text(), "ADDED a");
}

TEST_F(HttpsWatchTest, AQuietWatchStaysOpen) {
  ServeFeed(true);
  Watch();
  feed_->Add(ProtobufEvent("ADDED", ConfigMap("a")));
  ASSERT_TRUE(sink_.WaitFor(1));
  // The server answers pings, so that nothing happens however long nothing is to be told. It has
  // done so, on its only thread, once it has answered two calls over a connection of their own.
  auto others = *HttpsTransport::Open(Environment(), config_);
  for (int i = 0; i < 20; ++i) {
    Advance(std::chrono::seconds(16));
    for (int call = 0; call < 2; ++call) {
      net::Latch answered;
      OnLoop([&] { others->Send(GetCall(), [&](const auto&) { answered.Open(); }); });
      ASSERT_TRUE(answered.Wait());
    }
  }
  OnLoop([&] { others.reset(); });
  EXPECT_EQ(sink_.text(), "ADDED a");
}

TEST_F(HttpsWatchTest, AServerThatHasFallenSilentIsFoundOut) {
  net::Latch stuck, released;
  Serve([&](net::HttpRequest request, net::Responder responder) {
    if (request.query.find("watch=true") == std::string::npos) {
      stuck.Open();
      released.Wait();  // its only thread answers no pings now
      return;
    }
    net::HttpResponse response = JsonResponse("");
    response.source = feed_->MakeSource();
    std::move(responder).Respond(std::move(response));
  });
  Connect();
  Watch();
  feed_->Add(JsonEvent("ADDED", ConfigMap("a")));
  ASSERT_TRUE(sink_.WaitFor(1));
  auto write = Start(CreateCall());
  ASSERT_TRUE(stuck.Wait());
  for (int i = 0; i < 3; ++i) Advance(std::chrono::seconds(16));
  ASSERT_TRUE(sink_.WaitFor(2));
  EXPECT_EQ(sink_.text(), "ADDED a, end ServiceUnavailable");
  EXPECT_NE(sink_.fault().find("the server has fallen silent"), std::string::npos);
  ASSERT_TRUE(write->done.Wait());
  EXPECT_EQ(write->reply.error().reason(), StatusReason::kServerTimeout);
  released.Open();
  StopServer();
}

TEST_F(HttpsWatchTest, MetadataIsEnoughWhereItIsAskedFor) {
  ServeFeed(true);
  OnLoop([&] {
    WatchCall call;
    call.resource = &BuiltIn("", "v1", "configmaps");
    call.metadata_only = true;
    watch_ = transport_->Watch(call, &sink_);
  });
  feed_->Add(ProtobufEvent("ADDED",
                           R"({"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1",)"
                           R"("metadata":{"name":"p","ownerReferences":[{"uid":"u"}]}})"));
  ASSERT_TRUE(sink_.WaitFor(1));
  EXPECT_EQ(sink_.text(), "ADDED p");
}

}  // namespace
}  // namespace skiff::client
