#include "object/view.h"

#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "object/json/decode.h"
#include "object/json/encode.h"
#include "views/apiextensions.k8s.io/v1.h"
#include "views/apps/v1.h"
#include "views/authorization.k8s.io/v1.h"
#include "views/coordination.k8s.io/v1.h"
#include "views/core/v1.h"

namespace skiff::object {
namespace {

using namespace views;

Document Decode(std::string_view json, const MessageDesc* type) {
  Result<Document> document = DecodeJson(json, type);
  EXPECT_TRUE(document.has_value());
  return document.has_value() ? std::move(*document) : Document::OfType(type);
}

constexpr std::string_view kPod = R"({
  "kind": "Pod", "apiVersion": "v1",
  "metadata": {"name": "web-0", "namespace": "shop", "generation": 3,
               "creationTimestamp": "2024-02-29T12:00:00Z",
               "labels": {"app": "web", "tier": "front"}},
  "spec": {
    "nodeName": "node-1", "terminationGracePeriodSeconds": 0, "hostNetwork": true,
    "securityContext": {},
    "containers": [
      {"name": "web", "image": "nginx:1", "command": ["nginx", "-g"],
       "ports": [{"containerPort": 80, "protocol": "TCP"}],
       "livenessProbe": {"httpGet": {"port": "http"}, "periodSeconds": 5},
       "readinessProbe": {"httpGet": {"port": 8080}},
       "resources": {"limits": {"cpu": "1500m", "memory": "1Gi"}}},
      {"name": "log"}]},
  "status": {"phase": "Running", "podIPs": [{"ip": "10.0.0.1"}]}
})";

TEST(ViewTest, ReadsADecodedPod) {
  const Document document = Decode(kPod, core_v1::Pod::Type());
  const core_v1::Pod pod(document);
  EXPECT_EQ(pod.kind(), "Pod");
  EXPECT_EQ(pod.api_version(), "v1");
  EXPECT_EQ(pod.metadata().name(), "web-0");
  EXPECT_EQ(pod.metadata().generation(), 3);
  EXPECT_EQ(pod.metadata().creation_timestamp(), (Timestamp{1709208000, 0}));
  EXPECT_EQ(pod.spec().node_name(), "node-1");
  EXPECT_TRUE(pod.spec().host_network());
  EXPECT_EQ(pod.status().phase(), "Running");
  EXPECT_EQ(pod.status().pod_ips()[0].ip(), "10.0.0.1");
}

TEST(ViewTest, ListsAreRangesOfViewsAndScalars) {
  const Document document = Decode(kPod, core_v1::Pod::Type());
  const auto containers = core_v1::Pod(document).spec().containers();
  ASSERT_EQ(containers.size(), 2u);
  std::vector<std::string> names;
  for (core_v1::Container container : containers) names.emplace_back(container.name());
  EXPECT_EQ(names, (std::vector<std::string>{"web", "log"}));
  EXPECT_EQ(containers[0].command().size(), 2u);
  EXPECT_EQ(containers[0].command()[1], "-g");
  EXPECT_EQ(std::ranges::count(containers[0].command(), "nginx"), 1);
  EXPECT_EQ(containers[0].ports()[0].container_port(), 80);
  EXPECT_TRUE(containers[1].command().empty());
}

TEST(ViewTest, MapsAreLookedUpAndIterated) {
  const Document document = Decode(kPod, core_v1::Pod::Type());
  const core_v1::Pod pod(document);
  const auto labels = pod.metadata().labels();
  EXPECT_EQ(labels.size(), 2u);
  EXPECT_EQ(labels.Get("app"), "web");
  EXPECT_EQ(labels.Get("none"), "");
  EXPECT_EQ(labels.Find("tier"), "front");
  EXPECT_FALSE(labels.Find("none").has_value());
  EXPECT_TRUE(labels.Contains("app"));
  std::string all;
  for (auto [key, value] : labels) all.append(key).append("=").append(value).append(";");
  EXPECT_EQ(all, "app=web;tier=front;");
  EXPECT_EQ(pod.spec().containers()[0].resources().limits().Get("cpu"), "1500m");
  EXPECT_TRUE(pod.metadata().annotations().empty());
  EXPECT_EQ(pod.metadata().annotations().begin(), pod.metadata().annotations().end());
}

