#include "apiserver/registry/status_warnings.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "apiserver/registry/core/pod_behaviour.h"
#include "apiserver/registry/networking/ingress_behaviour.h"
#include "apiserver/validation/field_errors.h"
#include "base/random.h"
#include "object/json/decode.h"

namespace skiff::apiserver {
namespace {

using Texts = std::vector<std::string>;

class StatusWarningsTest : public ::testing::Test {
 protected:
  Texts Warned(ResourceBehaviour&& behaviour, const object::ResourceDesc& resource,
               std::string_view json, std::string_view subresource = "status") {
    const object::Document object = object::DecodeJson(json, resource.kind).value();
    Texts warnings;
    WriteContext write{resource, subresource,  {1000, 0},       random_,
                       nullptr,  transaction_, kDefaultSettings};
    write.warnings = &warnings;
    FieldErrors errors(kDefaultSettings);
    behaviour.Check(write, &object, object, true, errors);
    EXPECT_TRUE(errors.empty());
    return warnings;
  }

  SeededRandom random_{1};
  store::Transaction transaction_;
};

TEST_F(StatusWarningsTest, AddressesOfPodsAreToBeWrittenPlainly) {
  const object::ResourceDesc& pods = *object::FindResource("", "v1", "pods");
  EXPECT_EQ(Warned(PodBehaviour(), pods, R"({"status":{"podIPs":[{"ip":"1.2.3.4"}]}})"), Texts());
  const std::string_view odd =
      R"({"status":{"podIPs":[{"ip":"1.2.3.4"},{"ip":"1.2.3.04"}],"hostIPs":[{"ip":"0::1"}]}})";
  EXPECT_EQ(Warned(PodBehaviour(), pods, odd),
            Texts({"status.podIPs[1].ip: non-standard IP address \"1.2.3.04\" is invalid: use "
                   "\"1.2.3.4\"",
                   "status.hostIPs[0].ip: IPv6 address \"0::1\" should be in RFC 5952 canonical "
                   "format (\"::1\")"}));
  EXPECT_EQ(Warned(PodBehaviour(), pods, odd, ""), Texts());
}

TEST_F(StatusWarningsTest, AddressesOfLoadBalancersAreToBeWrittenPlainly) {
  const object::ResourceDesc& ingresses =
      *object::FindResource("networking.k8s.io", "v1", "ingresses");
  const std::string_view odd =
      R"({"status":{"loadBalancer":{"ingress":[{"hostname":"a"},{"ip":"1.2.3.04"}]}}})";
  const Texts warning{
      "status.loadBalancer.ingress[1]: non-standard IP address \"1.2.3.04\" is invalid: use "
      "\"1.2.3.4\""};
  EXPECT_EQ(Warned(IngressBehaviour(), ingresses, odd), warning);
  EXPECT_EQ(Warned(IngressBehaviour(), ingresses, odd, ""), Texts());
  Texts warnings;
  WarnAboutLoadBalancerStatus(object::DecodeJson(odd, object::FindKind("v1", "Service")).value(),
                              warnings);
  EXPECT_EQ(warnings, warning);
}

}  // namespace
}  // namespace skiff::apiserver
