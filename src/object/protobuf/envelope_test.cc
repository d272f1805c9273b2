#include "object/protobuf/envelope.h"

#include <gtest/gtest.h>

#include "object/protobuf/test_message.h"

namespace skiff::object {
namespace {

std::string Stored(const std::string& unknown) { return std::string(kProtobufPrefix) + unknown; }

TEST(ProtobufEnvelopeTest, WritesAllFourFields) {
  std::string out;
  AppendProtobufEnvelope({.api_version = "v1", .kind = "Pod", .raw = "raw"}, &out);
  EXPECT_EQ(out, Stored(B(1, B(1, "v1") + B(2, "Pod")) + B(2, "raw") + B(3, "") + B(4, "")));
  EXPECT_TRUE(HasProtobufPrefix(out));
  EXPECT_FALSE(HasProtobufPrefix("{}"));
  EXPECT_FALSE(HasProtobufPrefix("k8s"));
}

TEST(ProtobufEnvelopeTest, OpensWithoutCopying) {
  const std::string bytes = Stored(B(4, "type") + V(9, 1) + B(3, "enc") + B(2, "raw") +
                                   B(1, B(2, "Pod") + B(1, "v1") + V(7, 1)));
  auto envelope = OpenProtobufEnvelope(bytes);
  ASSERT_TRUE(envelope.has_value()) << envelope.error().ToString();
  EXPECT_EQ(envelope->api_version, "v1");
  EXPECT_EQ(envelope->kind, "Pod");
  EXPECT_EQ(envelope->raw, "raw");
  EXPECT_EQ(envelope->content_encoding, "enc");
  EXPECT_EQ(envelope->content_type, "type");
  EXPECT_GE(envelope->raw.data(), bytes.data());
  EXPECT_LT(envelope->raw.data(), bytes.data() + bytes.size());
}

TEST(ProtobufEnvelopeTest, StoresAndRestoresAnObject) {
  const std::string bytes = Stored(B(1, B(1, "v1") + B(2, "ConfigMap")) +
                                   B(2, B(2, B(1, "a") + B(2, "b"))) + B(3, "") + B(4, ""));
  auto document = DecodeStorage(bytes);
  ASSERT_TRUE(document.has_value()) << document.error().ToString();
  EXPECT_EQ(ShowTree(document->root()),
            "{kind:\"ConfigMap\" apiVersion:\"v1\" data:{\"a\":\"b\"}}");
  std::string once, twice;
  EncodeStorage(document->root(), &once);
  auto again = DecodeStorage(once);
  ASSERT_TRUE(again.has_value());
  EncodeStorage(again->root(), &twice);
  EXPECT_EQ(twice, once);
}

TEST(ProtobufEnvelopeTest, KindOfTheTypeStandsInForAMissingOne) {
  const Document document = Document::OfType(FindKind("apps/v1", "Deployment"));
  std::string out;
  EncodeStorage(document.root(), &out);
  auto envelope = OpenProtobufEnvelope(out);
  ASSERT_TRUE(envelope.has_value());
  EXPECT_EQ(envelope->api_version, "apps/v1");
  EXPECT_EQ(envelope->kind, "Deployment");
}

TEST(ProtobufEnvelopeTest, DefaultsStandInForAnEnvelopeWithoutKind) {
  auto document = DecodeStorage(Stored(B(2, "")), {.kind = "Pod", .api_version = "v1"});
  ASSERT_TRUE(document.has_value()) << document.error().ToString();
  EXPECT_EQ(document->type()->name, "Pod");
}

TEST(ProtobufEnvelopeTest, RefusesWhatIsNotAnEnvelope) {
  const std::string meta = B(1, B(1, "v1") + B(2, "Pod"));
  const struct {
    std::string bytes;
    const char* error;
  } cases[] = {
      {"", "protobuf envelope: the bytes do not begin with k8s\\0"},
      {"{\"kind\":\"Pod\"}", "protobuf envelope: the bytes do not begin with k8s\\0"},
      {Stored(""), "protobuf envelope: the kind is missing"},
      {Stored(B(1, B(2, "Pod"))), "protobuf envelope: the apiVersion is missing"},
      {Stored(B(1, B(1, "v9") + B(2, "Pod"))),
       "protobuf envelope: no kind \"Pod\" is known in version \"v9\""},
      {Stored(meta + B(3, "gzip")), "protobuf envelope: the content encoding is not supported"},
      {Stored(meta.substr(0, 5)),
       "protobuf envelope: a length reaches beyond the end of the message"},
      {Stored(V(2, 1)), "protobuf envelope: a wire type does not exist"},
      {Stored(meta + B(2, B(1, V(1, 1)))), "metadata.name: field 1 has the wrong wire type 0"},
  };
  for (const auto& c : cases) {
    auto document = DecodeStorage(c.bytes);
    ASSERT_FALSE(document.has_value());
    EXPECT_EQ(document.error().ToString(), c.error);
  }
}

}  // namespace
}  // namespace skiff::object
