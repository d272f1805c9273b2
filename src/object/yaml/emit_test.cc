#include "object/yaml/emit.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <gtest/gtest.h>

#include "object/json/decode.h"
#include "object/yaml/to_json.h"

namespace skiff::object {
namespace {

std::string YamlOf(const Value& value) {
  ByteBuffer out;
  AppendYaml(out, value);
  return out.ToString();
}

std::string YamlOf(std::string_view json) {
  Result<Document> document = DecodeJson(json, nullptr);
  return document ? YamlOf(document->root()) : "error: " + document.error().ToString();
}

struct Case {
  std::string_view json;
  std::string_view yaml;
};

void ExpectYaml(std::initializer_list<Case> cases) {
  for (const Case& c : cases) EXPECT_EQ(YamlOf(c.json), c.yaml) << "of: " << c.json;
}

TEST(YamlEmitTest, LaysOutCollections) {
  ExpectYaml({
      {R"({"a":{"b":[1,{"c":2,"d":[]}],"e":{}}})",
       "a:\n  b:\n  - 1\n  - c: 2\n    d: []\n  e: {}\n"},
      {R"([[1,[2]],{"a":null}])", "- - 1\n  - - 2\n- a: null\n"},
      {"{}", "{}\n"},
      {"[]", "[]\n"},
      {"null", "null\n"},
      {R"("text")", "text\n"},
      {R"({"a":[{"b":{"c":[true,false]}}]})", "a:\n- b:\n    c:\n    - true\n    - false\n"},
  });
}

TEST(YamlEmitTest, QuotesStringsThatWouldBeReadAsSomethingElse) {
  ExpectYaml({
      {R"([""])", "- \"\"\n"},
      {R"(["true","yes","y","N","off","null","~","Null"])",
       "- \"true\"\n- \"yes\"\n- \"y\"\n- \"N\"\n- \"off\"\n- \"null\"\n- \"~\"\n- \"Null\"\n"},
      {R"(["1","1.5","0x1f","1e3","1_000","0b1",".5",".inf","0777","-"])",
       "- \"1\"\n- \"1.5\"\n- \"0x1f\"\n- \"1e3\"\n- \"1_000\"\n- \"0b1\"\n- \".5\"\n- \".inf\"\n"
       "- \"0777\"\n- '-'\n"},
      {R"(["2001-01-01","2001-01-01T00:00:00Z","12:30","12:99","1.2.3"])",
       "- \"2001-01-01\"\n- \"2001-01-01T00:00:00Z\"\n- \"12:30\"\n- 12:99\n- 1.2.3\n"},
      {R"(["a: b","a #b"])", "- 'a: b'\n- 'a #b'\n"},
      {R"(["#a","- a","*a","&a","!a","@a","%a","[a","{a","'a","\"a","`a","?a","? a"])",
       "- '#a'\n- '- a'\n- '*a'\n- '&a'\n- '!a'\n- '@a'\n- '%a'\n- '[a'\n"
       "- '{a'\n- '''a'\n- '\"a'\n- '`a'\n- ?a\n- '? a'\n"},
      {R"([" a","a ","a:","a:b","a#b","---","--- a","..."])",
       "- ' a'\n- 'a '\n- 'a:'\n- a:b\n- a#b\n- '---'\n- '--- a'\n- '...'\n"},
      {R"(["<<","=","nginx:1.25","a,b","it's"])", "- <<\n- =\n- nginx:1.25\n- a,b\n- it's\n"},
  });
}

TEST(YamlEmitTest, EscapesWhatIsNotPrintable) {
  ExpectYaml({
      {R"(["a\tb","\u0001","\u007f","\u0085","\u00a0","é","\ufeffa","a\\\"\t"])",
       "- \"a\\tb\"\n- \"\\x01\"\n- \"\\x7F\"\n- \"\\N\"\n- \u00a0\n- é\n- \"\\uFEFFa\"\n"
       "- \"a\\\\\\\"\\t\"\n"},
      // The library knows no characters beyond the basic plane.
      {R"(["😀"])", "- \"\\U0001F600\"\n"},
      {R"(["a\r"])", "- \"a\\r\"\n"},
  });
  EXPECT_EQ(YamlOf(Value::String("a\xff\xc3(")), "a\ufffd\ufffd(\n");
}

TEST(YamlEmitTest, PrintsTextOfSeveralLinesAsItIs) {
  ExpectYaml({
      {R"({"a":"one\ntwo\n"})", "a: |\n  one\n  two\n"},
      {R"({"a":"one\ntwo"})", "a: |-\n  one\n  two\n"},
      {R"({"a":"one\n\n","b":1})", "a: |+\n  one\n\nb: 1\n"},
      {R"({"a":"one\n\n"})", "a: |+\n  one\n\n"},
      {R"({"a":"  one\ntwo\n"})", "a: |2\n    one\n  two\n"},
      {R"({"a":"\none\n"})", "a: |2\n\n  one\n"},
      {R"({"a":"\n"})", "a: |2+\n\n"},
      {R"({"a":"one\n  two\n\n  three\n"})", "a: |\n  one\n    two\n\n    three\n"},
      {R"({"a":"one \ntwo\n"})", "a: \"one \\ntwo\\n\"\n"},
      {R"({"a":"one\ttab\ntwo\n"})", "a: \"one\\ttab\\ntwo\\n\"\n"},
      {R"({"a":"one\ntwo "})", "a: \"one\\ntwo \"\n"},
      {R"(["one\ntwo\n"])", "- |\n  one\n  two\n"},
      {R"({"one\ntwo":1})", "? |-\n  one\n  two\n: 1\n"},
  });
}

TEST(YamlEmitTest, FoldsLongLines) {
  const std::string words =
      "aaaaaaaaa bbbbbbbbb ccccccccc ddddddddd eeeeeeeee fffffffff ggggggggg hhhhhhhhh iiiiiiiii "
      "jjjjjjjjj";
  EXPECT_EQ(YamlOf("{\"key\":\"" + words + "\"}"),
            "key: aaaaaaaaa bbbbbbbbb ccccccccc ddddddddd eeeeeeeee fffffffff ggggggggg hhhhhhhhh\n"
            "  iiiiiiiii jjjjjjjjj\n");
  EXPECT_EQ(YamlOf("{\"key\":\"# " + words + "\"}"),
            "key: '# aaaaaaaaa bbbbbbbbb ccccccccc ddddddddd eeeeeeeee fffffffff ggggggggg "
            "hhhhhhhhh\n  iiiiiiiii jjjjjjjjj'\n");
  // A single word is never broken, and a key of more than 128 characters is a complex one.
  const std::string word(129, 'x');
  EXPECT_EQ(YamlOf("[\"" + word + "\"]"), "- " + word + "\n");
  EXPECT_EQ(YamlOf("{\"" + word + "\":1}"), "? " + word + "\n: 1\n");
}

TEST(YamlEmitTest, PrintsNumbersAsTheyAreReadFromJson) {
  ExpectYaml({
      {"[0,-1,9223372036854775807]", "- 0\n- -1\n- 9223372036854775807\n"},
      {"[1.5,1.0,-0.0,100000.5,1234567.5,1e15,1e21,1e-7,0.00001]",
       "- 1.5\n- 1\n- 0\n- 100000.5\n- 1.2345675e+06\n- 1000000000000000\n- 1e+21\n- 1e-07\n"
       "- 1e-05\n"},
      {"[1e20,-1234567890123456768.0]", "- 1e+20\n- -1234567890123456800\n"},
  });
  EXPECT_EQ(YamlOf(Value::Uint(18446744073709551615u)), "18446744073709551615\n");
}

TEST(YamlEmitTest, QuotesKeysAsStrings) {
  ExpectYaml({
      {R"({"true":1,"1":2,"":3,"a b":4,"<<":5})",
       "\"\": 3\n\"<<\": 5\n\"1\": 2\na b: 4\n\"true\": 1\n"},
  });
}

TEST(YamlEmitTest, OrdersKeysNaturally) {
  const std::vector<std::string_view> sorted = {"",   "#1",  ".a",   "0",  "1",   "01", "2",
                                                "10", "A",   "Z",    "a",  "a.b", "a1", "a01",
                                                "a2", "a10", "a100", "ab", "b",   "é"};
  for (size_t i = 0; i + 1 < sorted.size(); ++i) {
    EXPECT_TRUE(YamlKeyLess(sorted[i], sorted[i + 1])) << sorted[i] << " < " << sorted[i + 1];
    EXPECT_FALSE(YamlKeyLess(sorted[i + 1], sorted[i])) << sorted[i + 1] << " < " << sorted[i];
  }
  EXPECT_FALSE(YamlKeyLess("a", "a"));
}

std::string ReadFile(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// What Kubernetes itself wrote, one object of every kind, as JSON and as YAML.
TEST(YamlFixturesTest, ReadsAndPrintsWhatKubernetesPrints) {
  const std::filesystem::path folder =
      std::filesystem::path(SKIFF_SOURCE_DIR) / "../shared/fixtures/wire";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "../shared/fixtures is not there";
  int count = 0;
  for (const auto& file : std::filesystem::directory_iterator(folder)) {
    if (file.path().extension() != ".yaml") continue;
    ++count;
    const std::string yaml = ReadFile(file.path());
    std::filesystem::path json_path = file.path();
    const std::string json = ReadFile(json_path.replace_extension(".json"));
    EXPECT_EQ(YamlOf(json), yaml) << file.path();
    std::vector<FieldIssue> issues;
    Result<YamlJson> converted = YamlToJson(yaml, {.issues = &issues});
    ASSERT_TRUE(converted) << file.path() << ": " << converted.error().ToString();
    EXPECT_EQ(YamlOf(converted->json()), yaml) << file.path();
    EXPECT_TRUE(issues.empty());
  }
  EXPECT_GT(count, 100);
}

std::string ListInPieces(std::string_view json, size_t piece_bytes,
                         std::string_view member = "items") {
  ByteBuffer out;
  YamlListWriter writer(member);
  for (; !json.empty(); json.remove_prefix(std::min(piece_bytes, json.size()))) {
    if (auto done = writer.Append(out, json.substr(0, piece_bytes)); !done) {
      return "error: " + done.error().ToString();
    }
  }
  if (auto done = writer.Finish(out); !done) return "error: " + done.error().ToString();
  return out.ToString();
}

TEST(YamlListWriterTest, PiecesGiveWhatTheWholeGives) {
  for (const std::string_view json : {
           R"({"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"7"},"items":[]})",
           R"({"kind":"PodList","apiVersion":"v1","metadata":{},"items":[{"a":"]},\"[{"}]})",
           R"({"kind":"L","metadata":{"items":["in",{"items":[1]}]},"zz":[[]],"items":[1,"b",[2],)"
           R"({"items":[{}],"long":"one\ntwo\n\n"},null]})",
           R"({"items":[{"a10":1,"a2":{"\\":"\\\""}},{}]})",
           R"({"kind":"L","items":null})",
           R"({"kind":"L"})",
           R"({"b":"\"items\":","items":["last\n\n\n"]})",
       }) {
    const std::string whole = YamlOf(json);
    for (size_t bytes = 1; bytes <= json.size(); ++bytes) {
      EXPECT_EQ(ListInPieces(json, bytes), whole) << json << " in pieces of " << bytes;
    }
    EXPECT_EQ(ListInPieces(std::string(json) + "\n", 3), whole);
  }
}