TEST(ViewTest, AbsenceReadsAsZeroAtAnyDepth) {
  const Document document = Decode("{}", core_v1::Pod::Type());
  const core_v1::Pod pod(document);
  EXPECT_FALSE(pod.has_metadata());
  EXPECT_EQ(pod.metadata().name(), "");
  EXPECT_TRUE(IsZero(pod.metadata().creation_timestamp()));
  EXPECT_FALSE(pod.metadata().deletion_timestamp().has_value());
  EXPECT_FALSE(pod.spec().host_network());
  EXPECT_EQ(pod.spec().security_context().se_linux_options().level(), "");
  EXPECT_EQ(pod.spec().containers().size(), 0u);
  EXPECT_EQ(core_v1::ContainerPort().host_port(), 0);
  EXPECT_EQ(core_v1::ResourceFieldSelector().divisor(), "0");
  EXPECT_EQ(core_v1::HTTPGetAction().port(), IntOrStringValue());
}

TEST(ViewTest, PointersTellUnsetFromZero) {
  const Document document = Decode(kPod, core_v1::Pod::Type());
  const core_v1::PodSpec spec = core_v1::Pod(document).spec();
  EXPECT_EQ(spec.termination_grace_period_seconds(), 0);
  EXPECT_FALSE(spec.active_deadline_seconds().has_value());
  EXPECT_TRUE(spec.has_security_context());
  EXPECT_FALSE(spec.has_affinity());
  EXPECT_TRUE(spec.containers()[0].has_liveness_probe());
  EXPECT_FALSE(spec.containers()[1].has_liveness_probe());
}

TEST(ViewTest, IntOrStringsKnowWhichTheyAre) {
  const Document document = Decode(kPod, core_v1::Pod::Type());
  const core_v1::Container web = core_v1::Pod(document).spec().containers()[0];
  EXPECT_EQ(web.liveness_probe().http_get().port(), (IntOrStringValue{true, 0, "http"}));
  EXPECT_EQ(web.readiness_probe().http_get().port(), (IntOrStringValue{false, 8080, ""}));
}

TEST(ViewTest, AViewIsHadOnlyOfADocumentOfItsType) {
  const Document document = Decode(kPod, core_v1::Pod::Type());
  EXPECT_TRUE(ViewAs<core_v1::Pod>(document).has_value());
  EXPECT_FALSE(ViewAs<core_v1::Node>(document).has_value());
  EXPECT_FALSE(ViewAs<core_v1::Pod>(Decode("{}", nullptr)).has_value());
}

TEST(ViewTest, FieldConstantsAreTheIndicesOfTheDescriptor) {
  EXPECT_EQ(core_v1::PodSpec::kNodeName, core_v1::PodSpec::Type()->FindField("nodeName"));
  EXPECT_EQ(core_v1::Pod::kStatus, core_v1::Pod::Type()->FindField("status"));
  // Behind the fields of the handler, which is inlined.
  EXPECT_EQ(core_v1::Probe::kPeriodSeconds, core_v1::Probe::Type()->FindField("periodSeconds"));
}

TEST(ViewTest, FormsThatAreNoObjectsAreSeenAsValues) {
  const Document document = Decode(
      R"({"type":"object","additionalProperties":{"type":"string"},"$ref":"a","not":{"type":"x"},
          "properties":{"a":{"default":[1, 2],"maxLength":0}}})",
      apiextensions_k8s_io_v1::JSONSchemaProps::Type());
  const auto schema = ViewAs<apiextensions_k8s_io_v1::JSONSchemaProps>(document);
  ASSERT_TRUE(schema.has_value());
  EXPECT_EQ(schema->ref(), "a");
  EXPECT_EQ(schema->not_().type(), "x");
  EXPECT_EQ(schema->properties().Get("a").default_(), "[1,2]");
  EXPECT_EQ(schema->properties().Get("a").max_length(), 0);
  EXPECT_FALSE(schema->properties().Get("b").max_length().has_value());
  ASSERT_NE(schema->additional_properties(), nullptr);
  EXPECT_EQ(apiextensions_k8s_io_v1::JSONSchemaProps(schema->additional_properties()).type(),
            "string");
  EXPECT_EQ(schema->items(), nullptr);
}

