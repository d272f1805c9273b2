#include "apiserver/registry/resource/resource_claim_behaviour.h"

#include <set>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "apiserver/registry/certificates/pod_certificate_request_behaviour.h"
#include "apiserver/validation/field_errors.h"
#include "base/random.h"
#include "object/json/decode.h"
#include "object/json/encode.h"
#include "object/resource.h"

namespace skiff::apiserver {
namespace {

// Allows what it is told to: "verb resource/subresource namespace/name".
class SomeAllowed final : public serving::Authorizer {
 public:
  void Authorize(const serving::AccessAttributes& asked,
                 std::move_only_function<void(serving::AuthorizationResult)> done) override {
    const std::string text = std::string(asked.verb) + " " + std::string(asked.resource) + "/" +
                             std::string(asked.subresource) + " " + std::string(asked.name_space) +
                             "/" + std::string(asked.name);
    done({allowed.contains(text) ? serving::Decision::kAllow : serving::Decision::kNoOpinion, "",
          ""});
  }
  std::set<std::string> allowed;
};

class ChecksTest : public ::testing::Test {
 protected:
  // What is found wrong, "field: message", with "; " between.
  std::string Check(ResourceBehaviour& behaviour, std::string_view resource,
                    std::string_view version, const std::string* old, const std::string& json,
                    std::string_view subresource = {}, bool follows_rules = true) {
    const std::string_view group =
        resource.starts_with("pod") ? "certificates.k8s.io" : "resource.k8s.io";
    const object::ResourceDesc& desc = *object::FindResource(group, version, resource);
    const object::Document object = object::DecodeJson(json, desc.kind).value();
    const object::Document before =
        object::DecodeJson(old != nullptr ? *old : "{}", desc.kind).value();
    WriteContext write{desc, subresource, {1000, 0}, random_, &user_, transaction_, settings_};
    write.verb = verb_;
    FieldErrors errors(settings_);
    behaviour.Check(write, old != nullptr ? &before : nullptr, object, follows_rules, errors);
    std::string out;
    for (const StatusCause& each : errors.Take()) {
      out += (out.empty() ? "" : "; ") + each.field + ": " + each.message;
    }
    return out;
  }

  SeededRandom random_{1};
  serving::UserInfo user_{.name = "ann", .uid = "", .groups = {}, .extra = {}};
  std::string verb_ = "update";
  store::Transaction transaction_;
  KindSettings settings_;
  SomeAllowed authorizer_;
};

class ResourceClaimsTest : public ChecksTest {
 protected:
  static Result<object::Document> Namespace(std::string_view name) {
    if (name == "none") return Fail(StatusReason::kNotFound, "namespaces \"none\" not found");
    return object::DecodeJson(name == "admin" ? R"({"metadata":{"labels":{
        "resource.kubernetes.io/admin-access":"true"}}})"
                                              : R"({"metadata":{}})",
                              object::FindKind("v1", "Namespace"));
  }
  static std::string Claim(const std::string& status, const std::string& name_space = "ns") {
    return R"({"metadata":{"name":"c","namespace":")" + name_space + R"("},"status":{)" + status +
           "}}";
  }
  std::string Status(const std::string& old, const std::string& status,
                     const std::string& name_space = "ns") {
    const std::string before = Claim(old, name_space);
    return Check(claims_, "resourceclaims", "v1", &before, Claim(status, name_space), "status");
  }
  static std::string Refusal(const std::string& verb, const std::string& what,
                             const std::string& where) {
    return "User \"ann\" cannot " + verb + " resource \"resourceclaims/" + what +
           "\" in API group \"resource.k8s.io\" " + where;
  }
  static bool Has(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
  }

  ResourceClaimBehaviour claims_{authorizer_, Namespace};
  ResourceClaimTemplateBehaviour templates_{Namespace};
};

