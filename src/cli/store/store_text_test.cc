#include "cli/store/store_text.h"

#include <gtest/gtest.h>

#include "cli/common/long_operation.h"
#include "object/transcode/json_to_protobuf.h"

namespace skiff::cli {
namespace {

TEST(StoreTextTest, ResourcesAreToldFromKeys) {
  const auto resource = [](std::string_view key) { return ResourceOfKey("/registry/", key); };
  EXPECT_EQ(resource("/registry/pods/default/web"), "pods");
  EXPECT_EQ(resource("/registry/namespaces/default"), "namespaces");
  EXPECT_EQ(resource("/registry/services/specs/default/web"), "services/specs");
  EXPECT_EQ(resource("/registry/services/endpoints/default/web"), "services/endpoints");
  EXPECT_EQ(resource("/registry/ranges/serviceips"), "ranges/serviceips");
  EXPECT_EQ(resource("/registry/stable.example.com/crontabs/default/a"),
            "stable.example.com/crontabs");
  EXPECT_EQ(resource("/registry/health"), "health");
  EXPECT_EQ(resource("compact_rev_key"), "/compact_rev_key");
  EXPECT_EQ(resource("/other/pods/a"), "/other");
  EXPECT_EQ(ResourceOfKey("", "/registry/pods/a"), "/registry");
}

TEST(StoreTextTest, NumbersAreReadable) {
  EXPECT_EQ(Grouped(0), "0");
  EXPECT_EQ(Grouped(999), "999");
  EXPECT_EQ(Grouped(1000), "1,000");
  EXPECT_EQ(Grouped(1234567), "1,234,567");
  EXPECT_EQ(HumanBytes(1023), "1023 B");
  EXPECT_EQ(HumanBytes(1536), "1.5 KiB");
  EXPECT_EQ(HumanBytes(uint64_t{5} << 30), "5.0 GiB");
}

store::KeyValue Stored(std::string key, std::string_view json) {
  ByteBuffer out;
  EXPECT_TRUE(object::JsonToStorage(json, out));
  return {.key = std::move(key),
          .value = SharedBytes(out.view()),
          .create_revision = {2},
          .mod_revision = {3},
          .version = 2,
          .lease = {}};
}

TEST(StoreTextTest, AnObjectIsShownAsJson) {
  const store::KeyValue entry =
      Stored("/registry/configmaps/default/a",
             R"({"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a"},"data":{"k":"v"}})");
  const std::string json = EntryJson({entry, {}, false, "/registry/"});
  EXPECT_NE(json.find(R"("encoding":"protobuf v1 ConfigMap")"), std::string::npos) << json;
  EXPECT_NE(json.find(R"("data":{"k":"v"})"), std::string::npos) << json;
}

TEST(StoreTextTest, AKeyThatHoldsTheObjectOfAnotherIsFound) {
  const auto found = [](const std::string& key, const std::string& metadata) {
    const store::KeyValue entry =
        Stored(key, R"({"kind":"ConfigMap","apiVersion":"v1","metadata":)" + metadata + "}");
    const std::optional<MisplacedKey> misplaced = FindMisplaced("/registry/", entry);
    return misplaced ? misplaced->object : "";
  };
  const std::string own = R"({"name":"a","namespace":"n"})";
  EXPECT_EQ(found("/registry/configmaps/n/a", own), "");
  EXPECT_EQ(found("/registry/configmaps/n/b", own), "n/a");
  EXPECT_EQ(found("/registry/configmaps/other/a", own), "n/a");
  EXPECT_EQ(found("/registry/configmaps/n/a", R"({"name":"a"})"), "a");
  EXPECT_EQ(found("/registry/configmaps/a", own), "n/a");
  EXPECT_EQ(found("/registry/minions/a", R"({"name":"a"})"), "");
  EXPECT_EQ(found("/registry/services/specs/n/a", own), "");
  EXPECT_EQ(found("/registry/stable.example.com/crontabs/n/a", own), "");
  // Neither what has no name nor what is not ours.
  EXPECT_EQ(found("/registry/ranges/serviceips", "{}"), "");
  EXPECT_EQ(found("/elsewhere/n/b", own), "");
}

TEST(StoreTextTest, MisplacedKeysAreNamedAndCounted) {
  StoreSummary summary;
  EXPECT_EQ(SummaryTable(summary).find("misplaced"), std::string::npos);
  EXPECT_NE(SummaryJson(summary).find(R"("misplaced":0)"), std::string::npos);
  summary.misplaced = 2;
  summary.misplaced_keys = {{"/registry/pods/n/b", "n/a"}};
  const std::string table = SummaryTable(summary);
  EXPECT_NE(table.find("2 keys hold an object of another name"), std::string::npos) << table;
  EXPECT_NE(table.find("/registry/pods/n/b holds n/a"), std::string::npos) << table;
  EXPECT_NE(table.find("..."), std::string::npos) << table;
  EXPECT_NE(SummaryJson(summary).find(
                R"("misplaced":2,"misplacedKeys":[{"key":"/registry/pods/n/b","object":"n/a"}])"),
            std::string::npos)
      << SummaryJson(summary);
}

TEST(StoreTextTest, SecretsAreShownOnlyOnRequest) {
  const std::string_view secret =
      R"({"kind":"Secret","apiVersion":"v1","metadata":{"name":"a"},"data":{"k":"aHVzaA=="}})";
  // Wherever it is stored.
  for (const char* key : {"/registry/secrets/default/a", "/elsewhere"}) {
    const store::KeyValue entry = Stored(key, secret);
    for (const std::string& text : {EntryJson({entry, {}, false, "/registry/"}),
                                    EntryTable({entry, {}, false, "/registry/"})}) {
      EXPECT_EQ(text.find("aHVzaA"), std::string::npos) << text;
      EXPECT_EQ(text.find("hush"), std::string::npos) << text;
      EXPECT_NE(text.find("--show-secrets"), std::string::npos) << text;
    }
    EXPECT_NE(EntryJson({entry, {}, true, "/registry/"}).find("aHVzaA"), std::string::npos);
  }
}

TEST(StoreTextTest, ASecretAsJsonIsASecretToo) {
  store::KeyValue entry;
  entry.key = "/registry/secrets/default/a";
  entry.value = SharedBytes(R"({"kind":"Secret","data":{"k":"aHVzaA=="}})");
  EXPECT_EQ(EntryJson({entry, {}, false, "/registry/"}).find("aHVzaA"), std::string::npos);
}

TEST(StoreTextTest, WhatCannotBeDecodedIsExplained) {
  store::KeyValue entry;
  entry.key = "/registry/pods/default/a";
  entry.value = SharedBytes(std::string_view("k8s\0\xff\xff", 6));
  EXPECT_NE(EntryJson({entry, {}, false, "/registry/"}).find("cannot be decoded"),
            std::string::npos);
  entry.value = SharedBytes("k8s:enc:aescbc:v1:key1:xyz");
  EXPECT_NE(EntryTable({entry, {}, false, "/registry/"}).find("encrypted at rest (aescbc)"),
            std::string::npos);
  entry.value = SharedBytes("\x01\x02");
  EXPECT_NE(EntryTable({entry, {}, false, "/registry/"}).find("neither protobuf nor JSON"),
            std::string::npos);
}

}  // namespace
}  // namespace skiff::cli