TEST(MutableViewTest, BuildsADeployment) {
  Document document = apps_v1::Deployment::New();
  apps_v1::MutableDeployment deployment(document);
  auto metadata = deployment.mutable_metadata();
  metadata.set_name("web");
  metadata.put_labels("tier", "front");
  metadata.put_labels("app", "web");
  auto spec = deployment.mutable_spec();
  spec.set_replicas(0);  // a pointer: zero is not unset
  spec.mutable_selector().put_match_labels("app", "web");
  spec.mutable_strategy().mutable_rolling_update().set_max_surge("25%");
  spec.mutable_strategy().mutable_rolling_update().set_max_unavailable(1);
  auto pod = spec.mutable_template();
  pod.mutable_metadata().put_labels("app", "web");
  auto container = pod.mutable_spec().add_containers();
  container.set_name("web");
  container.set_image("nginx:1");
  container.add_args("-g");
  container.add_args("daemon off;");
  container.add_ports().set_container_port(80);
  container.mutable_resources().put_limits("memory", "1Gi");
  pod.mutable_spec().set_host_network(false);
  pod.mutable_spec().set_termination_grace_period_seconds(30);

  EXPECT_EQ(EncodeJson(document.root()),
            R"({"kind":"Deployment","apiVersion":"apps/v1","metadata":{"name":"web",)"
            R"("labels":{"app":"web","tier":"front"}},)"
            R"("spec":{"replicas":0,"selector":{"matchLabels":{"app":"web"}},)"
            R"("template":{"metadata":{"labels":{"app":"web"}},)"
            R"("spec":{"containers":[{"name":"web","image":"nginx:1",)"
            R"("args":["-g","daemon off;"],"ports":[{"containerPort":80}],)"
            R"("resources":{"limits":{"memory":"1Gi"}}}],"terminationGracePeriodSeconds":30}},)"
            R"("strategy":{"rollingUpdate":{"maxUnavailable":1,"maxSurge":"25%"}}},"status":{}})");
}

TEST(MutableViewTest, WritingElsewhereDoesNotInvalidateAView) {
  Document document = core_v1::Pod::New();
  core_v1::MutablePod pod(document);
  auto status = pod.mutable_status();
  auto spec = pod.mutable_spec();
  auto metadata = pod.mutable_metadata();  // stands before both
  std::vector<core_v1::MutableContainer> containers;
  for (int i = 0; i < 20; ++i) containers.push_back(spec.add_containers());
  for (int i = 0; i < 20; ++i) containers[i].set_name("c" + std::to_string(i));
  status.set_phase("Running");
  spec.set_node_name("n");
  metadata.set_name("p");
  const core_v1::Pod read = pod.Read();
  EXPECT_EQ(read.metadata().name(), "p");
  EXPECT_EQ(read.spec().node_name(), "n");
  EXPECT_EQ(read.status().phase(), "Running");
  for (size_t i = 0; i < 20; ++i) {
    EXPECT_EQ(read.spec().containers()[i].name(), "c" + std::to_string(i));
  }
}

TEST(MutableViewTest, AClearedMessageIsMadeAnewWhenWrittenTo) {
  Document document = core_v1::Pod::New();
  core_v1::MutablePod pod(document);
  auto affinity = pod.mutable_spec().mutable_affinity().mutable_node_affinity();
  pod.clear_spec();
  EXPECT_FALSE(pod.Read().has_spec());
  affinity.add_preferred_during_scheduling_ignored_during_execution().set_weight(5);
  EXPECT_EQ(pod.Read()
                .spec()
                .affinity()
                .node_affinity()
                .preferred_during_scheduling_ignored_during_execution()[0]
                .weight(),
            5);
}

TEST(MutableViewTest, ZeroClearsAFieldThatIsNoPointer) {
  Document document = core_v1::Pod::New();
  core_v1::MutablePod pod(document);
  auto spec = pod.mutable_spec();
  spec.set_node_name("n");
  spec.set_host_network(true);
  spec.set_priority(7);
  spec.set_node_name("");
  spec.set_host_network(false);
  spec.set_priority(0);
  EXPECT_EQ(EncodeJson(document.root().Find("spec")[0]), R"({"containers":null,"priority":0})");
  spec.clear_priority();
  EXPECT_FALSE(spec.Read().priority().has_value());
}

