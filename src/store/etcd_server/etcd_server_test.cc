// The server over the wire: gRPC as frames and headers, and the gateway.
#include "store/etcd_server/etcd_server.h"

#include <string>

#include <etcd_rpc.pb.h>
#include <gtest/gtest.h>

#include "base/temporary_directory.h"
#include "grpc/frame.h"
#include "net/gzip.h"
#include "net/testing_http2.h"

namespace skiff::store {
namespace {

using Fields = net::Http2Client::Fields;

constexpr std::string_view kPut = "/etcdserverpb.KV/Put";
constexpr std::string_view kRange = "/etcdserverpb.KV/Range";

struct Called {
  int code = -1;
  std::string text;
  std::string message;
  net::Http2Client::Answer answer;
};

class EtcdServerTest : public testing::Test {
 protected:
  void SetUp() override { Start(); }
  void Start() {
    EtcdServerOptions options;
    options.data_directory = directory_.path() + "/data";
    options.plain_addresses = {"127.0.0.1:0"};
    options.sync = false;
    options.max_request_bytes = max_request_bytes_;
    auto server = EtcdServer::Start(options, clock_, random_, log_);
    ASSERT_TRUE(server) << server.error().message();
    server_ = *std::move(server);
    client_.emplace(server_->addresses().front());
  }
  void Restart() {
    client_.reset();
    server_.reset();
    Start();
  }

  Called CallBody(std::string_view path, std::string body, Fields more = {}) {
    more.insert(more.begin(), {{"content-type", "application/grpc"}, {"te", "trailers"}});
    Called out;
    out.answer = client_->Wait(client_->Ask("POST", std::string(path), more, std::move(body)));
    out.text = out.answer.headers["grpc-message"];
    if (const std::string& code = out.answer.headers["grpc-status"]; !code.empty())
      out.code = std::stoi(code);
    if (out.answer.body.size() > grpc::kGrpcPrefixBytes)
      out.message = out.answer.body.substr(grpc::kGrpcPrefixBytes);
    return out;
  }
  template <typename Message>
  Called Call(std::string_view path, const Message& message, Fields more = {}) {
    return CallBody(path, std::string(grpc::FrameMessage(message).view()), std::move(more));
  }
  Called Put(std::string key, std::string value, Fields more = {}) {
    etcdserverpb::PutRequest request;
    request.set_key(std::move(key));
    request.set_value(std::move(value));
    return Call(kPut, request, std::move(more));
  }
  std::string Get(std::string key) {
    etcdserverpb::RangeRequest request;
    request.set_key(std::move(key));
    etcdserverpb::RangeResponse response;
    EXPECT_TRUE(response.ParseFromString(Call(kRange, request).message));
    return response.kvs_size() == 0 ? "none" : response.kvs(0).value();
  }
  Called Alarm(etcdserverpb::AlarmRequest::AlarmAction action, etcdserverpb::AlarmType alarm) {
    etcdserverpb::AlarmRequest request;
    request.set_action(action);
    request.set_alarm(alarm);
    request.set_memberid(5);
    return Call("/etcdserverpb.Maintenance/Alarm", request);
  }
  std::string Post(const std::string& path, std::string body, std::string* code) {
    auto& answer = client_->Wait(client_->Ask("POST", path, {}, std::move(body)));
    *code = answer.headers[":status"];
    return answer.body;
  }

