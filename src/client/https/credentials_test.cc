// Credentials that change while a client runs, and ones that are wrong.
#include <atomic>
#include <mutex>

#include "base/log.h"
#include "client/https/testing.h"

namespace skiff::client {
namespace {

class CredentialsTest : public HttpsTest {
 protected:
  // Answers with the name of an object that says who asked.
  void ServeWhoAmI() {
    Serve([this](net::HttpRequest request, net::Responder responder) {
      const std::string who = request.peer != nullptr
                                  ? request.peer->common_name
                                  : std::string(request.headers.Get("authorization"));
      if (who == "Bearer " + refused_ || who == refused_)
        return std::move(responder).Respond(
            JsonResponse(R"({"kind":"Status","apiVersion":"v1","message":"Unauthorized",)"
                         R"("reason":"Unauthorized","code":401})",
                         401));
      std::move(responder).Respond(JsonResponse(ConfigMap(who)));
    });
  }
  std::string WhoAmI() {
    const auto reply = Call(GetCall());
    return reply ? NameOf(*reply->object).name : reply.error().message();
  }
  void WriteCertificate(const net::TestCertificate& certificate) {
    config_.certificate.file = folder_.Write("client.crt", certificate.CertificatePem());
    config_.key.file = folder_.Write("client.key", certificate.KeyPem());
  }