TEST(MutableViewTest, TextIsCopied) {
  Document document = core_v1::Secret::New();
  core_v1::MutableSecret secret(document);
  {
    std::string text = "a text that is too long to stay in place";
    secret.mutable_metadata().set_name(text);
    secret.put_data(text, text);
    std::ranges::fill(text, 'x');
  }
  EXPECT_EQ(secret.Read().metadata().name(), "a text that is too long to stay in place");
  EXPECT_EQ(secret.Read().data().Get("a text that is too long to stay in place"),
            "a text that is too long to stay in place");
}

TEST(MutableViewTest, MessagesAreCopiedBetweenDocuments) {
  Document copy = core_v1::Pod::New();
  core_v1::MutablePod pod(copy);
  {
    const Document document = Decode(kPod, core_v1::Pod::Type());
    pod.set_spec(core_v1::Pod(document).spec());
    pod.mutable_spec().add_containers(core_v1::Pod(document).spec().containers()[1]);
    pod.set_metadata(meta_v1::ObjectMeta());
  }
  EXPECT_EQ(pod.Read().spec().containers()[0].image(), "nginx:1");
  EXPECT_EQ(pod.Read().spec().containers()[2].name(), "log");
  EXPECT_FALSE(pod.Read().has_metadata());
}

TEST(MutableViewTest, ItemsAndEntriesAreChangedAndErased) {
  Document document = Decode(kPod, core_v1::Pod::Type());
  core_v1::MutablePod pod(document);
  pod.mutable_spec().mutable_containers(1).set_image("logger");
  pod.mutable_spec().erase_containers(0);
  pod.mutable_metadata().erase_labels("app");
  pod.mutable_metadata().erase_annotations("none");
  EXPECT_EQ(pod.Read().spec().containers().size(), 1u);
  EXPECT_EQ(pod.Read().spec().containers()[0].image(), "logger");
  EXPECT_FALSE(pod.Read().metadata().labels().Contains("app"));

  Document schema = Document::OfType(apiextensions_k8s_io_v1::JSONSchemaProps::Type());
  Document crd = apiextensions_k8s_io_v1::CustomResourceDefinition::New();
  apiextensions_k8s_io_v1::MutableCustomResourceDefinition definition(crd);
  auto properties =
      definition.mutable_spec().add_versions().mutable_schema().mutable_open_api_v3_schema();
  properties.mutable_properties("spec").set_type("object");
  properties.mutable_properties("spec").set_default("{}");
  properties.mutable_properties("spec").set_additional_properties(schema.root());
  EXPECT_EQ(EncodeJson(properties.AsValue()),
            R"({"properties":{"spec":{"type":"object","default":{},"additionalProperties":{}}}})");
}

TEST(MutableViewTest, EachTypeIsWrittenInItsForm) {
  Document lease_document = coordination_k8s_io_v1::Lease::New();
  coordination_k8s_io_v1::MutableLease lease(lease_document);
  lease.mutable_spec().set_renew_time(Timestamp{1709208000, 5000});
  lease.mutable_metadata().set_creation_timestamp(Timestamp{1709208000, 0});
  lease.mutable_metadata().add_managed_fields().set_fields_v1(R"({"f:spec":{}})");
  EXPECT_EQ(EncodeJson(lease_document.root()),
            R"({"kind":"Lease","apiVersion":"coordination.k8s.io/v1","metadata":{)"
            R"("creationTimestamp":"2024-02-29T12:00:00Z",)"
            R"("managedFields":[{"fieldsV1":{"f:spec":{}}}]},)"
            R"("spec":{"renewTime":"2024-02-29T12:00:00.000005Z"}})");

  Document review_document = authorization_k8s_io_v1::SubjectAccessReview::New();
  authorization_k8s_io_v1::MutableSubjectAccessReview review(review_document);
  review.mutable_spec().add_extra("scopes", "a");
  review.mutable_spec().add_extra("scopes", "b");
  ASSERT_EQ(review.Read().spec().extra().Get("scopes").size(), 2u);
  EXPECT_EQ(review.Read().spec().extra().Get("scopes")[1], "b");
}

}  // namespace
}  // namespace skiff::object
