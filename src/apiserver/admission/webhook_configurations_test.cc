#include "apiserver/admission/webhook_configurations.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "object/json/decode.h"

namespace skiff::apiserver {
namespace {

object::Document Configuration(const std::string& name, const std::string& webhooks) {
  auto read = object::DecodeJson(
      R"({"apiVersion":"admissionregistration.k8s.io/v1","kind":"MutatingWebhookConfiguration",)"
      R"("metadata":{"name":")" +
          name + R"("},"webhooks":[)" + webhooks + "]}",
      object::FindKind("admissionregistration.k8s.io/v1", "MutatingWebhookConfiguration"));
  EXPECT_TRUE(read) << read.error().ToString();
  return std::move(*read);
}

std::string Hook(const std::string& name, const std::string& resources,
                 const std::string& more = R"("clientConfig":{"url":"https://h/p"})") {
  return R"({"name":")" + name +
         R"(","rules":[{"apiGroups":["*"],"apiVersions":["*"],"operations":["*"],"resources":[)" +
         resources + "]}]," + more + "}";
}

std::string Names(const std::vector<WebhookTable::Entry>& entries) {
  std::string out;
  for (const WebhookTable::Entry& each : entries) {
    out += (out.empty() ? "" : " ") + each.webhook->name + "@" + std::to_string(each.index);
  }
  return out;
}

TEST(WebhookConfigurationsTest, TheTableHasThoseThatMayBeAboutAResource) {
  std::vector<CompiledWebhookPtr> all;
  for (const object::Document& each :
       {Configuration("a", Hook("pods", R"("pods")") + "," + Hook("any", R"("*/*")")),
        Configuration("b", Hook("scales", R"("deployments/scale","*/exec")") + "," +
                               Hook("both", R"("pods","deployments")"))}) {
    for (CompiledWebhookPtr& webhook : CompileWebhooks(each)) all.push_back(std::move(webhook));
  }
  const WebhookTable table(std::move(all));
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"pods", "pods@0 any@1 scales@2 both@3"},
      {"deployments", "any@1 scales@2 both@3"},
      {"configmaps", "any@1 scales@2"},
      {"*", "any@1 scales@2"},
  };
  for (const auto& [resource, names] : cases) EXPECT_EQ(Names(table.For(resource)), names);
}

TEST(WebhookConfigurationsTest, CompiledIsWhatTheConfigurationSays) {
  const std::vector<CompiledWebhookPtr> hooks = CompileWebhooks(Configuration(
      "c",
      Hook("full", R"("pods")",
           R"("clientConfig":{"service":{"namespace":"n","name":"s","path":"/p","port":8443}},)"
           R"("failurePolicy":"Ignore","sideEffects":"NoneOnDryRun","timeoutSeconds":7,)"
           R"("reinvocationPolicy":"IfNeeded","admissionReviewVersions":["v9","v1beta1","v1"])") +
          "," + Hook("bare", R"("pods")")));
  ASSERT_EQ(hooks.size(), 2U);
  const CompiledWebhook& full = *hooks[0];
  EXPECT_EQ(full.configuration, "c");
  EXPECT_EQ(full.target->url(), "https://s.n.svc:8443/p");
  EXPECT_TRUE(full.ignores_failures);
  EXPECT_TRUE(full.says_side_effects);
  EXPECT_FALSE(full.has_side_effects);
  EXPECT_TRUE(full.may_be_reinvoked);
  EXPECT_EQ(full.timeout, std::chrono::seconds(7));
  EXPECT_EQ(full.version, ReviewVersion::kV1beta1);
  const CompiledWebhook& bare = *hooks[1];
  EXPECT_EQ(bare.target->url(), "https://h/p");
  EXPECT_FALSE(bare.ignores_failures);
  EXPECT_FALSE(bare.says_side_effects);
  EXPECT_EQ(bare.version, ReviewVersion::kNone);
  EXPECT_NE(full.id, bare.id);
}

TEST(WebhookConfigurationsTest, WebhooksThatSayTheSameShareConnections) {
  const auto target = [](const std::string& more) {
    return CompileWebhooks(Configuration("c", Hook("h", R"("pods")", more)))[0]->target->key();
  };
  EXPECT_EQ(target(R"("clientConfig":{"url":"https://h/a"})"),
            target(R"("clientConfig":{"url":"https://h/b"})"));
  EXPECT_NE(target(R"("clientConfig":{"url":"https://h/a"})"),
            target(R"("clientConfig":{"url":"https://h/a","caBundle":"eHg="})"));
  EXPECT_NE(target(R"("clientConfig":{"url":"https://h/a"})"),
            target(R"("clientConfig":{"url":"https://h:8443/a"})"));
}

}  // namespace
}  // namespace skiff::apiserver