TEST_F(ResourceClaimsTest, AdminAccessIsForNamespacesThatSaySo) {
  const auto spec = [](const std::string& name_space, const std::string& exactly) {
    return R"({"metadata":{"namespace":")" + name_space + R"("},"spec":{"devices":{"requests":[
        {"name":"a","exactly":{}},{"name":"b","exactly":)" +
           exactly + "}]}}}";
  };
  const auto in_template = [](const std::string& name_space) {
    return R"({"metadata":{"namespace":")" + name_space + R"("},"spec":{"spec":{"devices":{
        "requests":[{"name":"b","exactly":{"adminAccess":true}}]}}}})";
  };
  const std::string admin = R"({"adminAccess":true})";
  const std::string why =
      "Forbidden: admin access to devices requires the `resource.kubernetes.io/admin-access: "
      "true` label on the containing namespace";
  const auto claim = [&](const std::string& json) {
    return Check(claims_, "resourceclaims", "v1", nullptr, json);
  };
  EXPECT_EQ(claim(spec("ns", R"({"adminAccess":false})")), "");
  EXPECT_EQ(claim(spec("admin", admin)), "");
  EXPECT_EQ(claim(spec("ns", admin)), "spec.devices.requests[1].adminAccess: " + why);
  EXPECT_EQ(claim(spec("none", admin)),
            "spec.devices.requests[1].adminAccess: Internal error: could not retrieve namespace to "
            "verify admin access: namespaces \"none\" not found");
  EXPECT_EQ(Check(templates_, "resourceclaimtemplates", "v1", nullptr, in_template("admin")), "");
  EXPECT_EQ(Check(templates_, "resourceclaimtemplates", "v1", nullptr, in_template("ns")),
            "spec.devices.requests[0].adminAccess: " + why);

  authorizer_.allowed = {"update resourceclaims/binding /"};
  const std::string given = R"("allocation":{"devices":{"results":[{"adminAccess":true}]}})";
  EXPECT_EQ(Status("", given, "admin"), "");
  EXPECT_EQ(Status("", given), "status.allocation.devices.results[0].adminAccess: " + why);
  EXPECT_EQ(Status(given, given), "");
}

TEST_F(ResourceClaimsTest, WhoBindsAClaimNeedsARightToBindInTheWholeCluster) {
  const std::string allocated = R"("allocation":{"devices":{"results":[{"driver":"d"}]}})";
  const std::string reserved = allocated + R"(,"reservedFor":[{"name":"p"}])";
  EXPECT_EQ(Status(allocated, allocated), "");
  for (const auto& [old, now] :
       {std::pair{std::string(), allocated}, std::pair{allocated, reserved},
        std::pair{allocated, std::string()}}) {
    authorizer_.allowed.clear();
    EXPECT_EQ(Status(old, now),
              "status.allocation: Forbidden: changing status.allocation or status.reservedFor "
              "requires resource=\"resourceclaims/binding\", verb=\"update\" permission: "
              "resourceclaims.resource.k8s.io is forbidden: " +
                  Refusal("update", "binding", "at the cluster scope"));
    authorizer_.allowed = {"update resourceclaims/binding /"};
    EXPECT_EQ(Status(old, now), "");
  }
  verb_ = "patch";
  EXPECT_TRUE(Has(Status("", allocated), "verb=\"patch\" permission"));
  settings_.gates = FeatureGates({{"DRAResourceClaimGranularStatusAuthorization", false}});
  EXPECT_EQ(Status("", allocated), "");
}

constexpr char kOnNode[] =
    R"("allocation":{"devices":{"results":[{"driver":"d"}]},"nodeSelector":{"nodeSelectorTerms":[
       {"matchFields":[{"key":"metadata.name","operator":"In","values":["n1"]}]}]}})";

TEST_F(ResourceClaimsTest, WhoReportsOfDevicesNeedsARightForTheirDriver) {
  const auto devices = [](const std::string& list) {
    return std::string(kOnNode) + R"(,"devices":[)" + list + "]";
  };
  const std::string one = R"({"driver":"d","pool":"p","device":"x"})";
  const std::string changed = R"({"driver":"d","pool":"p","device":"x","data":{"a":1}})";
  const std::string other = R"({"driver":"e","pool":"p","device":"x"})";
  const std::string refusal =
      "status.devices: Forbidden: changing status.devices requires "
      "resource=\"resourceclaims/driver\", verb=\"[arbitrary-node:update]\" permission: "
      "resourceclaims.resource.k8s.io \"d\" is forbidden: " +
      Refusal("arbitrary-node:update", "driver", "in the namespace \"ns\"");
  EXPECT_EQ(Status(devices(one), devices(one)), "");
  EXPECT_EQ(Status(kOnNode, devices(one)), refusal);
  EXPECT_EQ(Status(devices(one), devices(changed)), refusal);
  EXPECT_EQ(Status(devices(one + "," + other), devices(other)), refusal);
  authorizer_.allowed = {"arbitrary-node:update resourceclaims/driver ns/d"};
  EXPECT_EQ(Status(kOnNode, devices(one)), "");
  EXPECT_TRUE(Has(Status(kOnNode, devices(one + "," + other)), "\"e\" is forbidden"));
}

