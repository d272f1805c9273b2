#include "apiserver/openapi/descriptions.h"

#include <set>
#include <string>

#include <gtest/gtest.h>

#include "apiserver/openapi/schemas.h"
#include "object/published.h"

namespace skiff::apiserver {
namespace {

TEST(DescriptionsTest, TypesAndFieldsAreTold) {
  Descriptions descriptions;
  const Descriptions::Type* const pod = descriptions.Find("io.k8s.api.core.v1.Pod");
  ASSERT_NE(pod, nullptr);
  EXPECT_TRUE(pod->text().ends_with(".")) << pod->text();
  for (const std::string_view field : {"apiVersion", "kind", "metadata", "spec", "status"}) {
    EXPECT_TRUE(pod->FieldText(field).ends_with(".")) << field << ": " << pod->FieldText(field);
  }
  EXPECT_EQ(pod->FieldText("aspec"), "");
  EXPECT_EQ(pod->FieldText("zspec"), "");
}

TEST(DescriptionsTest, TypesThatAreScalarsToCodecsAreToldToo) {
  Descriptions descriptions;
  for (const std::string_view name : {"io.k8s.apimachinery.pkg.apis.meta.v1.Time",
                                      "io.k8s.apimachinery.pkg.api.resource.Quantity",
                                      "io.k8s.apimachinery.pkg.util.intstr.IntOrString"}) {
    const Descriptions::Type* const type = descriptions.Find(name);
    ASSERT_NE(type, nullptr) << name;
    EXPECT_NE(type->text(), "") << name;
  }
}

TEST(DescriptionsTest, NothingIsKnownBeyondTheSchema) {
  Descriptions descriptions;
  for (const std::string_view name : {"", "Pod", "io.k8s.api.core.v1.Nonsense",
                                      "com.example.stable.v1.CronTab", "io.k8s.api.core.v1."}) {
    EXPECT_EQ(descriptions.Find(name), nullptr) << name;
  }
}

TEST(DescriptionsTest, OnlyWhatIsAskedForIsUnpacked) {
  Descriptions descriptions;
  EXPECT_EQ(descriptions.unpacked_bytes(), 0u);
  descriptions.Find("io.k8s.apimachinery.pkg.version.Info");
  const size_t one = descriptions.unpacked_bytes();
  EXPECT_GT(one, 0u);
  EXPECT_LT(one, 4096u);
  descriptions.Find("io.k8s.api.core.v1.Pod");
  EXPECT_GT(descriptions.unpacked_bytes(), one);
}

// The words are no more than this of the executable, and of memory while documents are written.
TEST(DescriptionsTest, TheWordsOfTheWholeSchemaAreSmall) {
  constexpr size_t kMaxPacked = 160 * 1024;
  constexpr size_t kMaxUnpacked = 768 * 1024;
  Descriptions descriptions;
  size_t packed = 0;
  for (const object::PublishedVersion& version : object::PublishedVersions()) {
    packed += version.descriptions.size();
    descriptions.Find(std::string(version.prefix) + ".Any");
  }
  EXPECT_LT(packed, kMaxPacked);
  EXPECT_LT(descriptions.unpacked_bytes(), kMaxUnpacked);
  RecordProperty("packed", static_cast<int>(packed));
}

// What a version has no words for; lists and what all kinds have are told by rule.
struct Untold {
  std::string names;
  bool all = true;
};

Untold FindUntold(const object::GroupVersionDesc& version, Descriptions& descriptions) {
  Untold untold;
  for (const object::MessageDesc* const message : version.messages) {
    const std::string name = SchemaName(*message);
    const Descriptions::Type* const told = descriptions.Find(name);
    if (told == nullptr || told->text().empty()) {
      untold.names.append(name).append("\n");
    } else if (!message->name.ends_with("List")) {
      untold.all = false;
    }
    if (message->form != object::MessageForm::kPlain) continue;
    for (const object::FieldDesc& field : message->fields) {
      if (told != nullptr && !told->FieldText(field.name()).empty()) continue;
      untold.names.append(name).append(".").append(field.name()).append("\n");
    }
  }
  return untold;
}

// Versions whose .doc file is still to come are left out.
TEST(DescriptionsTest, EveryTypeAndFieldIsTold) {
  Descriptions descriptions;
  std::set<std::string_view> told;
  for (const object::PublishedVersion& version : object::PublishedVersions()) {
    if (version.descriptions.empty()) continue;
    const Untold untold = FindUntold(*version.desc, descriptions);
    if (untold.all && !untold.names.empty()) continue;
    EXPECT_EQ(untold.names, "") << version.desc->path;
    told.insert(version.desc->path);
  }
  EXPECT_TRUE(told.contains("core/v1"));
  EXPECT_TRUE(told.contains("meta/v1"));
  EXPECT_TRUE(told.contains("common/version"));
}

}  // namespace
}  // namespace skiff::apiserver
