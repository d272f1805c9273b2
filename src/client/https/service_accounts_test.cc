#include "client/https/service_accounts.h"

#include <atomic>
#include <mutex>
#include <set>

#include "client/https/testing.h"
#include "object/scalar/time.h"

namespace skiff::client {
namespace {

// A server that knows service accounts and gives tokens "NAME-1", "NAME-2", … for them.
class ServiceAccountsTest : public HttpsTest {
 protected:
  void ServeTokens() {
    Serve([this](net::HttpRequest request, net::Responder responder) {
      std::lock_guard lock(mutex_);
      const std::string who(request.headers.Get("authorization"));
      if (request.method == "GET") {
        agent_ = request.headers.Get("user-agent");
        if (who != "Bearer " + refused_)
          return std::move(responder).Respond(JsonResponse(ConfigMap(who)));
        return std::move(responder).Respond(JsonResponse("{}", 401));
      }
      if (who != "Bearer root") return std::move(responder).Respond(JsonResponse("{}", 403));
      if (request.path.ends_with("/token")) return GiveToken(request, std::move(responder));
      accounts_.insert(NameOf(*object::DecodeStorage(request.body)).name);
      std::move(responder).Respond(
          TypedResponse("application/vnd.kubernetes.protobuf", request.body, 201));
    });
    config_.token.text = "root";
    Connect();
    all_ = *NamedTransports::OpenServiceAccounts(Environment(), config_, *transport_);
  }
  void GiveToken(const net::HttpRequest& request, net::Responder responder) {
    if (failing_) return std::move(responder).Respond(JsonResponse("{}", 500));
    const std::string prefix = "/api/v1/namespaces/kube-system/serviceaccounts/";
    EXPECT_TRUE(request.path.starts_with(prefix)) << request.path;
    const std::string name =
        request.path.substr(prefix.size(), request.path.rfind('/') - prefix.size());
    if (!accounts_.contains(name))
      return std::move(responder).Respond(JsonResponse(
          R"({"kind":"Status","apiVersion":"v1","reason":"NotFound","code":404})", 404));
    const auto sent = object::DecodeStorage(request.body);
    EXPECT_EQ(sent->root().FindPath({"spec", "expirationSeconds"})->AsInt(), 3600);
    const int64_t now = std::chrono::floor<std::chrono::seconds>(clock_.Wall()).count();
    std::string until;
    object::AppendTime(object::Timestamp{now + 3600, 0}, until);
    std::move(responder).Respond(
        JsonResponse(R"({"kind":"TokenRequest","apiVersion":"authentication.k8s.io/v1",)"
                     R"("metadata":{},"spec":{"expirationSeconds":3600},"status":{"token":")" +
                         name + "-" + std::to_string(++given_) + R"(","expirationTimestamp":")" +
                         until + R"("}})",
                     201));
  }
  // Time passes only if the answer is one that comes after several tries.
  std::string WhoIs(const std::string& account, bool after_tries = false) {
    net::Latch done;
    std::string out;
    OnLoop([&] {
      all_->Of(account).Send(GetCall(), [&](Result<ClientReply> reply) {
        out = reply ? NameOf(*reply->object).name : reply.error().message();
        done.Open();
      });
    });
    if (after_tries)
      PassTimeUntil(done);
    else
      EXPECT_TRUE(done.Wait());
    return out;
  }
  void TearDown() override {
    OnLoop([this] {
      all_->Close();
      all_.reset();
    });
    HttpsTest::TearDown();
  }

  std::mutex mutex_;
  std::set<std::string> accounts_ = {"there"};
  std::string refused_ = "nobody";
  std::string agent_;
  std::atomic<bool> failing_ = false;
  std::atomic<int> given_ = 0;
  std::unique_ptr<NamedTransports> all_;
};

TEST_F(ServiceAccountsTest, EachSpeaksForItself) {
  ServeTokens();
  EXPECT_EQ(WhoIs("there"), "Bearer there-1");
  EXPECT_EQ(WhoIs("there"), "Bearer there-1");
  EXPECT_EQ(agent_, "skiff/system:serviceaccount:kube-system:there");
  EXPECT_EQ(WhoIs("missing"), "Bearer missing-2");
  EXPECT_TRUE(accounts_.contains("missing"));
}

TEST_F(ServiceAccountsTest, TokensAreRenewedBeforeTheyExpire) {
  ServeTokens();
  EXPECT_EQ(WhoIs("there"), "Bearer there-1");
  Advance(std::chrono::seconds(2870));
  EXPECT_EQ(WhoIs("there"), "Bearer there-1");
  EXPECT_EQ(given_, 1);
  Advance(std::chrono::seconds(20));
  // The old one serves while the new one comes.
  EXPECT_EQ(WhoIs("there"), "Bearer there-1");
  const Duration end = system_clock_.Monotonic() + std::chrono::seconds(net::kPatienceSeconds);
  while (WhoIs("there") != "Bearer there-2" && system_clock_.Monotonic() < end) continue;
  EXPECT_EQ(WhoIs("there"), "Bearer there-2");
}

TEST_F(ServiceAccountsTest, ATokenThatIsRefusedIsReplaced) {
  ServeTokens();
  EXPECT_EQ(WhoIs("there"), "Bearer there-1");
  {
    std::lock_guard lock(mutex_);
    refused_ = "there-1";
  }
  EXPECT_EQ(WhoIs("there"), "Bearer there-2");
}

TEST_F(ServiceAccountsTest, WhereThereIsNoTokenThatIsSaid) {
  ServeTokens();
  failing_ = true;
  EXPECT_EQ(WhoIs("there", true).find("no token for the service account kube-system/there: "), 0u);
  failing_ = false;
  EXPECT_EQ(WhoIs("there"), "Bearer there-1");
}

TEST_F(ServiceAccountsTest, ATokenOutlivesAServerThatGivesNone) {
  ServeTokens();
  EXPECT_EQ(WhoIs("there"), "Bearer there-1");
  failing_ = true;
  Advance(std::chrono::seconds(3000));
  EXPECT_EQ(WhoIs("there"), "Bearer there-1");
}

TEST_F(ServiceAccountsTest, LoopsOfOneIdentityHaveLimitsOfTheirOwnAndSomeHaveMore) {
  Serve([this](net::HttpRequest request, net::Responder responder) {
    {
      std::lock_guard lock(mutex_);
      agent_ = request.headers.Get("user-agent");
    }
    std::move(responder).Respond(
        JsonResponse(ConfigMap(std::string(request.headers.Get("authorization")))));
  });
  config_.token.text = "root";
  config_.qps = 1;
  config_.burst = 2;
  Connect();
  all_ = *NamedTransports::OpenSameIdentity(Environment(), config_,
                                            {{"busy", {.qps_factor = 20, .burst_factor = 3}}});
  EXPECT_EQ(WhoIs("plain"), "Bearer root");
  EXPECT_EQ(agent_, "skiff/plain");
  // The clock stands still: only what may go at once is answered.
  const auto answered = [this](const std::string& name) {
    auto count = std::make_shared<std::atomic<int>>(0);
    OnLoop([&] {
      for (int i = 0; i < 9; ++i) {
        all_->Of(name).Send(GetCall(),
                            [count](Result<ClientReply> reply) { *count += reply ? 1 : 0; });
      }
    });
    EXPECT_EQ(WhoIs("other of " + name), "Bearer root");
    return count->load();
  };
  EXPECT_EQ(answered("plain"), 1);
  EXPECT_EQ(answered("busy"), 6);
}

}  // namespace
}  // namespace skiff::client
