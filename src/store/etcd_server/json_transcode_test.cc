#include "store/etcd_server/json_transcode.h"

#include <etcd_rpc.pb.h>
#include <gtest/gtest.h>

namespace skiff::store {
namespace {

const ProtoMessage& MessageOf(std::string_view name) {
  const ProtoMessage* message = ProtoSchema::OfEtcd().FindMessage(name);
  EXPECT_NE(message, nullptr) << name;
  return *message;
}

std::string ToJson(std::string_view bytes, std::string_view name) {
  ByteBuffer out;
  const Result<void> made = ProtoToJson(bytes, MessageOf(name), out);
  return made ? std::string(out.view()) : "error: " + made.error().message();
}

Result<std::string> ToProto(std::string_view json, std::string_view name) {
  return JsonToProto(json, MessageOf(name), json.size());
}

TEST(ProtoSchemaTest, KnowsTheMessagesAndMethodsOfTheFiles) {
  const ProtoSchema& schema = ProtoSchema::OfEtcd();
  const ProtoMessage& range = MessageOf("RangeRequest");
  ASSERT_EQ(range.fields.size(), 13U);
  EXPECT_EQ(range.fields[1].camel_name, "rangeEnd");
  EXPECT_EQ(range.fields[4].enumeration->values[2].first, "DESCEND");
  EXPECT_EQ(MessageOf("mvccpb.Event").fields[1].message, &MessageOf("mvccpb.KeyValue"));
  EXPECT_EQ(MessageOf("RequestOp").fields[3].message, &MessageOf("TxnRequest"));
  const ProtoMethod* watch = schema.FindMethod("/etcdserverpb.Watch/Watch");
  ASSERT_NE(watch, nullptr);
  EXPECT_TRUE(watch->has_streams);
  EXPECT_EQ(watch->response, &MessageOf("WatchResponse"));
  EXPECT_FALSE(schema.FindMethod("/etcdserverpb.KV/Put")->has_streams);
  EXPECT_EQ(schema.FindMethod("/etcdserverpb.KV/Steal"), nullptr);
}

TEST(ProtoSchemaTest, AFileThatIsNotWholeIsRefused) {
  EXPECT_FALSE(ProtoSchema::Parse("message A { int64 b = 1;"));
  EXPECT_FALSE(ProtoSchema::Parse("message A { Missing b = 1; }"));
  EXPECT_TRUE(ProtoSchema::Parse("message A { repeated A b = 1; } // the end"));
}

TEST(JsonTranscodeTest, RequestsAreReadInEitherSpelling) {
  const auto bytes = ToProto(
      R"({"key": "YQ==", "rangeEnd": "Yg==", "limit": "5", "revision": 7, "sort_order": "DESCEND",
          "sort_target": 3, "keys_only": true, "count_only": null, "what": {"is": ["this"]}})",
      "RangeRequest");
  ASSERT_TRUE(bytes) << bytes.error().message();
  etcdserverpb::RangeRequest request;
  ASSERT_TRUE(request.ParseFromString(*bytes));
  EXPECT_EQ(request.key(), "a");
  EXPECT_EQ(request.range_end(), "b");
  EXPECT_EQ(request.limit(), 5);
  EXPECT_EQ(request.revision(), 7);
  EXPECT_EQ(request.sort_order(), etcdserverpb::RangeRequest::DESCEND);
  EXPECT_EQ(request.sort_target(), etcdserverpb::RangeRequest::MOD);
  EXPECT_TRUE(request.keys_only());
  EXPECT_FALSE(request.count_only());
  EXPECT_EQ(ToProto("", "RangeRequest"), "");
}

TEST(JsonTranscodeTest, TransactionsWithinTransactionsGoBothWays) {
  const std::string json =
      R"({"compare":[{"result":"GREATER","target":"MOD","key":"YQ==","mod_revision":"-3"}],)"
      R"("success":[{"request_txn":{"failure":[{"request_put":{"key":"/w==","lease":"9"}}]}},)"
      R"({"request_delete_range":{"key":"YQ=="}}]})";
  const auto bytes = ToProto(json, "TxnRequest");
  ASSERT_TRUE(bytes) << bytes.error().message();
  etcdserverpb::TxnRequest request;
  ASSERT_TRUE(request.ParseFromString(*bytes));
  EXPECT_EQ(request.compare(0).mod_revision(), -3);
  EXPECT_EQ(request.success(0).request_txn().failure(0).request_put().key(), "\xff");
  EXPECT_EQ(ToJson(request.SerializeAsString(), "TxnRequest"), json);
}

TEST(JsonTranscodeTest, AnswersHaveNumbersAsStringsAndNothingThatIsEmpty) {
  etcdserverpb::StatusResponse status;
  status.mutable_header()->set_member_id(UINT64_MAX);
  status.add_errors("a \"quoted\"\nline");
  status.add_errors("");
  status.set_islearner(true);
  status.mutable_downgradeinfo();
  EXPECT_EQ(ToJson(status.SerializeAsString(), "StatusResponse"),
            R"({"header":{"member_id":"18446744073709551615"},"errors":["a \"quoted\"\nline",""],)"
            R"("isLearner":true,"downgradeInfo":{}})");
  EXPECT_EQ(ToJson("", "StatusResponse"), "{}");
  EXPECT_EQ(ToJson("\x0a\x05x", "StatusResponse").substr(0, 5), "error");
}

TEST(JsonTranscodeTest, WhatDoesNotFitAFieldIsRefused) {
  for (const std::string_view json :
       {R"({"key": "***"})", R"({"key": 1})", R"({"limit": "x"})", R"({"limit": 1.5})",
        R"({"limit": "9223372036854775808"})", R"({"sort_order": "SIDEWAYS"})",
        R"({"keys_only": "true"})", R"([])", R"({"key": "YQ==")"}) {
    EXPECT_FALSE(ToProto(json, "RangeRequest")) << json;
  }
  EXPECT_FALSE(ToProto(R"({"compare": {}})", "TxnRequest"));
  EXPECT_FALSE(ToProto(R"({"compare": [1]})", "TxnRequest"));
}

}  // namespace
}  // namespace skiff::store
