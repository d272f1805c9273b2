#include <gtest/gtest.h>

#include "apiserver/registry/apiextensions/custom_resource_definition_behaviour.h"
#include "apiserver/registry/apiregistration/api_service_behaviour.h"
#include "apiserver/registry/apps/daemon_set_behaviour.h"
#include "apiserver/registry/batch/job_behaviour.h"
#include "apiserver/registry/certificates/certificate_signing_request_behaviour.h"
#include "base/random.h"
#include "object/json/decode.h"
#include "object/json/encode.h"
#include "object/resource.h"

namespace skiff::apiserver {
namespace {

class BehavioursTest : public ::testing::Test {
 protected:
  static object::Document Read(std::string_view json) {
    object::Document untyped = object::DecodeJson(json, nullptr).value();
    return object::DecodeJson(json, object::FindKind(untyped.api_version(), untyped.kind()))
        .value();
  }
  WriteContext Write(std::string_view subresource = {}) {
    return {resource_, subresource, {1000, 0}, random_, &user_, transaction_, kDefaultSettings};
  }
  std::string Created(ResourceBehaviour&& behaviour, std::string_view json) {
    object::Document object = Read(json);
    WriteContext write = Write();
    EXPECT_TRUE(behaviour.PrepareForCreate(write, object));
    return object::EncodeJson(object.root());
  }
  std::string Updated(ResourceBehaviour&& behaviour, std::string_view subresource,
                      std::string_view old_json, std::string_view json) {
    object::Document old = Read(old_json);
    object::Document object = Read(json);
    WriteContext write = Write(subresource);
    EXPECT_TRUE(behaviour.PrepareForUpdate(write, old, object));
    return object::EncodeJson(object.root());
  }
  static bool Has(const std::string& text, std::string_view part) {
    return text.find(part) != std::string::npos;
  }

  const object::ResourceDesc& resource_ = *object::FindResource("batch", "v1", "jobs");
  SeededRandom random_{1};
  serving::UserInfo user_{.name = "me", .uid = "7", .groups = {"g"}, .extra = {{"k", {"v", "w"}}}};
  store::Transaction transaction_;
};

TEST_F(BehavioursTest, AJobSelectsItsPodsByItsUid) {
  const std::string job =
      Created(JobBehaviour(), R"({"apiVersion":"batch/v1","kind":"Job","metadata":{"name":"j",
      "uid":"u"},"spec":{"template":{"metadata":{"labels":{"job-name":"mine"}},"spec":{}}}})");
  EXPECT_TRUE(Has(job, R"("matchLabels":{"batch.kubernetes.io/controller-uid":"u"})")) << job;
  EXPECT_TRUE(Has(job, R"("batch.kubernetes.io/job-name":"j","controller-uid":"u",)")) << job;
  EXPECT_TRUE(Has(job, R"("job-name":"mine")")) << job;
  const std::string manual =
      Created(JobBehaviour(), R"({"apiVersion":"batch/v1","kind":"Job","metadata":{"name":"j",
      "uid":"u"},"spec":{"manualSelector":true,"template":{"spec":{}}}})");
  EXPECT_FALSE(Has(manual, "controller-uid")) << manual;
}

TEST_F(BehavioursTest, ADaemonSetCountsTheChangesOfItsTemplate) {
  const std::string created =
      Created(DaemonSetBehaviour(), R"({"apiVersion":"apps/v1","kind":"DaemonSet","metadata":{}})");
  EXPECT_TRUE(Has(created, R"("deprecated.daemonset.template.generation":"1")")) << created;
  constexpr std::string_view kOther =
      R"({"apiVersion":"apps/v1","kind":"DaemonSet","metadata":{},
      "spec":{"template":{"metadata":{"labels":{"a":"b"}}}}})";
  const std::string changed = Updated(DaemonSetBehaviour(), "", created, kOther);
  EXPECT_TRUE(Has(changed, R"("deprecated.daemonset.template.generation":"2")")) << changed;
  const std::string same = Updated(DaemonSetBehaviour(), "", changed, kOther);
  EXPECT_TRUE(Has(same, R"("deprecated.daemonset.template.generation":"2")")) << same;
}

