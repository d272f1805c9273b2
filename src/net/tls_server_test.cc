#include <algorithm>
#include <fstream>

#include <gtest/gtest.h>
#include <sys/resource.h>

#include "net/testing_tls.h"
#include "net/tls_context.h"

namespace skiff::net {
namespace {

// Tells who asks: "CN=name O=a O=b uid=u", "refused" or "nobody".
void WhoAmI(HttpRequest request, Responder responder) {
  std::string text = request.peer_refused ? "refused" : "nobody";
  if (request.peer != nullptr) {
    text = "CN=" + request.peer->common_name;
    for (const auto& organization : request.peer->organizations) text += " O=" + organization;
    if (!request.peer->uid.empty()) text += " uid=" + request.peer->uid;
  }
  std::move(responder).Respond(TextResponse(text));
}

class TlsServerTest : public testing::Test {
 protected:
  TlsServerTest() { WriteServer(server_certificate_); }

  void WriteServer(const TestCertificate& certificate) {
    options_.certificate.certificate_file = folder_.Write("tls.crt", certificate.CertificatePem());
    options_.certificate.key_file = folder_.Write("tls.key", certificate.KeyPem());
    options_.client_ca_files = {folder_.Write("ca.crt", ca_.CertificatePem())};
  }
  TestServer MakeServer() { return TestServer(WhoAmI, {}, 1, options_); }
  static std::string Ask(TestServer& server, const TestCertificate* certificate,
                         const TestCertificate* intermediate = nullptr) {
    TlsClient client(server.address(), {.certificate = certificate, .intermediate = intermediate});
    return client.connected() ? client.Get("/") : "no connection";
  }

