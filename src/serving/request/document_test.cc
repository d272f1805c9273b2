#include "serving/request/document.h"

#include <gtest/gtest.h>

#include "serving/request/json_writer.h"

namespace skiff::serving {
namespace {

TEST(DocumentTest, TheHashIsSha512InUpperCase) {
  EXPECT_EQ(ContentHash("abc"),
            "DDAF35A193617ABACC417349AE20413112E6FA4E89A97EA20A9EEEE64B55D39A"
            "2192992A274FC1A836BA3C23A3FEEBBD454D4423643CE80E2A9AC94FA54CA49F");
}

TEST(DocumentTest, TagsMatchInListsAndWeakly) {
  EXPECT_TRUE(TagMatches("\"A\"", "\"A\""));
  EXPECT_TRUE(TagMatches("\"B\", W/\"A\"", "\"A\""));
  EXPECT_TRUE(TagMatches("*", "\"A\""));
  EXPECT_FALSE(TagMatches("A", "\"A\""));
  EXPECT_FALSE(TagMatches("", "\"A\""));
}

TEST(JsonWriterTest, KeepsTrackOfCommas) {
  ByteBuffer out;
  JsonWriter json(out);
  json.OpenObject();
  json.String("a", "x\"y");
  json.OpenArray("b");
  json.Int(1);
  json.OpenObject();
  json.CloseObject();
  json.Bool(true);
  json.CloseArray();
  json.Raw("c", "{}");
  json.Raw("\"d\":1,\"e\":2");
  json.Int("f", 3);
  json.CloseObject();
  EXPECT_EQ(out.view(), R"({"a":"x\"y","b":[1,{},true],"c":{},"d":1,"e":2,"f":3})");
}

}  // namespace
}  // namespace skiff::serving