constexpr std::string_view kRequest =
    R"({"apiVersion":"certificates.k8s.io/v1","kind":"CertificateSigningRequest",
    "spec":{"username":"somebody","request":""},"status":{"conditions":[{"type":"Approved",
    "status":"True","reason":"R","lastUpdateTime":"1970-01-01T00:00:05Z",
    "lastTransitionTime":"1970-01-01T00:00:05Z"}],"certificate":"YQ=="}})";

TEST_F(BehavioursTest, ARequestSaysWhoMadeItAndHasNoAnswer) {
  const std::string made = Created(CertificateRequestBehaviour(), kRequest);
  EXPECT_TRUE(Has(made, R"("username":"me","uid":"7","groups":["g"],"extra":{"k":["v","w"]})"))
      << made;
  EXPECT_FALSE(Has(made, "Approved")) << made;
}

TEST_F(BehavioursTest, AnswersAreDatedAndDecisionsKept) {
  constexpr std::string_view kNew =
      R"({"apiVersion":"certificates.k8s.io/v1","kind":"CertificateSigningRequest",
      "spec":{"request":""},"status":{"conditions":[{"type":"Approved","status":"True",
      "reason":"other"},{"type":"Failed","status":"True"}],"certificate":"Yg=="}})";
  const std::string status = Updated(CertificateRequestBehaviour(), "status", kRequest, kNew);
  EXPECT_TRUE(Has(status, R"("reason":"R")")) << status;
  EXPECT_TRUE(Has(status, R"("lastTransitionTime":"1970-01-01T00:16:40Z")")) << status;
  EXPECT_TRUE(Has(status, R"("certificate":"Yg==")")) << status;
  const std::string approval = Updated(CertificateRequestBehaviour(), "approval", kRequest, kNew);
  EXPECT_TRUE(Has(approval, R"("reason":"other")")) << approval;
  EXPECT_TRUE(Has(approval, R"("certificate":"YQ==")")) << approval;
  EXPECT_TRUE(Has(approval, R"("lastTransitionTime":"1970-01-01T00:00:05Z")")) << approval;
}

TEST_F(BehavioursTest, ADefinitionRemembersInWhichVersionsObjectsWereStored) {
  constexpr std::string_view kFirst =
      R"({"apiVersion":"apiextensions.k8s.io/v1beta1","kind":"CustomResourceDefinition",
      "spec":{"versions":[{"name":"v1","served":true,"storage":true}]},
      "status":{"storedVersions":["x"]}})";
  const std::string created = Created(CustomResourceDefinitionBehaviour(), kFirst);
  EXPECT_TRUE(Has(created, R"("storedVersions":["v1"])")) << created;
  const std::string updated = Updated(CustomResourceDefinitionBehaviour(), "", created, kFirst);
  EXPECT_TRUE(Has(updated, R"("storedVersions":["x","v1"])")) << updated;
}

TEST_F(BehavioursTest, AVersionOfTheServerItselfIsAvailable) {
  const std::string local = Created(ApiServiceBehaviour(),
                                    R"({"apiVersion":"apiregistration.k8s.io/v1",
      "kind":"APIService","spec":{"version":"v1"}})");
  EXPECT_TRUE(Has(local, R"("type":"Available","status":"True")")) << local;
  const std::string remote = Created(ApiServiceBehaviour(),
                                     R"({"apiVersion":"apiregistration.k8s.io/v1",
      "kind":"APIService","spec":{"version":"v1","service":{"name":"s"}}})");
  EXPECT_FALSE(Has(remote, "Available")) << remote;
}

}  // namespace
}  // namespace skiff::apiserver
