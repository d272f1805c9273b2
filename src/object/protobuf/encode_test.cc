#include "object/protobuf/encode.h"

#include <gtest/gtest.h>

#include "object/json/decode.h"
#include "object/protobuf/decode.h"
#include "object/protobuf/test_message.h"

namespace skiff::object {
namespace {

struct Case {
  const char* name;
  const char* path;
  const char* type;
  const char* json;
  std::string bytes;
};

TEST(ProtobufEncodeTest, WritesWhatKubernetesWrites) {
  const std::string port_zero = V(1, 0) + V(2, 0) + B(3, "");
  const Case cases[] = {
      {"zeros are written", "core/v1", "ContainerPort", "{}",
       B(1, "") + V(2, 0) + V(3, 0) + B(4, "") + B(5, "")},
      {"absent pointers are not", "coordination.k8s.io/v1", "LeaseSpec", "{}", ""},
      {"present pointers are", "coordination.k8s.io/v1", "LeaseSpec",
       R"({"holderIdentity":"","leaseDurationSeconds":0})", B(1, "") + V(2, 0)},
      {"negative int32 takes ten bytes", "coordination.k8s.io/v1", "LeaseSpec",
       R"({"leaseDurationSeconds":-1})", V(2, -1)},
      {"int or string", "core/v1", "ServicePort", R"({"targetPort":"web"})",
       B(1, "") + B(2, "") + V(3, 0) + B(4, V(1, 1) + V(2, 0) + B(3, "web")) + V(5, 0)},
      {"zero int or string", "core/v1", "ServicePort", "{}",
       B(1, "") + B(2, "") + V(3, 0) + B(4, port_zero) + V(5, 0)},
      {"inlined messages are nested", "core/v1", "ConfigMapVolumeSource",
       R"({"name":"n","optional":false})", B(1, B(1, "n")) + V(4, 0)},
      {"inlined messages are there when empty", "core/v1", "Volume", "{}", B(1, "") + B(2, "")},
      {"lists are not packed", "core/v1", "PodSecurityContext", R"({"supplementalGroups":[1,2]})",
       V(4, 1) + V(4, 2)},
      {"empty lists and maps are absent", "core/v1", "ResourceRequirements",
       R"({"limits":{},"claims":[]})", ""},
      {"maps are sorted", "core/v1", "ResourceRequirements",
       R"({"limits":{"memory":"1024Mi","cpu":"0.5"}})",
       B(1, B(1, "cpu") + B(2, B(1, "500m"))) + B(1, B(1, "memory") + B(2, B(1, "1Gi")))},
      {"zero quantity", "resource.k8s.io/v1", "Counter", "{}", B(1, B(1, "0"))},
      {"bytes", "admissionregistration.k8s.io/v1", "WebhookClientConfig", R"({"caBundle":""})",
       B(2, "")},
      {"wrapped list", "authentication.k8s.io/v1", "UserInfo", R"({"extra":{"a":["x"],"b":[]}})",
       B(1, "") + B(2, "") + B(4, B(1, "a") + B(2, B(1, "x"))) + B(4, B(1, "b") + B(2, ""))},
      {"microseconds", "coordination.k8s.io/v1", "LeaseSpec",
       R"({"acquireTime":"2023-11-14T22:13:20.123456Z"})",
       B(3, V(1, 1'700'000'000) + V(2, 123'456'000))},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    const MessageDesc* type = FindMessage(c.path, c.type);
    ASSERT_NE(type, nullptr);
    auto document = DecodeJson(c.json, type);
    ASSERT_TRUE(document.has_value()) << document.error().ToString();
    std::string out;
    EncodeProtobuf(document->root(), &out);
    EXPECT_EQ(out, c.bytes);
  }
}

TEST(ProtobufEncodeTest, WritesSchemaUnions) {
  const MessageDesc* type = FindMessage("apiextensions.k8s.io/v1", "JSONSchemaProps");
  for (const std::string& field :
       {B(24, B(1, B(5, "s"))), B(24, B(2, "") + B(2, B(5, "s"))), B(24, ""), B(30, V(1, 0)),
        B(30, V(1, 1)), B(30, V(1, 1) + B(2, B(5, "s"))), B(32, B(1, "k") + B(2, "")),
        B(32, B(1, "k") + B(2, B(2, "p") + B(2, ""))), B(8, ""), B(8, B(1, "null")),
        B(20, "") + B(20, B(1, "{}"))}) {
    // In normal form first, since absent fields are written as well.
    auto document = DecodeProtobuf(field, type);
    ASSERT_TRUE(document.has_value()) << document.error().ToString();
    std::string once, twice;
    EncodeProtobuf(document->root(), &once);
    auto again = DecodeProtobuf(once, type);
    ASSERT_TRUE(again.has_value()) << again.error().ToString();
    EXPECT_EQ(ShowTree(again->root()), ShowTree(document->root()));
    EncodeProtobuf(again->root(), &twice);
    EXPECT_EQ(twice, once);
    EXPECT_GE(once.size(), field.size());
  }
}

TEST(ProtobufEncodeTest, NilBytesOfAMapHaveNoValue) {
  auto document = DecodeJson(R"({"data":{"a":null,"b":""}})", FindKind("v1", "Secret"));
  ASSERT_TRUE(document.has_value());
  std::string out;
  EncodeProtobuf(document->root(), &out);
  EXPECT_NE(out.find(B(2, B(1, "a")) + B(2, B(1, "b") + B(2, ""))), std::string::npos);
}

TEST(ProtobufEncodeTest, TablesHoldTheEncodingOfEveryEmptyMessage) {
  size_t messages = 0;
  for (const GroupVersionDesc* group_version : AllGroupVersions()) {
    for (const MessageDesc* type : group_version->messages) {
      if (!type->in_protobuf || type->form != MessageForm::kPlain) continue;
      Arena arena;
      std::string out;
      EncodeProtobuf(Value::EmptyObject(arena, type), &out);
      EXPECT_EQ(out, type->zero_protobuf) << group_version->path << " " << type->name;
      auto document = DecodeProtobuf(out, type);
      ASSERT_TRUE(document.has_value()) << document.error().ToString();
      EXPECT_EQ(document->root().size(), 0u) << type->name;
      ++messages;
    }
  }
  EXPECT_GT(messages, 500u);
}

}  // namespace
}  // namespace skiff::object
