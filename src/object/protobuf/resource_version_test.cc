#include "object/protobuf/resource_version.h"

#include <gtest/gtest.h>

#include "object/protobuf/decode.h"
#include "object/protobuf/encode.h"
#include "object/protobuf/test_message.h"

namespace skiff::object {
namespace {

std::string WithVersion(std::string_view message, std::string_view version) {
  ByteBuffer out;
  out.Append("before");
  AppendWithResourceVersion(message, version, out);
  EXPECT_EQ(out.size(), 6 + SizeWithResourceVersion(message, version));
  return out.ToString().substr(6);
}

// A pod with this name and version, as Kubernetes writes it.
std::string PodBytes(std::string_view name, std::string_view version) {
  Document pod = Document::OfType(FindMessage("core/v1", "Pod"));
  Arena& arena = pod.arena();
  Value metadata = Value::EmptyObject(arena, FindMessage("meta/v1", "ObjectMeta"));
  metadata.Set(arena, "name", Value::String(name));
  metadata.Set(arena, "uid", Value::String("u"));
  if (!version.empty()) metadata.Set(arena, "resourceVersion", Value::String(version));
  metadata.Set(arena, "generation", Value::Int(7));
  pod.root().Set(arena, "metadata", metadata);
  std::string bytes;
  EncodeProtobuf(pod.root(), &bytes);
  return bytes;
}

TEST(ResourceVersionTest, StandsWhereTheEncoderWouldWriteIt) {
  // The longer name makes the length of metadata grow by a byte.
  for (const std::string& name : {std::string("web"), std::string(100, 'x')}) {
    EXPECT_EQ(WithVersion(PodBytes(name, ""), "12345678"), PodBytes(name, "12345678"));
    EXPECT_EQ(WithVersion(PodBytes(name, "1"), "12345678"), PodBytes(name, "12345678"));
    EXPECT_EQ(WithVersion(PodBytes(name, "1"), ""), PodBytes(name, ""));
  }
}

TEST(ResourceVersionTest, IsSetWhateverElseIsThere) {
  const std::string name = B(1, "n"), version = B(6, "1"), generation = V(7, 2);
  const MessageDesc* type = FindMessage("core/v1", "Pod");
  for (const std::string& bytes :
       {std::string(), B(1, ""), B(1, name), B(1, generation), B(1, version + version),
        B(1, B(5, "u") + name), B(2, ""), B(99, "") + B(1, name), B(1, generation) + B(2, "")}) {
    auto before = DecodeProtobuf(bytes, type);
    auto after = DecodeProtobuf(WithVersion(bytes, "42"), type);
    ASSERT_TRUE(before.has_value() && after.has_value());
    if (before->root().Find("metadata") == nullptr) {
      before->root().Set(before->arena(), "metadata",
                         Value::EmptyObject(before->arena(), FindMessage("meta/v1", "ObjectMeta")));
    }
    before->root().Find("metadata")->Set(before->arena(), "resourceVersion", Value::String("42"));
    EXPECT_EQ(ShowTree(after->root()), ShowTree(before->root()));
  }
}

TEST(ResourceVersionTest, BrokenBytesStayBroken) {
  const MessageDesc* type = FindMessage("core/v1", "Pod");
  for (const std::string& bytes : {std::string("\x0a"),
                                   std::string("\x0a\x05"
                                               "ab"),
                                   std::string("\x0a\x02\x0a\x7f"), std::string("\x0f")}) {
    EXPECT_FALSE(SplitAtResourceVersion(bytes).has_value());
    EXPECT_FALSE(DecodeProtobuf(WithVersion(bytes, "42"), type).has_value());
  }
}

}  // namespace
}  // namespace skiff::object
