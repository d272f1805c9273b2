#include "store/cache/event_encoding.h"

#include <string>

#include <gtest/gtest.h>

#include "object/json/decode.h"
#include "object/json/status.h"
#include "object/protobuf/envelope.h"
#include "store/cache/freshness.h"

namespace skiff::store {
namespace {

constexpr WatchedKind kConfigMap{.api_version = "v1", .kind = "ConfigMap"};
constexpr std::string_view kJson =
    R"({"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a","namespace":"ns"},)"
    R"("data":{"k":"v"}})";

std::string AsProtobuf(std::string_view json, std::string_view kind) {
  const object::Document object = object::DecodeJson(json, object::FindKind("v1", kind)).value();
  std::string out;
  object::EncodeStorage(object.root(), &out);
  return out;
}

WatchItem ItemOf(EventType type, std::string_view stored, std::string_view previous = {}) {
  const auto entry = [](std::string_view bytes, int64_t revision) {
    return bytes.empty()
               ? EntryRef()
               : CacheEntry::Make("ns/a", {revision}, SharedBytes(bytes), object::LabelSet());
  };
  return {type, CachedEvent::Change({42}, entry(stored, 42), entry(previous, 7), {})};
}

std::string JsonOf(const WatchItem& item, WatchedKind kind = kConfigMap) {
  const auto frame = WatchFrame(item, WatchEncoding::kJson, kind);
  return frame ? std::string(frame->view()) : frame.error().ToString();
}

// The frame taken apart, and its object back as JSON.
std::string ProtobufAsJson(const Result<SharedBytes>& frame) {
  if (!frame) return frame.error().ToString();
  std::string_view bytes = frame->view();
  uint32_t size = 0;
  for (const char byte : bytes.substr(0, 4)) size = size << 8 | static_cast<uint8_t>(byte);
  bytes.remove_prefix(4);
  if (bytes.size() != size) return "wrong length";
  const auto field = [](std::string_view& from, char key) {
    EXPECT_EQ(from.substr(0, 1), std::string_view(&key, 1));
    size_t at = 1, length = 0;
    for (int shift = 0;; shift += 7) {
      const auto byte = static_cast<uint8_t>(from[at++]);
      length |= size_t{byte & 0x7fu} << shift;
      if (byte < 0x80) break;
    }
    const std::string_view out = from.substr(at, length);
    from.remove_prefix(at + length);
    return out;
  };
  const std::string_view type = field(bytes, 0x0a);
  std::string_view extension = field(bytes, 0x12);
  EXPECT_TRUE(bytes.empty());
  const std::string_view raw = field(extension, 0x0a);
  EXPECT_TRUE(extension.empty());
  const auto object = object::DecodeStorage(raw);
  if (!object) return object.error().ToString();
  const WatchItem item = ItemOf(EventType::kAdded, raw);
  std::string json = JsonOf(item);
  return std::string(type) + " " + json;
}

TEST(EventEncodingTest, JsonFramesAreLinesWithTypeAndObject) {
  const std::string expected =
      R"({"type":"ADDED","object":{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a",)"
      R"("namespace":"ns","resourceVersion":"42"},"data":{"k":"v"}}})"
      "\n";
  EXPECT_EQ(JsonOf(ItemOf(EventType::kAdded, AsProtobuf(kJson, "ConfigMap"))), expected);
  EXPECT_EQ(JsonOf(ItemOf(EventType::kAdded, kJson)), expected);
}

TEST(EventEncodingTest, ADeletionShowsTheOldObjectAtTheNewRevision) {
  EXPECT_EQ(JsonOf(ItemOf(EventType::kDeleted, {}, AsProtobuf(kJson, "ConfigMap"))),
            R"({"type":"DELETED","object":{"kind":"ConfigMap","apiVersion":"v1","metadata":{)"
            R"("name":"a","namespace":"ns","resourceVersion":"42"},"data":{"k":"v"}}})"
            "\n");
}

TEST(EventEncodingTest, CustomResourcesKeepTheirFields) {
  EXPECT_EQ(
      JsonOf(ItemOf(EventType::kModified,
                    R"({"apiVersion":"x.io/v1","kind":"X","metadata":{"name":"a"},"z":[1]})")),
      R"({"type":"MODIFIED","object":{"apiVersion":"x.io/v1","kind":"X","metadata":{)"
      R"("resourceVersion":"42","name":"a"},"z":[1]}})"
      "\n");
  const auto frame = WatchFrame(
      ItemOf(EventType::kAdded, R"({"apiVersion":"x.io/v1","kind":"X","metadata":{"name":"a"}})"),
      WatchEncoding::kProtobuf, kConfigMap);
  ASSERT_FALSE(frame);
  EXPECT_EQ(frame.error().reason(), StatusReason::kNotAcceptable);
}

TEST(EventEncodingTest, ProtobufFramesHoldTheObjectInItsEnvelope) {
  for (const std::string& stored : {AsProtobuf(kJson, "ConfigMap"), std::string(kJson)}) {
    EXPECT_EQ(ProtobufAsJson(WatchFrame(ItemOf(EventType::kModified, stored),
                                        WatchEncoding::kProtobuf, kConfigMap)),
              "MODIFIED " + JsonOf(ItemOf(EventType::kAdded, stored)));
  }
}

TEST(EventEncodingTest, AnObjectThatIsEncodedElsewhereIsFramedAlike) {
  EXPECT_EQ(FrameOf(EventType::kModified, WatchEncoding::kJson, "{}").view(),
            "{\"type\":\"MODIFIED\",\"object\":{}}\n");
  const std::string stored = AsProtobuf(kJson, "ConfigMap");
  EXPECT_EQ(ProtobufAsJson(FrameOf(EventType::kAdded, WatchEncoding::kProtobuf, stored)),
            "ADDED " + JsonOf(ItemOf(EventType::kAdded, stored)));
}

TEST(EventEncodingTest, BookmarksAreEmptyObjectsOfTheKind) {
  const WatchItem bookmark{EventType::kBookmark, CachedEvent::Bookmark({42}, false)};
  EXPECT_EQ(JsonOf(bookmark),
            R"({"type":"BOOKMARK","object":{"kind":"ConfigMap","apiVersion":"v1",)"
            R"("metadata":{"resourceVersion":"42"}}})"
            "\n");
  EXPECT_EQ(JsonOf(bookmark, {"x.io/v1", "X"}), JsonOf(bookmark))
      << "made once: all watches of a cache are of one kind";
  const WatchItem last{EventType::kBookmark, CachedEvent::Bookmark({42}, true)};
  EXPECT_EQ(JsonOf(last), R"({"type":"BOOKMARK","object":{"kind":"ConfigMap","apiVersion":"v1",)"
                          R"("metadata":{"resourceVersion":"42","annotations":{)"
                          R"("k8s.io/initial-events-end":"true"}}}})"
                          "\n");
  EXPECT_TRUE(ProtobufAsJson(WatchFrame(last, WatchEncoding::kProtobuf, kConfigMap))
                  .starts_with("BOOKMARK "));
}

TEST(EventEncodingTest, ErrorsAreStatusesWithAllTheyKnow) {
  const auto json = WatchErrorFrame(TooOldToWatch({3}, {9}), WatchEncoding::kJson);
  ASSERT_TRUE(json) << json.error().ToString();
  EXPECT_EQ(
      json->view(),
      R"({"type":"ERROR","object":{"kind":"Status","apiVersion":"v1","metadata":{},)"
      R"~("status":"Failure","message":"too old resource version: 3 (9)","reason":"Expired",)~"
      R"("code":410}})"
      "\n");
  const auto protobuf = WatchErrorFrame(TooOldToWatch({3}, {9}), WatchEncoding::kProtobuf);
  EXPECT_TRUE(ProtobufAsJson(protobuf).starts_with("ERROR ")) << ProtobufAsJson(protobuf);
  EXPECT_EQ(object::StatusToJson(TooLargeResourceVersion({9}, {5})),
            R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":)"
            R"("Timeout: Too large resource version: 9, current: 5","reason":"Timeout","details":{)"
            R"("causes":[{"reason":"ResourceVersionTooLarge","message":"Too large resource )"
            R"(version"}],"retryAfterSeconds":1},"code":504})");
  EXPECT_TRUE(object::StatusToJson(TooOldToContinue("a"))
                  .starts_with(R"({"kind":"Status","apiVersion":"v1","metadata":{"continue":"ey)"));
}

TEST(EventEncodingTest, AFrameIsMadeOnceAndShared) {
  const WatchItem item = ItemOf(EventType::kAdded, kJson);
  const auto first = WatchFrame(item, WatchEncoding::kJson, kConfigMap);
  const auto second = WatchFrame(item, WatchEncoding::kJson, kConfigMap);
  ASSERT_TRUE(first && second);
  EXPECT_TRUE(first->SharesWith(*second));
}

TEST(EventEncodingTest, WhatCannotBeReadIsAnErrorThatSaysWhat) {
  for (const std::string_view stored : {std::string_view("{"), std::string_view("k8s\0\xff", 5),
                                        std::string_view(R"({"kind":"ConfigMap"})")}) {
    const auto frame =
        WatchFrame(ItemOf(EventType::kAdded, stored), WatchEncoding::kJson, kConfigMap);
    ASSERT_FALSE(frame);
    EXPECT_EQ(frame.error().reason(), StatusReason::kInternalError);
    EXPECT_TRUE(frame.error().message().starts_with("cannot send ns/a: "))
        << frame.error().message();
  }
}

}  // namespace
}  // namespace skiff::store
