#include "net/client/endpoint.h"

#include <gtest/gtest.h>

namespace skiff::net {
namespace {

TEST(EndpointTest, PartsOfAUrlAreTakenApart) {
  auto plain = ParseEndpoint("https://api.example.com");
  ASSERT_TRUE(plain);
  EXPECT_EQ(plain->host, "api.example.com");
  EXPECT_EQ(plain->port, 443);
  EXPECT_EQ(plain->authority, "api.example.com");
  EXPECT_TRUE(plain->addresses.empty());

  auto address = ParseEndpoint("https://127.0.0.1:6443/k8s/clusters/c-1/");
  ASSERT_TRUE(address);
  EXPECT_EQ(address->port, 6443);
  EXPECT_EQ(address->base_path, "/k8s/clusters/c-1");
  EXPECT_EQ(address->addresses.size(), 1u);

  auto v6 = ParseEndpoint("https://[::1]:6443");
  ASSERT_TRUE(v6);
  EXPECT_EQ(v6->host, "::1");
  EXPECT_EQ(v6->authority, "[::1]:6443");
  EXPECT_EQ(v6->port, 6443);
  EXPECT_TRUE(v6->tls);

  auto open = ParseEndpoint("http://127.0.0.1/proxy");
  ASSERT_TRUE(open);
  EXPECT_FALSE(open->tls);
  EXPECT_EQ(open->port, 80);
  EXPECT_EQ(open->ToString(), "http://127.0.0.1");
}

TEST(EndpointTest, OtherUrlsAreRefused) {
  for (const char* url : {"", "ftp://a", "a:6443", "https://", "http://", "https://a:0",
                          "https://a:70000", "https://a:b", "https://[::1", "https://[a]:1",
                          "https://user@a", "https://a?b=c", "https://a b"})
    EXPECT_FALSE(ParseEndpoint(url)) << url;
}

TEST(EndpointTest, TheResolverKnowsLocalhost) {
  auto found = ResolveEndpoint("https://localhost:1");
  ASSERT_TRUE(found) << found.error().message();
  EXPECT_FALSE(found->addresses.empty());
  EXPECT_TRUE(found->addresses.front().IsLoopback());
}

}  // namespace
}  // namespace skiff::net
