#include "apiserver/validation/webhook_client.h"

#include <gtest/gtest.h>

namespace skiff::apiserver {
namespace {

size_t FaultsOfUrl(std::string_view url) {
  FieldErrors errors(kDefaultSettings);
  ValidateWebhookUrl(url, "url", errors);
  return errors.size();
}

TEST(WebhookClientTest, AUrlIsHttpsWithAHostAndAPathAndNothingElse) {
  for (const char* url : {"https://a.example", "https://a.example:8443/x/y", "https://[::1]:1/"}) {
    EXPECT_EQ(FaultsOfUrl(url), 0u) << url;
  }
  for (const char* url : {"http://a.example", "https:///x", "https://u@a.example",
                          "https://a.example#f", "https://a.example?q=1", ":x", "a:b"}) {
    EXPECT_GE(FaultsOfUrl(url), 1u) << url;
  }
  EXPECT_EQ(FaultsOfUrl("nothing"), 2u);
}

TEST(WebhookClientTest, AServiceHasANameANamespaceAPortAndAPathOfDnsNames) {
  FieldErrors errors(kDefaultSettings);
  ValidateWebhookService({"ns", "name", "/a/b.c/", 443}, errors);
  ValidateWebhookService({"ns", "name", std::nullopt, 443}, errors);
  EXPECT_TRUE(errors.empty());
  ValidateWebhookService({"ns", "", "a//B", 0}, errors);
  ASSERT_EQ(errors.size(), 6u);
  EXPECT_EQ(errors.causes()[0].field, "namespace");
  EXPECT_EQ(errors.causes()[1].field, "port");
}

}  // namespace
}  // namespace skiff::apiserver