  TestFolder folder_;
  TestCertificate ca_{{.common_name = "ca", .is_ca = true}};
  TestCertificate server_certificate_{
      {.common_name = "first", .names = "DNS:localhost,IP:127.0.0.1"}};
  TlsOptions options_;
};

TEST_F(TlsServerTest, TheProtocolIsAgreedOnByAlpn) {
  TestServer server = MakeServer();
  const auto agreed = [&](std::vector<std::string> offered) {
    TlsClient client(server.address(), {.protocols = std::move(offered)});
    return client.connected() ? client.protocol() : "no connection";
  };
  EXPECT_EQ(agreed({"http/1.1", "h2"}), "h2");
  EXPECT_EQ(agreed({"http/1.1"}), "http/1.1");
  EXPECT_EQ(agreed({}), "");
  EXPECT_EQ(agreed({"spdy/3"}), "no connection");
  EXPECT_EQ(Ask(server, nullptr), "nobody");
}

TEST_F(TlsServerTest, WithoutHttp2OnlyTheOtherIsOffered) {
  options_.http2 = false;
  TestServer server = MakeServer();
  TlsClient client(server.address(), {.protocols = {"h2", "http/1.1"}});
  EXPECT_EQ(client.protocol(), "http/1.1");
}

TEST_F(TlsServerTest, AClientIsWhoItsVerifiedCertificateSays) {
  TestServer server = MakeServer();
  TestCertificate alice({.common_name = "alice",
                         .organizations = {"dev", "system:masters"},
                         .uid = "4711",
                         .usage = "clientAuth"},
                        &ca_);
  EXPECT_EQ(Ask(server, &alice), "CN=alice O=dev O=system:masters uid=4711");
  TestCertificate without_usage({.common_name = "bob"}, &ca_);
  EXPECT_EQ(Ask(server, &without_usage), "CN=bob");
  TestCertificate unicode({.common_name = "jürgen"}, &ca_);
  EXPECT_EQ(Ask(server, &unicode), "CN=jürgen");
}

TEST_F(TlsServerTest, CertificatesThatAreNotToBeBelievedAreRefusedNotTheConnection) {
  TestServer server = MakeServer();
  TestCertificate stranger({.common_name = "eve"});
  EXPECT_EQ(Ask(server, &stranger), "refused");
  TestCertificate other_ca({.common_name = "ca", .is_ca = true});
  TestCertificate impostor({.common_name = "alice"}, &other_ca);
  EXPECT_EQ(Ask(server, &impostor), "refused");
  TestCertificate expired({.common_name = "old", .valid_until = -10}, &ca_);
  EXPECT_EQ(Ask(server, &expired), "refused");
  TestCertificate future({.common_name = "new", .valid_from = 1000}, &ca_);
  EXPECT_EQ(Ask(server, &future), "refused");
  TestCertificate for_servers({.common_name = "web", .usage = "serverAuth"}, &ca_);
  EXPECT_EQ(Ask(server, &for_servers), "refused");
  TestCertificate not_a_ca({.common_name = "leaf"}, &ca_);
  TestCertificate below_leaf({.common_name = "x"}, &not_a_ca);
  EXPECT_EQ(Ask(server, &below_leaf, &not_a_ca), "refused");
}

TEST_F(TlsServerTest, ChainsMayHaveLinksThatTheClientSends) {
  TestServer server = MakeServer();
  TestCertificate link({.common_name = "link", .is_ca = true}, &ca_);
  TestCertificate client({.common_name = "carol"}, &link);
  EXPECT_EQ(Ask(server, &client, &link), "CN=carol");
  EXPECT_EQ(Ask(server, &client), "refused");
}

TEST_F(TlsServerTest, AnAnchorNeedNotBeSelfSigned) {
  TestCertificate link({.common_name = "link", .is_ca = true}, &ca_);
  options_.client_ca_files = {folder_.Write("ca.crt", link.CertificatePem())};
  TestServer server = MakeServer();
  TestCertificate client({.common_name = "carol"}, &link);
  EXPECT_EQ(Ask(server, &client), "CN=carol");
}

TEST_F(TlsServerTest, VersionsAndCiphersAreAsConfigured) {
  {
    TestServer server = MakeServer();
    TlsClient old(server.address(), {.max_version = TLS1_1_VERSION, .ciphers = "ALL@SECLEVEL=0"});
    EXPECT_FALSE(old.connected());
    TlsClient client(server.address(), {.max_version = TLS1_2_VERSION});
    EXPECT_EQ(client.version(), "TLSv1.2");
    EXPECT_EQ(client.Get("/"), "nobody");
    EXPECT_EQ(TlsClient(server.address(), {}).cipher(), "TLS_AES_128_GCM_SHA256");
  }
  options_.cipher_suites = {"TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256"};
  {
    TestServer server = MakeServer();
    TlsClient client(server.address(), {.max_version = TLS1_2_VERSION});
    EXPECT_EQ(client.cipher(), "ECDHE-ECDSA-CHACHA20-POLY1305");
  }
  options_.min_version = "VersionTLS13";
  TestServer server = MakeServer();
  TlsClient client(server.address(), {.max_version = TLS1_2_VERSION});
  EXPECT_FALSE(client.connected());
  EXPECT_FALSE(CipherList({"TLS_RSA_WITH_RC4_128_SHA"}));
  EXPECT_FALSE(TlsVersion("VersionTLS10"));
  EXPECT_FALSE(TlsVersion("1.2"));
}

TEST_F(TlsServerTest, CertificatesAreChosenByName) {
  TestCertificate api({.common_name = "api", .names = "DNS:api.example,DNS:*.api.example"});
  TestCertificate other({.common_name = "other"});
  options_.by_name = {
      {folder_.Write("api.crt", api.CertificatePem()), folder_.Write("api.key", api.KeyPem()), {}},
      {folder_.Write("other.crt", other.CertificatePem()),
       folder_.Write("other.key", other.KeyPem()),
       {"named.example"}}};
  TestServer server = MakeServer();
  const auto shown = [&](std::string name) {
    TlsClient client(server.address(), {.server_name = std::move(name)});
    return client.server_common_name();
  };
  EXPECT_EQ(shown(""), "first");
  EXPECT_EQ(shown("api.example"), "api");
  EXPECT_EQ(shown("API.example"), "api");
  EXPECT_EQ(shown("x.api.example"), "api");
  EXPECT_EQ(shown("x.y.api.example"), "first");
  EXPECT_EQ(shown("named.example"), "other");
  EXPECT_EQ(shown("unknown.example"), "first");
  // Clients' certificates are verified whichever name was asked for.
  TestCertificate alice({.common_name = "alice"}, &ca_);
  TlsClient client(server.address(), {.certificate = &alice, .server_name = "api.example"});
  EXPECT_EQ(client.Get("/"), "CN=alice");
  // And so is the protocol agreed on.
  TlsClient modern(server.address(),
                   {.server_name = "api.example", .protocols = {"http/1.1", "h2"}});
  EXPECT_EQ(modern.protocol(), "h2");
}

TEST_F(TlsServerTest, SessionsAreResumedWithTheirCertificate) {
  TestServer server = MakeServer();
  TestCertificate link({.common_name = "link", .is_ca = true}, &ca_);
  TestCertificate alice({.common_name = "alice"}, &link);
  TestCertificate stranger({.common_name = "eve"});
  for (int version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
    for (const TestCertificate* who : {&alice, &stranger}) {
      TlsClient::Options options{.certificate = who, .max_version = version};
      if (who == &alice) options.intermediate = &link;
      const std::string expected = who == &alice ? "CN=alice" : "refused";
      TlsClient first(server.address(), options);
      EXPECT_EQ(first.Get("/"), expected);
      SSL_SESSION* session = first.TakeSession();
      options.session = session;
      TlsClient second(server.address(), options);
      EXPECT_EQ(second.Get("/"), expected);
      EXPECT_TRUE(second.resumed());
      SSL_SESSION_free(session);
    }
  }
}

TEST_F(TlsServerTest, FilesAreReadAgainWhenTheyChange) {
  SystemClock clock;
  auto context = *TlsContext::Load(options_, clock);
  EXPECT_TRUE(context->Check());
  const auto shown = [&] {
    SSL* ssl = context->NewSession();
    char text[64] = {};
    X509_NAME_get_text_by_NID(X509_get_subject_name(SSL_get_certificate(ssl)), NID_commonName, text,
                              sizeof(text));
    SSL_free(ssl);
    return std::string(text);
  };
  EXPECT_EQ(shown(), "first");
  TestCertificate second({.common_name = "second"});
  folder_.Write("tls.crt", second.CertificatePem());
  auto broken = context->Check();  // the key does not fit
  ASSERT_FALSE(broken);
  EXPECT_NE(broken.error().message().find("tls.key"), std::string::npos);
  EXPECT_EQ(shown(), "first");
  EXPECT_TRUE(context->Check());  // told once
  folder_.Write("tls.key", second.KeyPem());
  EXPECT_TRUE(context->Check());
  EXPECT_EQ(shown(), "second");
  folder_.Write("ca.crt", "nonsense");
  EXPECT_FALSE(context->Check());
  std::filesystem::remove(folder_.Path("tls.key"));
  EXPECT_FALSE(context->Check());
  EXPECT_EQ(shown(), "second");
}

// As the server does with its timer: new connections have the new files, and no session brings the
// old CA back.
TEST_F(TlsServerTest, AChangedCaIsAskedAlsoForSessionsThatWereBegunUnderTheOld) {
  TestServer server(TestServer::WithManualClock{}, WhoAmI, options_);
  const std::string address = server.address();
  TestCertificate alice({.common_name = "alice"}, &ca_);
  TlsClient first(address, {.certificate = &alice});
  EXPECT_EQ(first.Get("/"), "CN=alice");
  SSL_SESSION* session = first.TakeSession();
  TestCertificate new_ca({.common_name = "new ca", .is_ca = true});
  folder_.Write("ca.crt", new_ca.CertificatePem());
  server.Advance(limits::kTlsFileCheckInterval);
  EXPECT_EQ(Ask(server, nullptr), "nobody");  // that turn of the loop is over
  TlsClient second(address, {.certificate = &alice, .session = session});
  EXPECT_EQ(second.Get("/"), "refused");
  EXPECT_FALSE(second.resumed());
  SSL_SESSION_free(session);
  TestCertificate bob({.common_name = "bob"}, &new_ca);
  TlsClient third(address, {.certificate = &bob});
  EXPECT_EQ(third.Get("/"), "CN=bob");
}

TEST_F(TlsServerTest, AWithdrawnCaCountsAlsoForConnectionsThatAreOpen) {
  TestServer server(TestServer::WithManualClock{}, WhoAmI, options_);
  TestCertificate link({.common_name = "link", .is_ca = true}, &ca_);
  TestCertificate alice({.common_name = "alice"}, &link);
  TestCertificate new_ca({.common_name = "new ca", .is_ca = true});
  TestCertificate bob({.common_name = "bob"}, &new_ca);
  const auto ask = [](TlsClient& client) {
    client.Send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
    const std::string answer = client.Receive();
    return answer.substr(std::min(answer.size(), answer.find("\r\n\r\n") + 4));
  };
  TlsClient open(server.address(), {.certificate = &alice, .intermediate = &link});
  TlsClient too_early(server.address(), {.certificate = &bob});
  EXPECT_EQ(ask(open), "CN=alice");
  EXPECT_EQ(ask(too_early), "refused");
  const auto write_cas = [&](const std::string& text) {
    folder_.Write("ca.crt", text);
    server.Advance(limits::kTlsFileCheckInterval);
    EXPECT_EQ(Ask(server, nullptr), "nobody");  // that turn of the loop is over
  };
  write_cas(ca_.CertificatePem() + new_ca.CertificatePem());
  EXPECT_EQ(ask(open), "CN=alice");
  EXPECT_EQ(ask(too_early), "CN=bob");
  write_cas(new_ca.CertificatePem());
  EXPECT_EQ(ask(open), "refused");
  EXPECT_EQ(ask(too_early), "CN=bob");
}

// Its chain is not known any more, so it is asked to come again rather than refused for good.
TEST_F(TlsServerTest, AResumedSessionOfAWithdrawnCaIsEnded) {
  TestServer server(TestServer::WithManualClock{}, WhoAmI, options_);
  TestCertificate alice({.common_name = "alice"}, &ca_);
  TlsClient first(server.address(), {.certificate = &alice});
  EXPECT_EQ(first.Get("/"), "CN=alice");
  SSL_SESSION* session = first.TakeSession();
  TlsClient second(server.address(), {.certificate = &alice, .session = session});
  ASSERT_TRUE(second.Send("GET / HTTP/1.1\r\nHost: a\r\n\r\n"));
  EXPECT_TRUE(second.Receive().ends_with("CN=alice"));
  EXPECT_TRUE(second.resumed());
  TestCertificate new_ca({.common_name = "new ca", .is_ca = true});
  folder_.Write("ca.crt", new_ca.CertificatePem());
  server.Advance(limits::kTlsFileCheckInterval);
  EXPECT_EQ(second.Receive(), "");
  SSL_SESSION_free(session);
}

TEST_F(TlsServerTest, WhereACertificateIsRequiredAWithdrawnCaEndsConnections) {
  options_.require_client_certificate = true;
  TestServer server(TestServer::WithManualClock{}, WhoAmI, options_);
  TestCertificate alice({.common_name = "alice"}, &ca_);
  TlsClient open(server.address(), {.certificate = &alice});
  ASSERT_TRUE(open.Send("GET / HTTP/1.1\r\nHost: a\r\n\r\n"));
  EXPECT_TRUE(open.Receive().ends_with("CN=alice"));
  TestCertificate new_ca({.common_name = "new ca", .is_ca = true});
  folder_.Write("ca.crt", new_ca.CertificatePem());
  server.Advance(limits::kTlsFileCheckInterval);
  EXPECT_EQ(open.Receive(), "");
}

TEST_F(TlsServerTest, HandshakesThatTakeTooLongAreClosed) {
  TestServer server(TestServer::WithManualClock{}, WhoAmI, options_);
  RawClient silent(server.address());
  EXPECT_EQ(Ask(server, nullptr), "nobody");
  server.Advance(limits::kTlsHandshakeTimeout);
  EXPECT_EQ(silent.ReceiveAll(), "");
}

TEST_F(TlsServerTest, WhoSpeaksPlainHttpIsToldSo) {
  TestServer server = MakeServer();
  RawClient plain(server.address());
  ASSERT_TRUE(plain.Send("GET / HTTP/1.1\r\nHost: a\r\n\r\n"));
  EXPECT_EQ(plain.ReceiveAll(),
            "HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS server.\n");
}

TEST_F(TlsServerTest, ItIsKnownWhichCaVouchesForAClient) {
  TestCertificate proxy_ca({.common_name = "front proxies", .is_ca = true});
  options_.client_ca_files.push_back(folder_.Write("proxy.crt", proxy_ca.CertificatePem()));
  TestServer server(
      [](HttpRequest request, Responder responder) {
        std::move(responder).Respond(TextResponse(
            request.peer == nullptr ? "nobody" : std::to_string(request.peer->verified_by)));
      },
      {}, 1, options_);
  TestCertificate alice({.common_name = "alice"}, &ca_);
  TestCertificate proxy({.common_name = "proxy"}, &proxy_ca);
  EXPECT_EQ(Ask(server, &alice), "1");
  EXPECT_EQ(Ask(server, &proxy), "2");
  TlsClient first(server.address(), {.certificate = &proxy});
  EXPECT_EQ(first.Get("/"), "2");
  SSL_SESSION* session = first.TakeSession();
  TlsClient second(server.address(), {.certificate = &proxy, .session = session});
  EXPECT_EQ(second.Get("/"), "2");
  EXPECT_TRUE(second.resumed());
  SSL_SESSION_free(session);
}

TEST_F(TlsServerTest, CurvesAreAsConfigured) {
  options_.curve_preferences = {4588, 24};
  TestServer server = MakeServer();
  EXPECT_EQ(Ask(server, nullptr), "nobody");
  EXPECT_EQ(*CurveList({29, 23}), "X25519:P-256");
  EXPECT_EQ(*CurveList({}), "");
  EXPECT_FALSE(CurveList({1}));
  EXPECT_FALSE(CurveList({4588}));
}

TEST_F(TlsServerTest, LargeBodiesInBothDirections) {
  const std::string large(2'500'000, 'x');
  TestServer server(Echo, {}, 1, options_);
  TlsClient client(server.address(), {});
  ASSERT_TRUE(client.Send("POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: " +
                          std::to_string(large.size()) + "\r\n\r\n"));
  ASSERT_TRUE(client.Send(large));
  EXPECT_TRUE(client.ReceiveAll().ends_with("\r\n\r\nPOST / [" + large + "]"));
}

size_t ResidentBytes() {
  std::ifstream statm("/proc/self/statm");
  size_t total = 0, resident = 0;
  statm >> total >> resident;
  return resident * static_cast<size_t>(sysconf(_SC_PAGESIZE));
}

// Both ends live in this process, and the client's is not frugal: it is counted beforehand.
TEST_F(TlsServerTest, AnIdleConnectionIsCheap) {
  constexpr int kConnections = 400;
  rlimit files{};
  getrlimit(RLIMIT_NOFILE, &files);
  if (files.rlim_cur < 3 * kConnections) GTEST_SKIP() << "too few descriptors";
  TestServer server = MakeServer();
  std::vector<std::unique_ptr<TlsClient>> clients;
  const auto connect = [&] {
    clients.push_back(std::make_unique<TlsClient>(server.address(), TlsClient::Options{}));
    ASSERT_TRUE(clients.back()->Send("GET / HTTP/1.1\r\nHost: a\r\n\r\n"));
    ASSERT_FALSE(clients.back()->Receive().empty());
  };
  for (int i = 0; i < 50; ++i) connect();
  const size_t before = ResidentBytes();
  for (int i = 0; i < kConnections; ++i) connect();
  // The kernel may take pages back meanwhile.
  const size_t after = std::max(ResidentBytes(), before);
  const size_t each = (after - before) / kConnections;
  RecordProperty("bytes_per_connection_with_its_client", static_cast<int>(each));
  EXPECT_EQ(server->figures().connections, kConnections + 50);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  EXPECT_LT(each, 200u * 1024);
#endif
}

}  // namespace
}  // namespace skiff::net