TEST(YamlListWriterTest, OtherMembersCanBeTheLongOne) {
  const std::string_view json =
      R"({"kind":"Table","columnDefinitions":[{"name":"Name"}],"rows":[{"cells":["a",1]},{}]})";
  EXPECT_EQ(ListInPieces(json, 5, "rows"), YamlOf(json));
}

TEST(YamlListWriterTest, HoldsNoMoreThanAnItem) {
  ByteBuffer out;
  YamlListWriter writer("items");
  ASSERT_TRUE(writer.Append(out, R"({"kind":"L","items":[)"));
  const std::string item = R"({"name":")" + std::string(1000, 'x') + R"("},)";
  size_t given = 0;
  size_t most_held = 0;
  for (int i = 0; i < 1000; ++i) {
    ASSERT_TRUE(writer.Append(out, item));
    given += item.size();
    most_held = std::max(most_held, given - std::min(given, out.size()));
  }
  // libyaml writes 16 KiB at a time.
  EXPECT_LT(most_held, 64 * 1024);
}

// A client that has got it may be long in asking for the next one.
TEST(YamlListWriterTest, AnItemIsEmittedAsSoonAsItHasEnded) {
  ByteBuffer out;
  YamlListWriter writer("items");
  ASSERT_TRUE(writer.Append(out, R"({"kind":"L","items":[)"));
  ASSERT_TRUE(writer.Append(out, R"({"a":{"b":")" + std::string(1'000'000, 'x') + R"("}})"));
  EXPECT_GT(out.size(), 900'000U);
  ASSERT_TRUE(writer.Append(out, ",{}]}"));
  ASSERT_TRUE(writer.Finish(out));
  EXPECT_TRUE(out.view().ends_with("x\n- {}\nkind: L\n")) << out.view().substr(out.size() - 40);
}

TEST(YamlListWriterTest, WhatFollowsTheItemsIsAFault) {
  EXPECT_TRUE(ListInPieces(R"({"items":[1],"more":2})", 4).starts_with("error: "));
  EXPECT_TRUE(ListInPieces(R"({"items":[1)", 4).starts_with("error: "));
}

}  // namespace
}  // namespace skiff::object
