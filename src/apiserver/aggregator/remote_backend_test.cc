#include "apiserver/aggregator/remote_backend.h"

#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "apiserver/aggregator/backend_caller.h"
#include "base/log.h"
#include "net/server.h"
#include "net/testing_tls.h"

namespace skiff::apiserver {
namespace {

// Answers with what it was asked.
class Echo final : public net::HttpHandler {
 public:
  void Handle(net::HttpRequest request, net::Responder responder) override {
    net::HttpResponse response;
    std::string body = std::to_string(request.version) + " " + request.path + "?" + request.query;
    for (const char* name : {"x-remote-user", "x-remote-group", "accept", "if-none-match"}) {
      for (const auto& field : request.headers.fields()) {
        if (field.name == name) body.append(" ").append(name).append("=").append(field.value);
      }
    }
    body += request.peer != nullptr ? " by " + request.peer->common_name : " by nobody";
    if (request.path == "/large") body.assign(1000, 'x');
    if (request.path == "/never") return Keep(std::move(responder));
    response.headers.Add("etag", "\"1\"");
    response.body = SharedBytes(body);
    std::move(responder).Respond(std::move(response));
  }

 private:
  void Keep(net::Responder responder) { kept_.push_back(std::move(responder)); }
  std::vector<net::Responder> kept_;
};

class RemoteBackendTest : public testing::Test {
 protected:
  RemoteBackendTest() {
    net::HttpServerOptions options;
    options.handler = &echo_;
    options.clock = &clock_;
    options.addresses = {"127.0.0.1:0"};
    options.tls.emplace();
    options.tls->certificate.certificate_file =
        folder_.Write("tls.crt", server_certificate_.CertificatePem());
    options.tls->certificate.key_file = folder_.Write("tls.key", server_certificate_.KeyPem());
    options.tls->client_ca_files = {folder_.Write("ca.crt", ca_.CertificatePem())};
    server_ = std::move(*net::HttpServer::Start(std::move(options)));
    const std::string& address = server_->addresses().front();
    port_ = static_cast<uint16_t>(std::stoi(address.substr(address.rfind(':') + 1)));
    WriteProxy(proxy_);
    EXPECT_TRUE(certificate_.Load());
    EXPECT_TRUE(caller_.Start());
  }
  ~RemoteBackendTest() override {
    caller_.Stop();
    server_->Stop();
  }

  void WriteProxy(const net::TestCertificate& certificate) {
    folder_.Write("proxy.crt", certificate.CertificatePem());
    folder_.Write("proxy.key", certificate.KeyPem());
  }

  RemoteBackendPtr Backend(std::string ca) {
    BackendState state;
    state.spec.name = "v1.ext";
    state.spec.service = {.name_space = "ns", .name = "svc", .port = 443};
    state.spec.ca_pem = std::move(ca);
    return std::make_shared<const RemoteBackend>(std::move(state), caller_);
  }

  Result<BackendReply> Ask(const RemoteBackendPtr& backend, BackendRequest request) {
    Result<BackendReply> out = BackendReply();
    net::Latch done;
    backend->Get(std::move(request), [&](Result<BackendReply> reply) {
      out = std::move(reply);
      done.Open();
    });
    EXPECT_TRUE(done.Wait());
    return out;
  }
  std::string Body(const Result<BackendReply>& reply) {
    return reply ? reply->body : "fault: " + reply.error().message();
  }