TEST_F(ResourceClaimsTest, ADriverOnTheNodeOfTheDevicesNeedsALesserRight) {
  const std::string reported = std::string(kOnNode) + R"(,"devices":[{"driver":"d"}])";
  authorizer_.allowed = {"associated-node:update resourceclaims/driver ns/d"};
  const auto on = [](std::string node) {
    return serving::UserInfo{
        .name = "system:serviceaccount:ns:driver",
        .uid = "",
        .groups = {},
        .extra = {{"authentication.kubernetes.io/node-name", {std::move(node)}}}};
  };
  EXPECT_NE(Status(kOnNode, reported), "");
  user_ = on("n2");
  EXPECT_NE(Status(kOnNode, reported), "");
  user_ = on("n1");
  EXPECT_EQ(Status(kOnNode, reported), "");
  authorizer_.allowed.clear();
  const std::string refusal = Status(kOnNode, reported);
  EXPECT_TRUE(Has(refusal, "verb=\"[associated-node:update arbitrary-node:update]\" permission"));
  EXPECT_TRUE(Has(refusal, "cannot associated-node:update resource"));
  user_.name = "ann";
  EXPECT_FALSE(Has(Status(kOnNode, reported), "associated-node"));
}

TEST_F(ResourceClaimsTest, ADeviceThatIsGivenBackHasNoStatus) {
  const object::MessageDesc* type = object::FindKind("resource.k8s.io/v1", "ResourceClaim");
  const std::string device = R"({"driver": "d", "pool": "p", "device": "x"})";
  const std::string allocation = R"("allocation": {"devices": {"results": [)" + device + "]}}";
  const std::string devices = R"("devices": [)" + device + "]";
  const auto update = [&](const std::string& status) {
    object::Document old = object::DecodeJson(Claim(allocation), type).value();
    object::Document object = object::DecodeJson(Claim(status), type).value();
    WriteContext write{*object::FindResource("resource.k8s.io", "v1", "resourceclaims"),
                       "status",
                       {1000, 0},
                       random_,
                       &user_,
                       transaction_,
                       settings_};
    EXPECT_TRUE(claims_.PrepareForUpdate(write, old, object));
    return object::EncodeJson(object.root());
  };
  EXPECT_FALSE(Has(update(devices), R"("device":"x")"));
  EXPECT_TRUE(Has(update(allocation + "," + devices), R"("devices":[{"driver":"d")"));
}

class PodCertificateRequestsTest : public ChecksTest {
 protected:
  std::string Answer(const std::string& status, bool follows_rules = true) {
    const std::string spec = R"("spec":{"signerName":"example.com/a"})";
    const std::string old = "{" + spec + "}";
    return Check(requests_, "podcertificaterequests", "v1beta1", &old,
                 "{" + spec + R"(,"status":{)" + status + "}}", "status", follows_rules);
  }
  PodCertificateRequestBehaviour requests_{authorizer_};
};

TEST_F(PodCertificateRequestsTest, OnlyWhoMaySignForTheSignerAnswers) {
  const std::string denied = R"("conditions":[{"type":"Denied","status":"True"}])";
  EXPECT_EQ(Answer(denied),
            "spec.signerName: Forbidden: User \"ann\" is not permitted to \"sign\" for signer "
            "\"example.com/a\"");
  EXPECT_EQ(Answer(""), "");
  // What breaks the rules is told first, and alone.
  EXPECT_EQ(Answer(denied, false), "");
  for (const std::string name : {"example.com/a", "example.com/*"}) {
    authorizer_.allowed = {"sign signers/ /" + name};
    EXPECT_EQ(Answer(denied), "");
  }
}

TEST_F(PodCertificateRequestsTest, ACertificateBeginsAboutNow) {
  authorizer_.allowed = {"sign signers/ /example.com/a"};
  const struct {
    std::string not_before;
    bool ok;
  } cases[] = {{"1970-01-01T00:16:40Z", true},
               {"1970-01-01T00:21:40Z", true},
               {"1970-01-01T00:21:41Z", false},
               {"1970-01-01T00:11:40Z", true},
               {"1970-01-01T00:11:39Z", false}};
  for (const auto& each : cases) {
    const std::string found = Answer(R"("notBefore":")" + each.not_before + "\"");
    EXPECT_EQ(found.empty(), each.ok) << each.not_before << " " << found;
    if (each.ok) continue;
    EXPECT_TRUE(found.starts_with("status.notBefore: Invalid value: ")) << found;
    EXPECT_TRUE(found.ends_with("within 5 minutes of kube-apiserver's current time")) << found;
  }
}

}  // namespace
}  // namespace skiff::apiserver
