#include "serving/request/request_info.h"

#include <gtest/gtest.h>

namespace skiff::serving {
namespace {

RequestInfo Read(std::string_view method, std::string_view path, std::string_view query = "") {
  const auto parameters = QueryParameters::Parse(query);
  EXPECT_TRUE(parameters.has_value());
  auto info = ReadRequestInfo(method, path, *parameters);
  EXPECT_TRUE(info.has_value()) << path;
  return info ? *info : RequestInfo();
}

TEST(RequestInfoTest, ResourcesOfTheCoreGroupAndOfOthers) {
  const RequestInfo pod = Read("GET", "/api/v1/namespaces/ns/pods/web/log");
  EXPECT_TRUE(pod.is_resource);
  EXPECT_EQ(pod.verb, "get");
  EXPECT_EQ(pod.group, "");
  EXPECT_EQ(pod.version, "v1");
  EXPECT_EQ(pod.name_space, "ns");
  EXPECT_EQ(pod.resource, "pods");
  EXPECT_EQ(pod.name, "web");
  EXPECT_EQ(pod.subresource, "log");
  const RequestInfo list = Read("GET", "/apis/apps/v1/deployments");
  EXPECT_EQ(list.group, "apps");
  EXPECT_EQ(list.verb, "list");
  EXPECT_EQ(list.name_space, "");
}

TEST(RequestInfoTest, ANamespaceIsAResourceAndAScope) {
  const RequestInfo itself = Read("PUT", "/api/v1/namespaces/ns/finalize");
  EXPECT_EQ(itself.resource, "namespaces");
  EXPECT_EQ(itself.name, "ns");
  EXPECT_EQ(itself.subresource, "finalize");
  EXPECT_EQ(itself.name_space, "ns");
  EXPECT_FALSE(itself.within_namespace);
  EXPECT_TRUE(Read("GET", "/api/v1/namespaces/ns/pods").within_namespace);
  EXPECT_TRUE(Read("GET", "/api/v1/namespaces/ns/namespaces/ns").within_namespace);
}

TEST(RequestInfoTest, VerbsOfCollectionsAreTheirOwn) {
  EXPECT_EQ(Read("DELETE", "/api/v1/namespaces/ns/pods").verb, "deletecollection");
  EXPECT_EQ(Read("GET", "/api/v1/pods", "watch=true").verb, "watch");
  EXPECT_EQ(Read("GET", "/api/v1/pods", "watch=false").verb, "list");
  EXPECT_EQ(Read("GET", "/api/v1/watch/namespaces/ns/pods").verb, "watch");
  EXPECT_EQ(Read("PATCH", "/api/v1/namespaces/ns/pods/p").verb, "patch");
}

TEST(RequestInfoTest, AFieldSelectorOfTheNameNamesTheObjectForAuthorization) {
  const RequestInfo info =
      Read("GET", "/api/v1/namespaces/ns/secrets", "fieldSelector=metadata.name%3Dx&watch=1");
  EXPECT_EQ(info.name, "x");
  EXPECT_FALSE(info.name_in_path);
  const auto name = [](std::string_view method, std::string_view path) {
    return Read(method, path, "fieldSelector=metadata.name%3Dx").name;
  };
  EXPECT_EQ(name("GET", "/api/v1/namespaces/ns/secrets"), "x");
  EXPECT_EQ(name("DELETE", "/api/v1/namespaces/ns/secrets"), "");
  EXPECT_EQ(name("GET", "/api/v1/watch/namespaces/ns/secrets"), "");
  EXPECT_EQ(Read("GET", "/api/v1/pods", "fieldSelector=metadata.name%3Da%252fb").name, "");
}

TEST(RequestInfoTest, OtherPathsAreNoResources) {
  for (const std::string_view path : {"/", "/api", "/api/v1", "/apis/apps", "/apis/apps/v1",
                                      "/healthz", "//api/v1/pods", "/api/v1/pods//log"}) {
    EXPECT_FALSE(Read("GET", path).is_resource) << path;
  }
  EXPECT_EQ(Read("GET", "/healthz").verb, "get");
}

TEST(RequestInfoTest, PathsThatCannotBeMeantWellAreRefused) {
  for (const std::string_view path :
       {"/api/v1/namespaces/../pods", "/api/v1/namespaces/%2e%2e/pods", "/api/v1/a%2fb",
        "/api/v1/pods/%00", "/api/v1/pods/%c0%ae", "/api/v1/pods/%zz", "/api/v1/pods/a%0ab"}) {
    const auto info = ReadRequestInfo("GET", path, QueryParameters());
    ASSERT_FALSE(info.has_value()) << path;
    EXPECT_EQ(info.error().code(), 400) << path;
  }
}

TEST(RequestInfoTest, WatchesAndStreamsMayTakeLong) {
  EXPECT_TRUE(IsLongRunning(Read("GET", "/api/v1/pods", "watch=1")));
  EXPECT_TRUE(IsLongRunning(Read("GET", "/api/v1/namespaces/n/pods/p/log")));
  EXPECT_FALSE(IsLongRunning(Read("GET", "/api/v1/pods")));
}

TEST(QueryTest, ValuesAreDecodedAndBooleansAreKubernetes) {
  const auto query = QueryParameters::Parse("a=b+c%3D&flag&off=0&no=False&n=12&x=");
  ASSERT_TRUE(query.has_value());
  EXPECT_EQ(query->Get("a"), "b c=");
  EXPECT_TRUE(query->IsTrue("flag"));
  EXPECT_FALSE(query->IsTrue("off"));
  EXPECT_FALSE(query->IsTrue("no"));
  EXPECT_FALSE(query->IsTrue("absent"));
  EXPECT_FALSE(QueryParameters::Parse("a=%4").has_value());
}

TEST(QueryTest, WholeNumbersAreKubernetes) {
  const auto query =
      QueryParameters::Parse("n=12&plus=%2B12&two=%2B-1&x=&a=b&big=9223372036854775808");
  ASSERT_TRUE(query.has_value());
  EXPECT_EQ(*query->OptionalInt("n"), 12);
  EXPECT_EQ(*query->OptionalInt("plus"), 12);
  EXPECT_EQ(*query->OptionalInt("absent"), std::nullopt);
  const auto fault = [&](std::string_view name) {
    const auto number = query->OptionalInt(name);
    return number ? "none" : std::string(number.error().message());
  };
  EXPECT_EQ(fault("x"), "strconv.ParseInt: parsing \"\": invalid syntax");
  EXPECT_EQ(fault("a"), "strconv.ParseInt: parsing \"b\": invalid syntax");
  EXPECT_EQ(fault("two"), "strconv.ParseInt: parsing \"+-1\": invalid syntax");
  EXPECT_EQ(fault("big"), "strconv.ParseInt: parsing \"9223372036854775808\": value out of range");
}

}  // namespace
}  // namespace skiff::serving
