#include "apiserver/options.h"

#include <gtest/gtest.h>

namespace skiff::apiserver {
namespace {

ApiServerOptions GoodOptions() {
  ApiServerOptions options;
  options.tls.cert_file = "apiserver.crt";
  options.tls.private_key_file = "apiserver.key";
  options.service_account.issuers = {"https://kubernetes.default.svc"};
  options.service_account.signing_key_file = "sa.key";
  options.storage.data_dir = "data";
  return options;
}

HostFacts Host() { return {.default_address = *IpAddress::Parse("192.0.2.7"), .host_name = "box"}; }

std::string FaultsOf(const ApiServerOptions& options) {
  const Result<void> valid = Validate(options);
  return valid ? "" : valid.error().message();
}

TEST(ApiServerOptionsTest, DerivesWhatKubeApiserverDerives) {
  ApiServerOptions options = GoodOptions();
  FillDerived(options, Host());
  EXPECT_EQ(options.advertise_address->ToString(), "192.0.2.7");
  EXPECT_EQ(options.external_hostname, "192.0.2.7");
  EXPECT_EQ(options.service.cluster_ip_ranges[0].ToString(), "10.0.0.0/24");
  EXPECT_EQ(options.authorization_modes, std::vector{AuthorizationMode::kAlwaysAllow});
  EXPECT_FALSE(options.anonymous_auth);
  EXPECT_EQ(options.service_account.api_audiences, options.service_account.issuers);
  EXPECT_EQ(options.service_account.key_files, std::vector<std::string>{"apiserver.key"});
  EXPECT_EQ(FaultsOf(options), "");
}

TEST(ApiServerOptionsTest, KeepsAnonymousUsersWhereSomethingIsDecided) {
  ApiServerOptions options = GoodOptions();
  options.authorization_modes = {AuthorizationMode::kRbac};
  FillDerived(options, Host());
  EXPECT_TRUE(options.anonymous_auth);
}

TEST(ApiServerOptionsTest, AdvertisesTheAddressThatIsBound) {
  ApiServerOptions options = GoodOptions();
  options.bind_address = *IpAddress::Parse("192.0.2.200");
  FillDerived(options, Host());
  EXPECT_EQ(options.advertise_address->ToString(), "192.0.2.200");
}

TEST(ApiServerOptionsTest, StoresJsonIfTheMediaTypeIsEmpty) {
  ApiServerOptions options = GoodOptions();
  options.storage.media_type = "";
  FillDerived(options, Host());
  EXPECT_EQ(options.storage.media_type, "application/json");
  EXPECT_EQ(FaultsOf(options), "");
}

TEST(ApiServerOptionsTest, AdvertisesALoopbackAddressOnlyWhereThereIsNoOther) {
  ApiServerOptions options = GoodOptions();
  options.bind_address = IpAddress::LoopbackV4();
  ApiServerOptions alone = options;
  FillDerived(options, Host());
  EXPECT_EQ(options.advertise_address->ToString(), "192.0.2.7");
  FillDerived(alone, {});
  EXPECT_EQ(alone.advertise_address->ToString(), "127.0.0.1");
}

TEST(ApiServerOptionsTest, TellsAllFaultsAtOnceByTheirFlags) {
  ApiServerOptions options;
  options.requests.goaway_chance = 0.5;
  options.storage.media_type = "text/html";
  options.service.cluster_ip_ranges = {*IpRange::Parse("10.0.0.0/24"),
                                       *IpRange::Parse("10.1.0.0/24")};
  options.service.kubernetes_service_node_port = 80;
  options.authorization_modes = {AuthorizationMode::kRbac, AuthorizationMode::kRbac};
  const Result<void> valid = Validate(options);
  ASSERT_FALSE(valid);
  std::vector<std::string> flags;
  for (const StatusCause& cause : valid.error().causes()) flags.push_back(cause.field);
  EXPECT_EQ(flags, (std::vector<std::string>{
                       "--tls-cert-file", "--advertise-address", "--service-account-issuer",
                       "--service-account-signing-key-file", "--service-account-key-file",
                       "--authorization-mode", "--data-dir", "--storage-media-type",
                       "--service-cluster-ip-range", "--kubernetes-service-node-port",
                       "--goaway-chance"}));
}

TEST(ApiServerOptionsTest, RefusesAProxyCaThatIsEverybodysCaWithoutNames) {
  ApiServerOptions options = GoodOptions();
  FillDerived(options, Host());
  options.client_ca_file = "ca.crt";
  options.request_header.client_ca_file = "ca.crt";
  options.request_header.username_headers = {"X-Remote-User"};
  EXPECT_NE(FaultsOf(options).find("--requestheader-allowed-names"), std::string::npos);
  options.request_header.allowed_names = {"front-proxy-client"};
  EXPECT_EQ(FaultsOf(options), "");
}

TEST(ApiServerOptionsTest, RefusesServicesOfAnotherFamilyThanTheServer) {
  ApiServerOptions options = GoodOptions();
  options.service.cluster_ip_ranges = {*IpRange::Parse("fd00::/108")};
  FillDerived(options, Host());
  EXPECT_NE(FaultsOf(options).find("IP family"), std::string::npos);
  options.service.reconcile_endpoints = false;
  EXPECT_EQ(FaultsOf(options), "");
}

TEST(ApiServerOptionsTest, KnowsWhichFeaturesAreOn) {
  ApiServerOptions options = GoodOptions();
  FillDerived(options, Host());
  EXPECT_TRUE(options.FeatureEnabled("APIResponseCompression"));
  options.feature_gates = {{"AllBeta", false}, {"APIServerIdentity", true}};
  EXPECT_FALSE(options.FeatureEnabled("APIResponseCompression"));
  EXPECT_TRUE(options.FeatureEnabled("APIServerIdentity"));
  EXPECT_EQ(FaultsOf(options), "");
  options.feature_gates = {{"NoSuchFeature", true}};
  EXPECT_NE(FaultsOf(options).find("NoSuchFeature"), std::string::npos);
}

}  // namespace
}  // namespace skiff::apiserver
