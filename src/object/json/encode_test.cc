#include "object/json/encode.h"

#include <algorithm>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace skiff::object {
namespace {

std::string Pretty(std::string_view json) {
  ByteBuffer out;
  AppendPrettyJson(out, json, 2);
  return out.ToString();
}

std::string PrettyInPieces(std::string_view json, size_t piece_bytes) {
  ByteBuffer out;
  PrettyJsonWriter writer(2);
  for (; !json.empty(); json.remove_prefix(std::min(piece_bytes, json.size()))) {
    writer.Append(out, json.substr(0, piece_bytes));
  }
  return out.ToString();
}

TEST(PrettyJsonTest, EachMemberAndItemHasALine) {
  EXPECT_EQ(Pretty(R"({"a":[1,{"b":null}],"c":"x"})"),
            "{\n  \"a\": [\n    1,\n    {\n      \"b\": null\n    }\n  ],\n  \"c\": \"x\"\n}");
  EXPECT_EQ(Pretty(R"({"a":{},"b":[],"c":[[],{}]})"),
            "{\n  \"a\": {},\n  \"b\": [],\n  \"c\": [\n    [],\n    {}\n  ]\n}");
  EXPECT_EQ(Pretty("{}"), "{}");
  EXPECT_EQ(Pretty("17"), "17");
}

TEST(PrettyJsonTest, WhatStandsInStringsStaysAsItIs) {
  EXPECT_EQ(Pretty(R"({"a{,:\"]":"[\\\\",":":"\\\"{"})"),
            "{\n  \"a{,:\\\"]\": \"[\\\\\\\\\",\n  \":\": \"\\\\\\\"{\"\n}");
}

TEST(PrettyJsonTest, PiecesGiveWhatTheWholeGives) {
  for (const std::string_view json :
       {R"({"kind":"List","items":[]})", R"({"items":[{"a":"\"\\\""},{"b":[{},[],"\\"]}]})",
        R"(["\\","{",[[[]]]])"}) {
    for (size_t bytes = 1; bytes <= json.size(); ++bytes) {
      EXPECT_EQ(PrettyInPieces(json, bytes), Pretty(json)) << "in pieces of " << bytes;
    }
  }
}

}  // namespace
}  // namespace skiff::object