  const TemporaryDirectory directory_;
  SystemClock clock_;
  SeededRandom random_{1};
  MemoryLogSink log_sink_;
  Log log_{clock_, log_sink_};
  size_t max_request_bytes_ = 1536 * 1024;
  std::unique_ptr<EtcdServer> server_;
  std::optional<net::Http2Client> client_;
};

TEST_F(EtcdServerTest, WhatIsNotThereSaysSoForEveryMethod) {
  constexpr std::string_view kAbsent[] = {
      "etcdserverpb.Auth/AuthEnable",
      "etcdserverpb.Auth/AuthDisable",
      "etcdserverpb.Auth/AuthStatus",
      "etcdserverpb.Auth/UserAdd",
      "etcdserverpb.Auth/UserGet",
      "etcdserverpb.Auth/UserList",
      "etcdserverpb.Auth/UserDelete",
      "etcdserverpb.Auth/UserChangePassword",
      "etcdserverpb.Auth/UserGrantRole",
      "etcdserverpb.Auth/UserRevokeRole",
      "etcdserverpb.Auth/RoleAdd",
      "etcdserverpb.Auth/RoleGet",
      "etcdserverpb.Auth/RoleList",
      "etcdserverpb.Auth/RoleDelete",
      "etcdserverpb.Auth/RoleGrantPermission",
      "etcdserverpb.Auth/RoleRevokePermission",
      "etcdserverpb.Cluster/MemberAdd",
      "etcdserverpb.Cluster/MemberRemove",
      "etcdserverpb.Cluster/MemberUpdate",
      "etcdserverpb.Cluster/MemberPromote",
      "etcdserverpb.Maintenance/Downgrade",
      "v3lockpb.Lock/Lock",
      "v3lockpb.Lock/Unlock",
      "v3electionpb.Election/Campaign",
      "v3electionpb.Election/Proclaim",
      "v3electionpb.Election/Leader",
      "v3electionpb.Election/Observe",
      "v3electionpb.Election/Resign",
  };
  for (const std::string_view method : kAbsent) {
    const Called called =
        CallBody("/" + std::string(method), std::string(grpc::kGrpcPrefixBytes, '\0'));
    EXPECT_EQ(called.code, 12) << method;
    const size_t slash = method.find('/');
    EXPECT_EQ(called.text, "etcdserver: not implemented: " + std::string(method.substr(slash + 1)) +
                               " of service " + std::string(method.substr(0, slash)));
    EXPECT_EQ(called.answer.headers.at(":status"), "200");
  }
  const Called unknown =
      CallBody("/etcdserverpb.KV/Steal", std::string(grpc::kGrpcPrefixBytes, '\0'));
  EXPECT_EQ(unknown.code, 12);
  EXPECT_NE(unknown.text.find("Steal"), std::string::npos);
  // A client with a name and a password goes on without when it hears this.
  const Called login =
      CallBody("/etcdserverpb.Auth/Authenticate", std::string(grpc::kGrpcPrefixBytes, '\0'));
  EXPECT_EQ(login.code, 9);
  EXPECT_EQ(login.text, "etcdserver: authentication is not enabled");
}

TEST_F(EtcdServerTest, ACallEndsWhenItsTimeIsOver) {
  EXPECT_EQ(Put("a", "1", {{"grpc-timeout", "60S"}}).code, 0);
  const Called late = Put("a", "2", {{"grpc-timeout", "0n"}});
  EXPECT_EQ(late.code, 4);
  EXPECT_EQ(late.text, "context deadline exceeded");
  EXPECT_EQ(Get("a"), "1");
  EXPECT_EQ(Put("a", "2", {{"grpc-timeout", "soon"}}).code, 13);
  EXPECT_EQ(Get("a"), "1");
}

TEST_F(EtcdServerTest, MetricsHaveWhatDashboardsLookFor) {
  ASSERT_EQ(Put("a", "1").code, 0);
  auto& metrics = client_->Wait(client_->Ask("GET", "/metrics"));
  for (const std::string_view line :
       {"etcd_server_has_leader 1\n", "etcd_server_leader_changes_seen_total 1\n",
        "etcd_server_proposals_failed_total 0\n", "etcd_server_proposals_committed_total 2\n",
        "etcd_server_quota_backend_bytes 2.147483648e+09\n", "etcd_mvcc_db_total_size_in_bytes ",
        "etcd_cluster_version{cluster_version=\"3.6\"} 1\n", "etcd_server_id{server_id=\"",
        "grpc_server_handled_total{grpc_code=\"OK\",grpc_method=\"Put\"",
        "process_resident_memory_bytes "}) {
    EXPECT_NE(metrics.body.find(line), std::string::npos) << line << metrics.body;
  }
}

TEST_F(EtcdServerTest, CompressedRequestsAreRead) {
  etcdserverpb::PutRequest request;
  request.set_key("a");
  request.set_value(std::string(100'000, 'x'));
  const SharedBytes zipped = net::GzipBytes(request.SerializeAsString());
  std::string body(grpc::kGrpcPrefixBytes, '\0');
  grpc::WriteGrpcPrefix(body.data(), zipped.size());
  body[0] = 1;
  body.append(zipped.view());
  EXPECT_EQ(CallBody(kPut, body, {{"grpc-encoding", "gzip"}}).code, 0);
  EXPECT_EQ(Get("a"), request.value());
  EXPECT_EQ(CallBody(kPut, body).code, 13);
  Called unknown = CallBody(kPut, body, {{"grpc-encoding", "snappy"}});
  EXPECT_EQ(unknown.code, 12);
  EXPECT_NE(unknown.text.find("snappy"), std::string::npos);
  EXPECT_EQ(unknown.answer.headers["grpc-accept-encoding"], "identity,gzip");
  // A stream is told the same.
  unknown = CallBody("/etcdserverpb.Watch/Watch", body, {{"grpc-encoding", "snappy"}});
  EXPECT_EQ(unknown.code, 12);
  // Small on the wire, large in memory.
  request.set_value(std::string(10'000'000, 'x'));
  const SharedBytes bomb = net::GzipBytes(request.SerializeAsString());
  body.assign(grpc::kGrpcPrefixBytes, '\0');
  grpc::WriteGrpcPrefix(body.data(), bomb.size());
  body[0] = 1;
  body.append(bomb.view());
  EXPECT_EQ(CallBody(kPut, body, {{"grpc-encoding", "gzip"}}).code, 8);
}

TEST_F(EtcdServerTest, AlarmsOutliveARestart) {
  ASSERT_EQ(Put("a", "1").code, 0);
  ASSERT_EQ(Alarm(etcdserverpb::AlarmRequest::ACTIVATE, etcdserverpb::NOSPACE).code, 0);
  Restart();
  EXPECT_EQ(Put("a", "2").code, 8);
  EXPECT_EQ(Get("a"), "1");
  ASSERT_EQ(Alarm(etcdserverpb::AlarmRequest::DEACTIVATE, etcdserverpb::NOSPACE).code, 0);
  EXPECT_EQ(Put("a", "2").code, 0);
  ASSERT_EQ(Alarm(etcdserverpb::AlarmRequest::ACTIVATE, etcdserverpb::CORRUPT).code, 0);
  Restart();
  EXPECT_EQ(Put("a", "3").code, 15);
  auto& health = client_->Wait(client_->Ask("GET", "/health"));
  EXPECT_EQ(health.headers[":status"], "503");
  EXPECT_NE(health.body.find("ALARM CORRUPT"), std::string::npos);
  auto& ready = client_->Wait(client_->Ask("GET", "/readyz"));
  EXPECT_EQ(ready.headers[":status"], "503");
  auto& live = client_->Wait(client_->Ask("GET", "/livez"));
  EXPECT_EQ(live.headers[":status"], "200");
  ASSERT_EQ(Alarm(etcdserverpb::AlarmRequest::DEACTIVATE, etcdserverpb::CORRUPT).code, 0);
  Restart();
  EXPECT_EQ(Put("a", "3").code, 0);
}

TEST_F(EtcdServerTest, OnlyTheSizeOfARequestBoundsAKeyAndOutlivesARestart) {
  const std::string key(1'000'000, 'k');
  ASSERT_EQ(Put(key, "long").code, 0);
  EXPECT_EQ(Get(key), "long");
  const Called refused = Put(std::string(1'600'000, 'k'), "longer");
  EXPECT_EQ(refused.code, 3);
  EXPECT_EQ(refused.text, "etcdserver: request is too large");
  Restart();
  EXPECT_EQ(Get(key), "long");
}

TEST_F(EtcdServerTest, LargerRequestsAreTakenIfTheFlagSaysSo) {
  max_request_bytes_ = 8 * 1024 * 1024;
  Restart();
  const std::string value(6 * 1024 * 1024, 'v');
  ASSERT_EQ(Put("a", value).code, 0);
  EXPECT_EQ(Get("a"), value);
  etcdserverpb::TxnRequest request;
  request.add_success()->mutable_request_put()->set_key("b");
  request.mutable_success(0)->mutable_request_put()->set_value(value);
  EXPECT_EQ(Call("/etcdserverpb.KV/Txn", request).code, 0);
  EXPECT_EQ(Get("b"), value);
  EXPECT_EQ(Put("a", std::string(max_request_bytes_ + 1, 'v')).text,
            "etcdserver: request is too large");
}

TEST_F(EtcdServerTest, TheGatewaySpeaksJson) {
  std::string code;
  EXPECT_NE(
      Post("/v3/kv/put", R"({"key":"YQ==","value":"MQ=="})", &code).find("\"revision\":\"2\""),
      std::string::npos);
  EXPECT_EQ(code, "200");
  EXPECT_NE(Post("/v3/kv/range", R"({"key":"YQ=="})", &code)
                .find(R"("kvs":[{"key":"YQ==","create_revision":"2","mod_revision":"2",)"
                      R"("version":"1","value":"MQ=="}],"count":"1")"),
            std::string::npos);
  EXPECT_EQ(Post("/v3/kv/range", "{}", &code),
            R"({"error":"etcdserver: key is not provided",)"
            R"("message":"etcdserver: key is not provided","code":3})");
  EXPECT_EQ(code, "400");
  Post("/v3/kv/range", "{", &code);
  EXPECT_EQ(code, "400");
  Post("/v3/kv/nothing", "{}", &code);
  EXPECT_EQ(code, "404");
  Post("/v3/auth/enable", "{}", &code);
  EXPECT_EQ(code, "501");
  auto& got = client_->Wait(client_->Ask("GET", "/v3/kv/range"));
  EXPECT_EQ(got.headers[":status"], "405");
}

TEST_F(EtcdServerTest, TheGatewayRefusesWhatPagesOfOtherHostsAsk) {
  const auto put_from = [&](const std::string& origin) {
    auto& answer = client_->Wait(
        client_->Ask("POST", "/v3/kv/put", {{"origin", origin}}, R"({"key":"YQ=="})"));
    return answer.headers[":status"];
  };
  EXPECT_EQ(put_from("https://evil.example"), "403");
  EXPECT_EQ(put_from("null"), "403");
  EXPECT_EQ(Get("a"), "none");
  EXPECT_EQ(put_from("http://a"), "200");
}

TEST_F(EtcdServerTest, OthersCannotLookIntoTheStore) {
  const auto mode = [&](const std::string& path) {
    return std::filesystem::status(directory_.path() + path).permissions();
  };
  EXPECT_EQ(mode("/data"), std::filesystem::perms::owner_all);
  EXPECT_EQ(mode("/data/store"), std::filesystem::perms::owner_all);
}

TEST_F(EtcdServerTest, TheGatewayAnswersStreamsWithALineForEachMessage) {
  std::string code;
  Post("/v3/kv/put", R"({"key":"YQ==","value":"MQ=="})", &code);
  const int32_t id = client_->Ask(
      "POST", "/v3/watch", {},
      R"({"create_request":{"key":"YQ==","start_revision":"2"}}{"progress_request":{}})");
  while (std::ranges::count(client_->answers[id].body, '\n') < 3 && client_->Step()) {
  }
  const std::string& body = client_->answers[id].body;
  EXPECT_NE(body.find(R"("created":true)"), std::string::npos) << body;
  EXPECT_NE(body.find(R"("events":[{"kv":{"key":"YQ==")"), std::string::npos) << body;
  EXPECT_NE(body.find(R"("watch_id":"-1"})"), std::string::npos) << body;
  client_->Reset(id);
  EXPECT_NE(Post("/v3/lease/keepalive", R"({"ID":"5"}{"ID":"6"})", &code).find("\"ID\":\"6\""),
            std::string::npos);
}

}  // namespace
}  // namespace skiff::store
