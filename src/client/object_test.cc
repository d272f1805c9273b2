#include "client/object.h"

#include <gtest/gtest.h>

namespace skiff::client {
namespace {

ApiResource Widgets() {
  return {.group = "example.com", .version = "v1", .name = "widgets", .kind = "Widget"};
}

TEST(ObjectTest, TheSchemaKnowsItsResources) {
  const ApiResource& deployments = BuiltIn("apps", "v1", "deployments");
  EXPECT_EQ(deployments.kind, "Deployment");
  EXPECT_EQ(deployments.api_version(), "apps/v1");
  EXPECT_TRUE(deployments.namespaced);
  EXPECT_EQ(deployments.type, object::FindKind("apps/v1", "Deployment"));
  EXPECT_EQ(BuiltIn("", "v1", "nodes").api_version(), "v1");
  EXPECT_FALSE(BuiltIn("", "v1", "nodes").namespaced);
  EXPECT_EQ(&BuiltIn("", "v1", "nodes"), FindBuiltIn("", "v1", "nodes"));
  EXPECT_EQ(FindBuiltIn("example.com", "v1", "widgets"), nullptr);
  EXPECT_EQ(FindBuiltIn("", "v1", ""), nullptr);
}

TEST(ObjectTest, MetadataIsReadWithAndWithoutAType) {
  constexpr std::string_view kJson =
      R"({"metadata":{"name":"a","namespace":"n","uid":"u","resourceVersion":"7",
          "deletionTimestamp":"2026-01-01T00:00:00Z"}})";
  const ApiResource widgets = Widgets();
  for (const ApiResource* resource : {&BuiltIn("", "v1", "pods"), &widgets}) {
    const ObjectPtr object = ParseObject(*resource, kJson).value();
    EXPECT_EQ(NameOf(*object), (ObjectName{"n", "a"}));
    EXPECT_EQ(UidOf(*object), "u");
    EXPECT_EQ(ResourceVersionOf(*object), "7");
    EXPECT_TRUE(IsDeleting(*object));
    EXPECT_EQ(object->kind(), resource->kind);
    EXPECT_EQ(object->api_version(), resource->api_version());
  }
}

TEST(ObjectTest, WhatIsAbsentReadsAsEmpty) {
  const ApiResource widgets = Widgets();
  for (const char* json : {"{}", R"({"metadata":null})", R"({"metadata":{"uid":7}})",
                           R"({"metadata":{"deletionTimestamp":null}})"}) {
    const ObjectPtr object = ParseObject(widgets, json).value();
    EXPECT_EQ(NameOf(*object), ObjectName{});
    EXPECT_EQ(UidOf(*object), "");
    EXPECT_FALSE(IsDeleting(*object));
  }
}

TEST(ObjectTest, AnotherKindIsRefusedAndSoIsWhatIsNoObject) {
  const ApiResource& pods = BuiltIn("", "v1", "pods");
  EXPECT_TRUE(ParseObject(pods, R"({"kind":"Pod","apiVersion":"v1"})").has_value());
  EXPECT_EQ(ParseObject(pods, R"({"kind":"Node"})").error().field(), "kind");
  EXPECT_EQ(ParseObject(pods, R"({"apiVersion":"v2"})").error().field(), "apiVersion");
  EXPECT_FALSE(ParseObject(Widgets(), "[]").has_value());
  EXPECT_FALSE(ParseObject(pods, "{").has_value());
}

TEST(ObjectTest, ACopyIsChangedWithoutTheOriginal) {
  const ObjectPtr object =
      ParseObject(BuiltIn("", "v1", "configmaps"), R"({"metadata":{"name":"a"}})").value();
  const std::shared_ptr<object::Document> copy = MutableCopy(*object);
  copy->root().Find("metadata")->Set(copy->arena(), "name", object::Value::String("b"));
  EXPECT_EQ(NameOf(*object).name, "a");
  EXPECT_EQ(NameOf(*copy).name, "b");
}

}  // namespace
}  // namespace skiff::client
