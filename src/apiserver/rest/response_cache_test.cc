#include "apiserver/rest/response_cache.h"

#include <gtest/gtest.h>

#include "object/json/decode.h"
#include "object/protobuf/envelope.h"
#include "object/resource.h"

namespace skiff::apiserver {
namespace {

SharedBytes Stored(std::string_view json) {
  const object::ResourceDesc* resource = object::FindResource("", "v1", "configmaps");
  Result<object::Document> object = object::DecodeJson(json, resource->kind);
  EXPECT_TRUE(object);
  std::string bytes;
  object::EncodeStorage(object->root(), &bytes);
  return SharedBytes(bytes);
}

TEST(ResponseCacheTest, TheSameBytesAreEncodedOnce) {
  const ObjectView view(*object::FindResource("", "v1", "configmaps"));
  ResponseCache cache;
  const SharedBytes stored = Stored(R"({"metadata":{"name":"a"},"data":{"k":"v"}})");
  const auto first = cache.Encode(view, stored, store::Revision{5}, {});
  ASSERT_TRUE(first);
  EXPECT_NE(first->view().find("\"resourceVersion\":\"5\""), std::string_view::npos);
  const auto again = cache.Encode(view, stored, store::Revision{5}, {});
  ASSERT_TRUE(again);
  EXPECT_TRUE(again->SharesWith(*first));
}

TEST(ResponseCacheTest, WhatDiffersInAnyWayIsEncodedAnew) {
  const ObjectView view(*object::FindResource("", "v1", "configmaps"));
  ResponseCache cache;
  const SharedBytes stored = Stored(R"({"metadata":{"name":"a"}})");
  const auto plain = cache.Encode(view, stored, store::Revision{5}, {});
  const auto later = cache.Encode(view, stored, store::Revision{6}, {});
  const auto pretty = cache.Encode(view, stored, store::Revision{6}, {.pretty = true});
  const auto copied = cache.Encode(view, SharedBytes(stored.view()), store::Revision{6}, {});
  ASSERT_TRUE(plain && later && pretty && copied);
  EXPECT_NE(plain->view(), later->view());
  EXPECT_NE(later->view(), pretty->view());
  EXPECT_EQ(later->view(), copied->view());
}

}  // namespace
}  // namespace skiff::apiserver