  net::TestFolder folder_;
  net::TestCertificate ca_{{.common_name = "ca", .is_ca = true}};
  net::TestCertificate server_certificate_{
      {.common_name = "ext", .usage = "serverAuth", .names = "DNS:svc.ns.svc"}, &ca_};
  net::TestCertificate proxy_{{.common_name = "proxy", .usage = "clientAuth"}, &ca_};
  SystemClock clock_;
  MemoryLogSink sink_;
  Log log_{clock_, sink_};
  Echo echo_;
  std::unique_ptr<net::HttpServer> server_;
  uint16_t port_ = 0;
  ProxyCertificate certificate_{folder_.Path("proxy.crt"), folder_.Path("proxy.key"), log_};
  BackendCaller caller_{clock_,
                        [this](const CalledService&) {
                          return CalledAddress{"127.0.0.1", port_};
                        },
                        certificate_};
};

TEST_F(RemoteBackendTest, IsAskedOverHttp2AsWhoeverIsWanted) {
  const auto reply = Ask(Backend(ca_.CertificatePem()), {.path = "/apis/ext/v1?a=b",
                                                         .accept = "application/json",
                                                         .if_none_match = "\"1\"",
                                                         .groups = {"g1", "g2"}});
  EXPECT_EQ(Body(reply),
            "20 /apis/ext/v1?a=b x-remote-user=system:aggregator x-remote-group=g1 "
            "x-remote-group=g2 accept=application/json if-none-match=\"1\" by proxy");
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->code, 200);
  EXPECT_EQ(reply->headers.Get("etag"), "\"1\"");
}

TEST_F(RemoteBackendTest, AnAnswerBeyondTheBoundIsAFault) {
  EXPECT_EQ(Body(Ask(Backend(ca_.CertificatePem()), {.path = "/large", .max_bytes = 999})),
            "fault: its answer is too large");
  EXPECT_EQ(Body(Ask(Backend(ca_.CertificatePem()), {.path = "/large", .max_bytes = 1000})),
            std::string(1000, 'x'));
}

TEST_F(RemoteBackendTest, AServerOfAnotherCaIsNotBelieved) {
  const net::TestCertificate other({.common_name = "other", .is_ca = true});
  EXPECT_NE(Body(Ask(Backend(other.CertificatePem()), {.path = "/"})).find("x509: certificate"),
            std::string::npos);
  EXPECT_NE(
      Body(Ask(Backend("no certificate"), {.path = "/"})).find("unable to load root certificates"),
      std::string::npos);
}

TEST_F(RemoteBackendTest, AnAnswerThatDoesNotComeIsAFaultInTime) {
  EXPECT_EQ(Body(Ask(Backend(ca_.CertificatePem()),
                     {.path = "/never", .timeout = std::chrono::milliseconds(50)})),
            "fault: context deadline exceeded");
}

TEST_F(RemoteBackendTest, ACertificateThatChangesIsShownFromThenOn) {
  const RemoteBackendPtr backend = Backend(ca_.CertificatePem());
  EXPECT_TRUE(Body(Ask(backend, {.path = "/"})).ends_with("by proxy"));
  const net::TestCertificate renewed({.common_name = "renewed", .usage = "clientAuth"}, &ca_);
  WriteProxy(renewed);
  certificate_.Reload();
  EXPECT_EQ(certificate_.fault(), "");
  EXPECT_TRUE(Body(Ask(backend, {.path = "/"})).ends_with("by renewed"));
  // Half of a pair changes nothing.
  folder_.Write("proxy.crt", proxy_.CertificatePem());
  certificate_.Reload();
  EXPECT_NE(certificate_.fault(), "");
  EXPECT_TRUE(Body(Ask(backend, {.path = "/"})).ends_with("by renewed"));
}

TEST_F(RemoteBackendTest, WhoeverWaitsWhenTheServerEndsHearsIt) {
  const RemoteBackendPtr backend = Backend(ca_.CertificatePem());
  net::Latch done;
  std::string fault;
  backend->Get({.path = "/never"}, [&](const Result<BackendReply>& reply) {
    fault = Body(reply);
    done.Open();
  });
  caller_.Stop();
  EXPECT_TRUE(done.Wait());
  EXPECT_EQ(fault, "fault: the server is shutting down");
  EXPECT_EQ(Body(Ask(backend, {.path = "/"})), "fault: the server is shutting down");
}

}  // namespace
}  // namespace skiff::apiserver
