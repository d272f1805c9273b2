#include "object/descriptor_builder.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "object/testing.h"

namespace skiff::object {
namespace {

TEST(DescriptorPoolTest, FindsEveryFieldByName) {
  for (size_t count : {1, 2, 7, 50, 400, 3000}) {
    DescriptorPool pool;
    std::vector<std::string> names;
    std::vector<FieldSpec> fields;
    for (size_t i = 0; i < count; ++i) names.push_back("field" + std::to_string(i));
    for (const std::string& name : names) fields.push_back({.name = name});
    const MessageDesc* message = pool.Add("Many", fields).value();
    for (size_t i = 0; i < count; ++i) EXPECT_EQ(message->FindField(names[i]), i);
    EXPECT_EQ(message->FindField("field"), MessageDesc::kNoField);
  }
}

TEST(DescriptorPoolTest, FindsNamesThatTheHashCannotTellApart) {
  // Alike at both ends and in the middle, where alone the hash looks.
  const std::string a = "aaaaaaaaaaaaaXaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";
  std::string b = a;
  b[13] = 'Y';
  DescriptorPool pool;
  const FieldSpec fields[] = {{.name = a}, {.name = b}};
  const MessageDesc* message = pool.Add("Alike", fields).value();
  EXPECT_EQ(message->FindField(a), 0);
  EXPECT_EQ(message->FindField(b), 1);
}

TEST(DescriptorPoolTest, WritesKeysAsEncodersCopyThem) {
  const FieldDesc& field = testing::WorkloadType()->fields[2];
  EXPECT_EQ(field.name(), "metadata");
  EXPECT_EQ(field.key_text(), ",\"metadata\":");
}

TEST(DescriptorPoolTest, KnowsKindsAndTheirEmptyJson) {
  const MessageDesc* workload = testing::WorkloadType();
  EXPECT_TRUE(workload->is_kind);
  EXPECT_EQ(workload->group_version->api_version, "test/v1");
  EXPECT_EQ(workload->zero_json, R"({"metadata":{"created":null},"spec":{"port":0}})");
  const MessageDesc* container = workload->fields[3].message->fields[3].message;
  EXPECT_FALSE(container->is_kind);
  EXPECT_EQ(container->zero_json, R"({"name":""})");
}

TEST(DescriptorPoolTest, RefusesNamesThatAKeyCannotHold) {
  DescriptorPool pool;
  for (const std::string& name :
       {std::string("a\"b"), std::string("a\\b"), std::string("a\nb"), std::string("\xc3\xa4"),
        std::string("a<b"), std::string(256, 'a')}) {
    const FieldSpec fields[] = {{.name = name}};
    EXPECT_FALSE(pool.Add("Bad", fields).has_value()) << name;
  }
  const FieldSpec twice[] = {{.name = "a"}, {.name = "b"}, {.name = "a"}};
  EXPECT_FALSE(pool.Add("Bad", twice).has_value());
}

TEST(DescriptorPoolTest, RefusesAMessageThatContainsItself) {
  DescriptorPool pool;
  MessageDesc* self = pool.Declare("Self");
  const FieldSpec direct[] = {{.name = "self", .type = FieldType::kMessage, .message = self}};
  EXPECT_FALSE(pool.Define(self, direct).has_value());
  const FieldSpec pointed[] = {
      {.name = "self", .type = FieldType::kMessage, .flags = FieldDesc::kPointer, .message = self}};
  EXPECT_TRUE(pool.Define(self, pointed).has_value());
}

}  // namespace
}  // namespace skiff::object
