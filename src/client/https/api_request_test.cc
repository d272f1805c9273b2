#include "client/https/api_request.h"

#include <gtest/gtest.h>

#include "object/protobuf/envelope.h"

namespace skiff::client {
namespace {

ClientCall CallOf(ClientVerb verb, const ApiResource& resource, ObjectName target) {
  ClientCall call;
  call.verb = verb;
  call.resource = &resource;
  call.target = std::move(target);
  return call;
}

std::string Line(const ClientCall& call) {
  const auto request = MakeRequest(call);
  return request ? request->method + " " + request->path : request.error().message();
}

const ApiResource& Pods() { return BuiltIn("", "v1", "pods"); }
const ApiResource kWidgets{
    .group = "example.com", .version = "v1", .name = "widgets", .kind = "Widget"};

TEST(ApiRequestTest, PathsAreThoseOfKubernetes) {
  EXPECT_EQ(Line(CallOf(ClientVerb::kGet, Pods(), {"ns", "a"})),
            "GET /api/v1/namespaces/ns/pods/a");
  EXPECT_EQ(Line(CallOf(ClientVerb::kGet, BuiltIn("", "v1", "nodes"), {"", "a"})),
            "GET /api/v1/nodes/a");
  EXPECT_EQ(Line(CallOf(ClientVerb::kGet, BuiltIn("apps", "v1", "deployments"), {"ns", "a"})),
            "GET /apis/apps/v1/namespaces/ns/deployments/a");
  EXPECT_EQ(Line(CallOf(ClientVerb::kList, Pods(), {})), "GET /api/v1/pods");
  EXPECT_EQ(Line(CallOf(ClientVerb::kGet, Pods(), {"ns", "a/../b"})),
            "GET /api/v1/namespaces/ns/pods/a%2F..%2Fb");
  EXPECT_EQ(Line(CallOf(ClientVerb::kGet, Pods(), {"ns", ""})), "resource name may not be empty");
  EXPECT_EQ(Line(CallOf(ClientVerb::kGet, Pods(), {"", "a"})),
            "an empty namespace may not be set when a resource name is provided");
}

TEST(ApiRequestTest, ListsCarryTheirChoices) {
  ClientCall call = CallOf(ClientVerb::kList, Pods(), {"ns", ""});
  call.label_selector = "a=b,c in (d)";
  call.field_selector = "spec.nodeName=n";
  call.limit = 500;
  call.continue_token = "x=";
  call.resource_version = "7";
  call.resource_version_match = "Exact";
  EXPECT_EQ(Line(call),
            "GET /api/v1/namespaces/ns/pods?labelSelector=a%3Db%2Cc%20in%20%28d%29&"
            "fieldSelector=spec.nodeName%3Dn&continue=x%3D&limit=500&resourceVersionMatch=Exact&"
            "resourceVersion=7");
}

TEST(ApiRequestTest, WritesNameTheirManager) {
  ClientCall call = CallOf(ClientVerb::kCreate, Pods(), {});
  call.body = *ParseObject(Pods(), R"({"metadata":{"name":"a","namespace":"ns"}})");
  call.field_manager = "loop";
  const auto request = MakeRequest(call);
  ASSERT_TRUE(request);
  EXPECT_EQ(request->method + " " + request->path,
            "POST /api/v1/namespaces/ns/pods?fieldManager=loop");
  EXPECT_EQ(request->headers.Get("content-type"), "application/vnd.kubernetes.protobuf");
  EXPECT_TRUE(object::HasProtobufPrefix(request->body.view()));
  call.subresource = "eviction";
  EXPECT_EQ(Line(call), "POST /api/v1/namespaces/ns/pods/a/eviction?fieldManager=loop");
  call.verb = ClientVerb::kUpdate;
  call.subresource = "status";
  EXPECT_EQ(Line(call), "PUT /api/v1/namespaces/ns/pods/a/status?fieldManager=loop");
}

TEST(ApiRequestTest, PatchesSayWhatTheyAre) {
  ClientCall call = CallOf(ClientVerb::kPatch, Pods(), {"ns", "a"});
  call.patch = "{}";
  call.patch_type = PatchType::kApply;
  call.force = true;
  call.field_manager = "m";
  const auto request = MakeRequest(call);
  ASSERT_TRUE(request);
  EXPECT_EQ(request->path, "/api/v1/namespaces/ns/pods/a?fieldManager=m&force=true");
  EXPECT_EQ(request->headers.Get("content-type"), "application/apply-patch+yaml");
  EXPECT_EQ(request->body.view(), "{}");
}

TEST(ApiRequestTest, DeletionsCarryTheirConditions) {
  ClientCall call = CallOf(ClientVerb::kDelete, Pods(), {"ns", "a"});
  EXPECT_TRUE(MakeRequest(call)->body.empty());
  call.deletion = {
      .grace_period_seconds = 0, .uid = "u", .resource_version = "7", .propagation = "Foreground"};
  const auto request = MakeRequest(call);
  EXPECT_EQ(request->method, "DELETE");
  EXPECT_EQ(request->body.view(),
            R"({"kind":"DeleteOptions","apiVersion":"v1","gracePeriodSeconds":0,)"
            R"("preconditions":{"uid":"u","resourceVersion":"7"},)"
            R"("propagationPolicy":"Foreground"})");
}

TEST(ApiRequestTest, CustomResourcesSpeakJsonUnlessOnlyMetadataIsAsked) {
  ClientCall call = CallOf(ClientVerb::kList, kWidgets, {});
  EXPECT_EQ(MakeRequest(call)->headers.Get("accept"), "application/json");
  call.metadata_only = true;
  EXPECT_EQ(MakeRequest(call)->headers.Get("accept"),
            "application/vnd.kubernetes.protobuf;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,"
            "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json");
  call = CallOf(ClientVerb::kGet, Pods(), {"ns", "a"});
  EXPECT_EQ(MakeRequest(call)->headers.Get("accept"),
            "application/vnd.kubernetes.protobuf,application/json");
}

TEST(ApiRequestTest, ProtobufMayBeUnwanted) {
  ClientCall call = CallOf(ClientVerb::kCreate, Pods(), {});
  call.body = *ParseObject(Pods(), R"({"metadata":{"name":"a","namespace":"ns"}})");
  const auto request = MakeRequest(call, false);
  ASSERT_TRUE(request);
  EXPECT_EQ(request->headers.Get("accept"), "application/json");
  EXPECT_EQ(request->headers.Get("content-type"), "application/json");
  EXPECT_TRUE(request->body.view().starts_with('{'));
}

TEST(ApiRequestTest, WatchesAskForBookmarks) {
  WatchCall call;
  call.resource = &Pods();
  call.resource_version = "5";
  EXPECT_EQ(MakeWatchRequest(call, 300).path,
            "/api/v1/pods?watch=true&allowWatchBookmarks=true&resourceVersion=5&"
            "timeoutSeconds=300");
  call.send_initial_events = true;
  call.resource_version.clear();
  const net::ClientRequest request = MakeWatchRequest(call, 300);
  EXPECT_EQ(request.path,
            "/api/v1/pods?watch=true&allowWatchBookmarks=true&sendInitialEvents=true&"
            "resourceVersionMatch=NotOlderThan&timeoutSeconds=300");
  EXPECT_EQ(request.headers.Get("accept"),
            "application/vnd.kubernetes.protobuf;stream=watch,application/json");
  EXPECT_EQ(request.timeout, Clock::kForever);
}

}  // namespace
}  // namespace skiff::client