  std::string refused_ = "nobody";
};

TEST_F(CredentialsTest, ATokenFileIsReadAgain) {
  config_.token.file = folder_.Write("token", "first\n");
  ServeWhoAmI();
  Connect();
  EXPECT_EQ(WhoAmI(), "Bearer first");
  folder_.Write("token", "second");
  EXPECT_EQ(WhoAmI(), "Bearer first");
  Advance(std::chrono::seconds(61));
  EXPECT_EQ(WhoAmI(), "Bearer second");
  // What cannot be read does not take away what there is.
  std::filesystem::remove(folder_.Path("token"));
  Advance(std::chrono::seconds(61));
  EXPECT_EQ(WhoAmI(), "Bearer second");
}

TEST_F(CredentialsTest, ATokenThatIsRefusedIsReadAtOnce) {
  config_.token.file = folder_.Write("token", "first");
  ServeWhoAmI();
  Connect();
  EXPECT_EQ(WhoAmI(), "Bearer first");
  folder_.Write("token", "second");
  refused_ = "first";
  EXPECT_EQ(WhoAmI(), "Bearer second");
  refused_ = "second";
  EXPECT_TRUE(WhoAmI().starts_with("Unauthorized; the token in "));
}

TEST_F(CredentialsTest, AWatchIsBegunAgainWithANewToken) {
  config_.token.file = folder_.Write("token", "first");
  Serve([](net::HttpRequest request, net::Responder responder) {
    if (request.headers.Get("authorization") == "Bearer second")
      return std::move(responder).Respond(JsonResponse(""));
    std::move(responder).Respond(JsonResponse("{}", 401));
  });
  Connect();
  std::string fault;
  const auto watch_once = [&] {
    RecordingSink sink;
    std::unique_ptr<ClientWatch> watch;
    OnLoop([&] {
      WatchCall call;
      call.resource = &BuiltIn("", "v1", "configmaps");
      watch = transport_->Watch(call, &sink);
    });
    EXPECT_TRUE(sink.WaitFor(1));
    OnLoop([&] { watch.reset(); });
    fault = sink.fault();
    return sink.text();
  };
  EXPECT_EQ(watch_once(), "end Unauthorized");
  EXPECT_TRUE(fault.contains("the token in " + folder_.Path("token") + " was read again")) << fault;
  folder_.Write("token", "second");
  EXPECT_EQ(watch_once(), "end");
}

TEST_F(CredentialsTest, CertificateFilesAreReadAgain) {
  WriteCertificate(net::TestCertificate({.common_name = "alice", .usage = "clientAuth"}, &ca_));
  ServeWhoAmI();
  Connect();
  EXPECT_EQ(WhoAmI(), "alice");
  const net::TestCertificate bob({.common_name = "bob", .usage = "clientAuth"}, &ca_);
  folder_.Write("client.crt", bob.CertificatePem());
  Advance(std::chrono::seconds(61));
  // The key does not fit yet.
  EXPECT_EQ(WhoAmI(), "alice");
  folder_.Write("client.key", bob.KeyPem());
  Advance(std::chrono::seconds(61));
  EXPECT_EQ(WhoAmI(), "bob");
}

TEST_F(CredentialsTest, ACertificateThatIsRefusedIsReadAtOnce) {
  WriteCertificate(net::TestCertificate({.common_name = "alice", .usage = "clientAuth"}, &ca_));
  ServeWhoAmI();
  Connect();
  EXPECT_EQ(WhoAmI(), "alice");
  WriteCertificate(net::TestCertificate({.common_name = "bob", .usage = "clientAuth"}, &ca_));
  refused_ = "alice";
  EXPECT_EQ(WhoAmI(), "bob");
}

TEST_F(CredentialsTest, ACertificateThatHasExpiredIsSaidToBe) {
  WriteCertificate(net::TestCertificate(
      {.common_name = "alice", .usage = "clientAuth", .valid_until = -60}, &ca_));
  Serve([](net::HttpRequest, net::Responder responder) {
    std::move(responder).Respond(JsonResponse(
        R"({"kind":"Status","apiVersion":"v1","message":"Unauthorized","reason":"Unauthorized",)"
        R"("code":401})",
        401));
  });
  Connect();
  EXPECT_EQ(WhoAmI(), "Unauthorized; the certificate of this client (" +
                          folder_.Path("client.crt") + ") has expired and must be renewed");
}

TEST_F(CredentialsTest, TheCaIsReadAgain) {
  const net::TestCertificate other({.common_name = "other", .is_ca = true});
  config_.ca = {.file = folder_.Write("trusted.crt", other.CertificatePem())};
  ServeWhoAmI();
  Connect();
  const std::string error = WhoAmI();
  EXPECT_NE(error.find("the CA that this client was given is not the one that signed it"),
            std::string::npos)
      << error;
  folder_.Write("trusted.crt", ca_.CertificatePem());
  Advance(std::chrono::seconds(61));
  EXPECT_EQ(WhoAmI(), "");
}

TEST_F(CredentialsTest, ServersWithBadCertificatesAreExplained) {
  const net::TestCertificate expired(
      {.common_name = "server", .names = "IP:127.0.0.1", .valid_until = -60}, &ca_);
  folder_.Write("tls.crt", expired.CertificatePem());
  folder_.Write("tls.key", expired.KeyPem());
  ServeWhoAmI();
  Connect();
  const std::string error = WhoAmI();
  EXPECT_NE(error.find("certificate has expired; it must be renewed on the server"),
            std::string::npos)
      << error;
  OnLoop([this] {
    transport_->Close();
    transport_.reset();
  });
  StopServer();
  const net::TestCertificate elsewhere({.common_name = "server", .names = "DNS:elsewhere"}, &ca_);
  folder_.Write("tls.crt", elsewhere.CertificatePem());
  folder_.Write("tls.key", elsewhere.KeyPem());
  ServeWhoAmI();
  Connect();
  EXPECT_NE(WhoAmI().find("set tls-server-name"), std::string::npos);
  OnLoop([this] {
    transport_->Close();
    transport_.reset();
  });
  config_.server_name = "elsewhere";
  Connect();
  EXPECT_EQ(WhoAmI(), "");
}

TEST_F(CredentialsTest, OldConnectionsServeTheirRequestsToTheEnd) {
  WriteCertificate(net::TestCertificate({.common_name = "alice", .usage = "clientAuth"}, &ca_));
  std::mutex mutex;
  std::vector<net::Responder> held;
  net::Latch arrived;
  Serve([&](net::HttpRequest request, net::Responder responder) {
    if (!request.path.ends_with("/slow"))
      return std::move(responder).Respond(JsonResponse(ConfigMap(request.peer->common_name)));
    std::lock_guard lock(mutex);
    held.push_back(std::move(responder));
    arrived.Open();
  });
  Connect();
  Advance(std::chrono::seconds(40));  // before there is a connection, which would be pinged now
  auto slow = Start(GetCall("slow"));
  ASSERT_TRUE(arrived.Wait());
  WriteCertificate(net::TestCertificate({.common_name = "bob", .usage = "clientAuth"}, &ca_));
  Advance(std::chrono::seconds(21));
  EXPECT_EQ(WhoAmI(), "bob");
  {
    std::lock_guard lock(mutex);
    std::move(held.front()).Respond(JsonResponse(ConfigMap("old")));
  }
  ASSERT_TRUE(slow->done.Wait());
  ASSERT_TRUE(slow->reply) << slow->reply.error().message();
  EXPECT_EQ(NameOf(*slow->reply->object).name, "old");
  EXPECT_EQ(WhoAmI(), "bob");
}

TEST_F(CredentialsTest, ImpersonationIsInTheHeaders) {
  std::string seen;
  Serve([&](net::HttpRequest request, net::Responder responder) {
    for (const auto& field : request.headers.fields())
      if (field.name.starts_with("impersonate-")) seen += field.name + "=" + field.value + ";";
    seen += request.headers.Get("user-agent");
    std::move(responder).Respond(JsonResponse(ConfigMap("a")));
  });
  config_.impersonation = {
      .user = "eve", .uid = "7", .groups = {"g", "h"}, .extra = {{"Example.com/K", {"v"}}}};
  config_.user_agent = "tester/1";
  Connect();
  ASSERT_TRUE(Call(GetCall()));
  EXPECT_EQ(seen,
            "impersonate-user=eve;impersonate-uid=7;impersonate-group=g;impersonate-group=h;"
            "impersonate-extra-example.com%2fk=v;tester/1");
}

TEST_F(CredentialsTest, NoSecretIsInLogsOrErrors) {
  MemoryLogSink log_sink;
  Log log(system_clock_, log_sink);
  const net::TestCertificate alice({.common_name = "alice", .usage = "clientAuth"}, &ca_);
  WriteCertificate(alice);
  config_.token = {.text = "hunter2", .file = folder_.Write("token", "hunter3")};
  Serve([](net::HttpRequest, net::Responder responder) {
    std::move(responder).Respond(TypedResponse("text/plain", "no", 401));
  });
  HttpsEnvironment environment = Environment();
  environment.log = &log;
  transport_ = *HttpsTransport::Open(environment, config_);
  std::string errors = WhoAmI();
  folder_.Write("client.key", "no key, but hunter4");
  folder_.Write("token", "hunter5 hunter6");
  Advance(std::chrono::seconds(61));
  errors += WhoAmI();
  StopServer();
  errors += CallThroughTime(GetCall()).error().message();
  const std::string all = errors + log_sink.Text();
  EXPECT_EQ(all.find("hunter"), std::string::npos) << all;
  EXPECT_NE(all.find("certificates of a client stay as they are"), std::string::npos) << all;
}

}  // namespace
}  // namespace skiff::client
