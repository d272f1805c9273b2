#include "pki/cluster_pki.h"

#include <unistd.h>

#include <filesystem>

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "pki/files.h"

namespace skiff::pki {
namespace {

constexpr std::chrono::hours kDay{24};

class ClusterPkiTest : public testing::Test {
 protected:
  ClusterPkiTest() {
    std::string name = testing::TempDir() + "pki.XXXXXX";
    directory_ = mkdtemp(name.data());
  }
  ~ClusterPkiTest() override { std::filesystem::remove_all(directory_); }

  std::vector<std::string> Ensure() {
    Result<std::vector<std::string>> done = pki().Ensure(names_, clock_);
    if (done) return *done;
    return {"fault: " + done.error().message()};
  }
  ClusterPki pki() const { return ClusterPki(directory_ + "/pki"); }
  std::string Read(const std::string& path) { return ReadSmallFile(path).value(); }
  mode_t ModeOf(const std::string& path) {
    struct stat found {};
    stat(path.c_str(), &found);
    return found.st_mode & 0777;
  }

  ManualClock clock_;
  ServerNames names_{.dns_names = {"localhost"}, .ip_addresses = {IpAddress::LoopbackV4()}};
  std::string directory_;
};

using Lines = std::vector<std::string>;

TEST_F(ClusterPkiTest, MakesTheWholeSetOnce) {
  EXPECT_EQ(Ensure(),
            (Lines{"made the CA", "made the CA of front proxies",
                   "made the key of service accounts", "made the certificate of apiserver",
                   "made the certificate of admin", "made the certificate of front-proxy-client"}));
  for (const std::string& file : pki().Files()) EXPECT_EQ(access(file.c_str(), R_OK), 0) << file;
  const std::string before = Read(pki().server_cert_file());
  EXPECT_EQ(Ensure(), Lines{});
  EXPECT_EQ(Read(pki().server_cert_file()), before);
  const Certificate admin = Certificate::FromPem(Read(pki().admin_cert_file())).value();
  EXPECT_EQ(admin.Organizations(), Lines{"system:masters"});
}

TEST_F(ClusterPkiTest, ShowsKeysToNobodyElse) {
  const mode_t before = umask(0);
  Ensure();
  umask(before);
  EXPECT_EQ(ModeOf(directory_ + "/pki"), 0700U);
  EXPECT_EQ(ModeOf(directory_ + "/pki/ca.key"), 0600U);
  EXPECT_EQ(ModeOf(pki().server_key_file()), 0600U);
  EXPECT_EQ(ModeOf(pki().service_account_key_file()), 0600U);
  EXPECT_EQ(ModeOf(pki().ca_file()), 0644U);
}

TEST_F(ClusterPkiTest, RenewsLeavesNearTheirEndAndKeepsTheCa) {
  Ensure();
  const std::string ca = Read(pki().ca_file());
  const std::string accounts = Read(pki().service_account_key_file());
  clock_.Advance(274 * kDay);
  EXPECT_EQ(Ensure(), Lines{});
  clock_.Advance(2 * kDay);
  EXPECT_EQ(Ensure(), (Lines{"renewed the certificate of apiserver: it expires in 89 days",
                             "renewed the certificate of admin: it expires in 89 days",
                             "renewed the certificate of front-proxy-client: it expires in 89 "
                             "days"}));
  EXPECT_EQ(Read(pki().ca_file()), ca);
  EXPECT_EQ(Read(pki().service_account_key_file()), accounts);
  EXPECT_EQ(Ensure(), Lines{});
}

TEST_F(ClusterPkiTest, RenewsTheServersWhenItGetsAnotherName) {
  Ensure();
  names_.dns_names.push_back("box");
  EXPECT_EQ(Ensure(),
            Lines{"renewed the certificate of apiserver: names or addresses have been added"});
  names_.dns_names.pop_back();
  EXPECT_EQ(Ensure(), Lines{});
}

TEST_F(ClusterPkiTest, RenewsWhatAnotherCaMadeOrWhoseKeyIsGone) {
  Ensure();
  unlink(pki().ca_file().c_str());
  unlink(pki().admin_key_file().c_str());
  const Lines done = Ensure();
  ASSERT_EQ(done.size(), 3U);
  EXPECT_EQ(done[0], "made the CA");
  EXPECT_EQ(done[1], "renewed the certificate of apiserver: another CA made it");
  EXPECT_TRUE(done[2].starts_with("renewed the certificate of admin: cannot open ")) << done[2];
}

TEST_F(ClusterPkiTest, SaysWhatToDoAboutACaThatExpired) {
  Ensure();
  clock_.JumpWall(3653 * kDay);
  const std::string fault = Ensure().front();
  EXPECT_NE(fault.find("expired 3 days ago; to make a new CA, remove "), std::string::npos)
      << fault;
}

TEST_F(ClusterPkiTest, SaysSoWhenTheClockIsWrong) {
  Ensure();
  clock_.JumpWall(-400 * kDay);
  EXPECT_NE(Ensure().front().find("is the machine's clock right?"), std::string::npos);
}

TEST_F(ClusterPkiTest, ReplacesNoCaWhoseKeyIsMissingOrWrong) {
  Ensure();
  const std::string key = directory_ + "/pki/ca.key";
  ASSERT_TRUE(WriteSmallFile(key, PrivateKey::Generate()->ToPem(), kSecretFileMode));
  EXPECT_NE(Ensure().front().find("is not the key of"), std::string::npos);
  unlink(key.c_str());
  EXPECT_NE(Ensure().front().find("the key of the CA is missing"), std::string::npos);
}

TEST_F(ClusterPkiTest, NeedsNoRenewalThatGainsNothing) {
  Ensure();
  clock_.Advance(3600 * kDay);
  EXPECT_EQ(Ensure().size(), 3U);
  EXPECT_EQ(Ensure(), Lines{});  // they end with the CA, in 50 days
}

TEST_F(ClusterPkiTest, ShowsTheStateOfEachCertificate) {
  EXPECT_NE(pki().Inspect(clock_)[0].fault, "");
  Ensure();
  for (const CertificateState& state : pki().Inspect(clock_)) {
    EXPECT_EQ(state.fault, "") << state.name;
    EXPECT_GT(state.not_after, clock_.Wall());
  }
  clock_.Advance(366 * kDay);
  EXPECT_EQ(pki().Inspect(clock_)[1].fault, "it expired 24 hours ago");
}

TEST_F(ClusterPkiTest, MakesASelfSignedCertificateOnce) {
  const std::string cert = directory_ + "/apiserver.crt";
  const std::string key = directory_ + "/apiserver.key";
  ASSERT_TRUE(EnsureSelfSigned(cert, key, "box", names_, clock_));
  const std::string before = Read(cert);
  ASSERT_TRUE(EnsureSelfSigned(cert, key, "box", names_, clock_));
  EXPECT_EQ(Read(cert), before);
  clock_.Advance(366 * kDay);
  ASSERT_TRUE(EnsureSelfSigned(cert, key, "box", names_, clock_));
  EXPECT_NE(Read(cert), before);
}

}  // namespace
}  // namespace skiff::pki
