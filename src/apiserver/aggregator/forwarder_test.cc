#include "apiserver/aggregator/forwarder.h"

#include <gtest/gtest.h>

namespace skiff::apiserver {
namespace {

TEST(ForwarderTest, PathsBelowAVersionBelongToItsApiService) {
  EXPECT_EQ(ApiServiceNameOf("/apis/metrics.k8s.io/v1beta1"), "v1beta1.metrics.k8s.io");
  EXPECT_EQ(ApiServiceNameOf("/apis/metrics.k8s.io/v1beta1/"), "v1beta1.metrics.k8s.io");
  EXPECT_EQ(ApiServiceNameOf("/apis/metrics.k8s.io/v1beta1/nodes/a"), "v1beta1.metrics.k8s.io");
}

TEST(ForwarderTest, TheDocumentOfAVersionBelongsToItToo) {
  EXPECT_EQ(ApiServiceNameOf("/openapi/v3/apis/metrics.k8s.io/v1beta1"), "v1beta1.metrics.k8s.io");
  for (const char* path : {"/openapi/v3", "/openapi/v3/", "/openapi/v3/apis/metrics.k8s.io",
                           "/openapi/v3/apis/metrics.k8s.io/v1beta1/x", "/openapi/v3/version",
                           "/openapi/v2/apis/metrics.k8s.io/v1beta1"}) {
    EXPECT_EQ(ApiServiceNameOf(path), "") << path;
  }
}

TEST(ForwarderTest, OtherPathsBelongToNone) {
  for (const char* path : {"/", "/api/v1/pods", "/apis", "/apis/", "/apis/metrics.k8s.io",
                           "/apis/metrics.k8s.io/", "/apis//v1", "/apisx/a/v1", "/version"}) {
    EXPECT_EQ(ApiServiceNameOf(path), "") << path;
  }
}

TEST(ForwarderTest, PathsAreEscapedAsGoEscapesThem) {
  EXPECT_EQ(EscapePath("/apis/a.b/v1/x-_~$&+,:;=@"), "/apis/a.b/v1/x-_~$&+,:;=@");
  EXPECT_EQ(EscapePath("/a b?c#d%e\"f"), "/a%20b%3Fc%23d%25e%22f");
  EXPECT_EQ(EscapePath("/\xC3\xA4!*'()"), "/%C3%A4%21%2A%27%28%29");
}

}  // namespace
}  // namespace skiff::apiserver
