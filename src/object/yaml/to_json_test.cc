#include "object/yaml/to_json.h"

#include <gtest/gtest.h>

namespace skiff::object {
namespace {

std::string JsonOf(std::string_view yaml) {
  Result<YamlJson> result = YamlToJson(yaml);
  return result ? std::string(result->json()) : "error: " + result.error().ToString();
}

struct Case {
  std::string_view yaml;
  std::string_view json;
};

void ExpectJson(std::initializer_list<Case> cases) {
  for (const Case& c : cases) EXPECT_EQ(JsonOf(c.yaml), c.json) << "of: " << c.yaml;
}

TEST(YamlToJsonTest, ConvertsCollectionsAndScalars) {
  ExpectJson({
      {"a: 1\nb: [x, 'y', \"z\"]\n", R"({"a":1,"b":["x","y","z"]})"},
      {"- a\n- b: c\n  d: e\n-\n", R"(["a",{"b":"c","d":"e"},null])"},
      {"a:\n- 1\n- 2\n", R"({"a":[1,2]})"},
      {"{}", "{}"},
      {"[]", "[]"},
      {"a: {}\nb: []", R"({"a":{},"b":[]})"},
      {"just text", R"("just text")"},
      {"{\"a\": [1, 2.50, true, null, \"\\u00e9\\n\"]}", R"({"a":[1,2.5,true,null,"é\n"]})"},
      {"a: |\n  one\n  two\nb: >-\n  one\n  two\n", R"({"a":"one\ntwo\n","b":"one two"})"},
      {"a: one\n  two\n", R"({"a":"one two"})"},
      {"? a\n: b\n", R"({"a":"b"})"},
      {"a: \"<&>\"\n", R"({"a":"\u003c\u0026\u003e"})"},
  });
}

TEST(YamlToJsonTest, SortsKeysByTheirBytes) {
  ExpectJson({
      {"b: 1\na: 2\nB: 3\naa: 4\n10: 5\n9: 6\n", R"({"10":5,"9":6,"B":3,"a":2,"aa":4,"b":1})"},
      {"z: {w: 1, v: 2}\n\"é\": 1\n", R"({"z":{"v":2,"w":1},"é":1})"},
  });
}

TEST(YamlToJsonTest, ResolvesPlainScalarsAndNoOthers) {
  ExpectJson({
      {"[yes, 'yes', \"yes\", !!str yes, ! yes, &a ! yes]",
       R"([true,"yes","yes","yes","yes","yes"])"},
      {"[0777, 0o17, 0x1f, 1_000, 08, 1e3, .5, -0.0]", "[511,15,31,1000,8,1000,0.5,-0]"},
      {"[18446744073709551615, 18446744073709551616, 1e19]",
       "[18446744073709551615,18446744073709552000,10000000000000000000]"},
      {"[2001-01-01, 2001-01-01T00:00:00Z, 12:30:45]",
       R"(["2001-01-01","2001-01-01T00:00:00Z","12:30:45"])"},
      {"[~, null, , 1]",
       "error: line 1, column 11: did not find expected node content "
       "(while parsing a flow node)"},
      {"a:\nb: ~\nc: \"\"\n", R"({"a":null,"b":null,"c":""})"},
      {"a: |\n  1\n", R"({"a":"1\n"})"},
  });
}

TEST(YamlToJsonTest, ObeysExplicitTags) {
  ExpectJson({
      {"!!int \"12\"", "12"},
      {"!!int 18446744073709551615", "18446744073709551615"},
      {"!!float 3", "3"},
      {"!!float \"1.5\"", "1.5"},
      {"!!bool \"on\"", "true"},
      {"!!null ''", "null"},
      {"!!str 12", R"("12")"},
      {"!!str", R"("")"},
      {"a: !\n", R"({"a":""})"},
      {"!!timestamp 2001-01-01", R"("2001-01-01")"},
      {"!custom 12", R"("12")"},
      {"!!binary aGk=", R"("hi")"},
      {"!!binary /w==", R"("\ufffd")"},
      {"!!set {a, b}", R"({"a":null,"b":null})"},
      {"!!int 1.5", "error: line 1, column 1: cannot decode !!float `1.5` as a !!int"},
      {"a: !!bool maybe", "error: line 1, column 4: cannot decode !!str `maybe` as a !!bool"},
      {"a: !!float", "error: line 1, column 4: cannot decode !!null `` as a !!float"},
      {"!!timestamp noon", "error: line 1, column 1: cannot decode !!str `noon` as a !!timestamp"},
  });
  EXPECT_TRUE(JsonOf("a:\n  !!binary '*'").starts_with("error: line 2, column 3: !!binary value"));
}

TEST(YamlToJsonTest, TurnsKeysIntoStrings) {
  ExpectJson({
      {"{1: a, 0x10: b, yes: c, 1.5: d, 1e9: e, 0.1: f, 2001-01-01: g}",
       R"({"0.1":"f","1":"a","1.5":"d","16":"b","1e+09":"e","2001-01-01":"g","true":"c"})"},
      {".inf: a", R"({".inf":"a"})"},
      {"&k key: a\nb: {*k : c}\n", R"({"b":{"key":"c"},"key":"a"})"},
      {"a: 1\n~: b",
       "error: line 2, column 1: unsupported map key: null; quote it if it is a string"},
      {"{a: 1}: b", "error: line 1, column 1: invalid map key: a mapping cannot be a key"},
      {"[a]: b", "error: line 1, column 1: invalid map key: a sequence cannot be a key"},
      {"18446744073709551615: b",
       "error: line 1, column 1: unsupported map key: an integer of more than 63 bits; "
       "quote it if it is a string"},
  });
}

TEST(YamlToJsonTest, RefusesNumbersThatAreNotFinite) {
  ExpectJson({
      {"a:\n- .inf\n",
       "error: line 2, column 3: .inf has no form in JSON; only finite numbers have"},
      {"-.INF", "error: line 1, column 1: -.inf has no form in JSON; only finite numbers have"},
      {".NaN", "error: line 1, column 1: .nan has no form in JSON; only finite numbers have"},
  });
}

TEST(YamlToJsonTest, ExpandsAliases) {
  ExpectJson({
      {"a: &x {k: 1}\nb: *x\nc: [*x, *x]\n", R"({"a":{"k":1},"b":{"k":1},"c":[{"k":1},{"k":1}]})"},
      {"- &a 1\n- *a\n- &a 2\n- *a\n", "[1,1,2,2]"},
      {"- &a [&a x, *a]\n- *a\n", R"([["x","x"],"x"])"},
      {"a: *x", "error: line 1, column 4: unknown anchor 'x' referenced"},
      {"a: &x\n  b: *x\n", "error: line 2, column 6: anchor 'x' value contains itself"},
      {"&x [*x]", "error: line 1, column 5: anchor 'x' value contains itself"},
  });
}

TEST(YamlToJsonTest, TellsManyAnchorsApart) {
  std::string yaml, json = "[";
  for (int i = 0; i < 1000; ++i) {
    yaml += "- &a" + std::to_string(i % 500) + ' ' + std::to_string(i) + '\n';
    json += std::to_string(i) + ',';
  }
  for (int i = 499; i >= 0; --i) {
    yaml += "- *a" + std::to_string(i) + '\n';
    json += std::to_string(500 + i) + (i == 0 ? "]" : ",");
  }
  EXPECT_EQ(JsonOf(yaml), json);
}

TEST(YamlToJsonTest, MergesWhereTheMergeKeyStands) {
  ExpectJson({
      {"base: &b {a: 1, b: 2}\nx:\n  <<: *b\n  b: 3\n",
       R"({"base":{"a":1,"b":2},"x":{"a":1,"b":3}})"},
      {"base: &b {a: 1}\nx:\n  a: 0\n  <<: *b\n", R"({"base":{"a":1},"x":{"a":1}})"},
      {"x: {<<: [{a: 1}, {a: 2, b: 3}]}", R"({"x":{"a":1,"b":3}})"},
      {"x: {<<: {<<: {a: 1}, b: 2}}", R"({"x":{"a":1,"b":2}})"},
      {"x: {'<<': 1}", R"({"x":{"\u003c\u003c":1}})"},
      {"x: {!!merge <<: {a: 1}}", R"({"x":{"a":1}})"},
      {"x: <<", R"({"x":"\u003c\u003c"})"},
      {"x: {<<: 1}",
       "error: line 1, column 9: map merge requires map or sequence of maps as the value"},
      {"x: {<<: [1]}",
       "error: line 1, column 10: map merge requires map or sequence of maps as the value"},
      {"l: &l [{a: 1}]\nx: {<<: *l}",
       "error: line 2, column 9: map merge requires map or sequence of maps as the value"},
  });
}

TEST(YamlToJsonTest, ReportsDuplicateKeysAndKeepsTheLast) {
  std::vector<FieldIssue> issues;
  Result<YamlJson> result =
      YamlToJson("a:\n- b: 1\n  c: 2\n  b: 3\nd: 1\n'd': 2\n1: p\n\"1\": q\n", {.issues = &issues});
  ASSERT_TRUE(result);
  EXPECT_EQ(result->json(), R"({"1":"q","a":[{"b":3,"c":2}],"d":2})");
  ASSERT_EQ(issues.size(), 3u);
  EXPECT_EQ(issues[0].ToString(), "duplicate field \"1\"");
  EXPECT_EQ(issues[0].position.line, 8u);
  EXPECT_EQ(issues[1].path, "a[0].b");
  EXPECT_EQ(issues[1].position.line, 4u);
  EXPECT_EQ(issues[1].position.column, 3u);
  EXPECT_EQ(issues[2].path, "d");
}

TEST(YamlToJsonTest, ReportsMergedKeysThatAreSetAgain) {
  std::vector<FieldIssue> issues;
  ASSERT_TRUE(YamlToJson("x: {<<: {a: 1}, a: 2}", {.issues = &issues}));
  ASSERT_EQ(issues.size(), 1u);
  EXPECT_EQ(issues[0].path, "x.a");
}

TEST(YamlToJsonTest, BoundsTheListOfDuplicates) {
  std::string yaml;
  for (int i = 0; i < 1000; ++i) yaml += "a: 1\n";
  std::vector<FieldIssue> issues;
  ASSERT_TRUE(YamlToJson(yaml, {.issues = &issues}));
  EXPECT_EQ(issues.size(), limits::kMaxFieldIssues);
}

TEST(YamlToJsonTest, MapsOffsetsBackToTheYaml) {
  const std::string_view yaml = "spec:\n  z: [1, é, xyz]\n  b: text\n";
  Result<YamlJson> result = YamlToJson(yaml);
  ASSERT_TRUE(result);
  const std::string_view json = result->json();
  ASSERT_EQ(json, R"({"spec":{"b":"text","z":[1,"é","xyz"]}})");
  const auto expect_at = [&](std::string_view what, uint32_t line, uint32_t column) {
    const TextPosition position = result->PositionOf(json.find(what));
    EXPECT_EQ(position.line, line) << what;
    EXPECT_EQ(position.column, column) << what;
  };
  expect_at("{\"spec", 1, 1);
  expect_at("\"spec", 1, 1);
  expect_at("{\"b", 2, 3);
  expect_at("\"b\"", 3, 3);
  expect_at("\"text", 3, 6);
  expect_at("ext\"", 3, 6);
  expect_at("\"z\"", 2, 3);
  expect_at("[1", 2, 6);
  expect_at("1,", 2, 7);
  expect_at("\"é", 2, 10);
  expect_at("\"xyz", 2, 14);  // columns count bytes
}

TEST(YamlToJsonTest, ReadsNothingAsNull) {
  ExpectJson({{"", "null"},
              {"\n\n", "null"},
              {"# only a comment\n", "null"},
              {"---\n", "null"},
              {"---\n...\n", "null"}});
}

TEST(YamlToJsonTest, LooksAtTheFirstDocumentOnly) {
  ExpectJson({{"a: 1\n---\nb: 2\n", R"({"a":1})"}, {"--- {a: 1}\n---\n]]", R"({"a":1})"}});
}

TEST(YamlToJsonTest, ReadsUtf16AndByteOrderMarks) {
  using std::string_view_literals::operator""sv;
  ExpectJson({
      {"\xef\xbb\xbf"
       "a: b",
       R"({"a":"b"})"},
      {"\xff\xfe"
       "a\0:\0 \0\xe9\0"sv,
       R"({"a":"é"})"},
      {"\xfe\xff"
       "\0a\0:\0 \0\xe9"sv,
       R"({"a":"é"})"},
  });
  EXPECT_TRUE(JsonOf("\xef\xbb\xbf"
                     "a: *b")
                  .starts_with("error: line 1, column 4: "));
  EXPECT_TRUE(JsonOf("\xff\xfe"
                     "a\0:\0 \0*\0b\0"sv)
                  .starts_with("error: line 1, column 4: "));
}

TEST(YamlToJsonTest, SaysWhereAndWhyTextIsNotYaml) {
  using std::string_view_literals::operator""sv;
  ExpectJson({
      {"a: b: c",
       "error: line 1, column 5: mapping values are not allowed in this context; check "
       "the indentation, and quote a value that contains ': '"},
      {"a:\n\tb: 1\n",
       "error: line 2, column 1: found a tab; YAML is indented with spaces only "
       "(while scanning for the next token)"},
      {"a: @b",
       "error: line 1, column 4: found '@', which no plain value may begin with; quote it "
       "(while scanning for the next token)"},
      {"a: 1\nb\nc: 2\n",
       "error: line 3, column 1: could not find expected ':' after a key "
       "(while scanning a simple key that begins on line 2)"},
      {"a: [1, 2\nb: 3\n",
       "error: line 2, column 2: did not find expected ',' or ']' (while "
       "parsing a flow sequence that begins on line 1)"},
      {"a: 'x\n",
       "error: line 2, column 1: found unexpected end of stream (while scanning a "
       "quoted scalar that begins on line 1)"},
      {"a: \"\\q\"",
       "error: line 1, column 5: found unknown escape character (while parsing a "
       "quoted scalar)"},
      {"a: 1\n b: 2\n",
       "error: line 2, column 3: mapping values are not allowed in this context; "
       "check the indentation, and quote a value that contains ': '"},
      {"a: \xff\n", "error: line 1, column 4: invalid leading UTF-8 octet (0xff)"},
      {"a: b\nc: \xc3(", "error: line 2, column 5: invalid trailing UTF-8 octet (0x28)"},
      {"a: \x01", "error: line 1, column 4: control characters are not allowed (0x1)"},
      {"a\0b"sv, "error: line 1, column 2: control characters are not allowed (0x0)"},
  });
}

TEST(YamlToJsonTest, CountsColumnsInBytesAfterCharactersOfAnyLength) {
  ExpectJson({
      {"é: 'ü€😀'\nb: [ß, *c]", "error: line 2, column 9: unknown anchor 'c' referenced"},
      {"é: 1\r\nü: 2\xe2\x80\xa8ß: *c", "error: line 3, column 5: unknown anchor 'c' referenced"},
      {"\xef\xbb\xbf"
       "a: 'é'\nb: 'é\nc",
       "error: line 3, column 2: found unexpected end of "
       "stream (while scanning a quoted scalar that begins on "
       "line 2)"},
      {"\xef\xbb\xbf"
       "é: 1\r\nb: \xff",
       "error: line 2, column 4: invalid leading UTF-8 octet "
       "(0xff)"},
  });
}

TEST(YamlToJsonTest, BoundsTheSizeOfADocument) {
  Result<YamlJson> result = YamlToJson("abcdef", {.max_bytes = 5});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().reason(), StatusReason::kRequestEntityTooLarge);
  EXPECT_TRUE(YamlToJson("abcde", {.max_bytes = 5}));
}

TEST(YamlToJsonTest, BoundsDepth) {
  const auto nested = [](int depth) {
    const auto levels = static_cast<size_t>(depth);
    return std::string(levels, '[') + std::string(levels, ']');
  };
  EXPECT_TRUE(YamlToJson(nested(limits::kMaxDepth)));
  EXPECT_EQ(JsonOf(nested(limits::kMaxDepth + 1)),
            "error: line 1, column 513: nested deeper than 512 levels");
  // The same through aliases, each of which adds a few levels.
  std::string yaml = "- &a0 x\n";
  for (int i = 1; i < 100; ++i) {
    yaml += "- &a" + std::to_string(i) + " [[[[[[*a" + std::to_string(i - 1) + "]]]]]]\n";
  }
  EXPECT_EQ(JsonOf(yaml),
            "error: line 87, column 14: nested deeper than 512 levels through anchor 'a85'");
}

void ExpectRefused(const std::string& yaml, std::string_view error) {
  EXPECT_EQ(JsonOf(yaml).substr(0, error.size()), error);
}

// Each of these would expand to more than any machine has, so the tests end only if the documents
// are refused before that.
TEST(YamlToJsonTest, RefusesBombsOfAliases) {
  std::string laughs = "a: &a [lol, lol, lol, lol, lol, lol, lol, lol, lol]\n";
  for (char name = 'b'; name <= 'z'; ++name) {
    const std::string alias = std::string("*") + static_cast<char>(name - 1);
    laughs += std::string(1, name) + ": &" + name + " [";
    for (int i = 0; i < 9; ++i) laughs += (i == 0 ? "" : ", ") + alias;
    laughs += "]\n";
  }
  ExpectRefused(laughs, "error: line 6, column 12: document contains excessive aliasing");

  std::string merges = "- &a0 {k: v}\n";
  for (int i = 1; i < 64; ++i) {
    const std::string alias = "*a" + std::to_string(i - 1);
    merges += "- &a" + std::to_string(i) + " {<<: [" + alias + ", " + alias + "]}\n";
  }
  ExpectRefused(merges, "error: line 15, column 20: document contains excessive aliasing");

  std::string text = "- &a " + std::string(100'000, 'x') + "\n";
  for (int i = 0; i < 1000; ++i) text += "- *a\n";
  ExpectRefused(text, "error: line 33, column 3: document contains excessive aliasing");
}

TEST(YamlToJsonTest, BoundsTheValuesOfADocument) {
  const auto list = [](size_t count) {
    std::string yaml = "[";
    for (size_t i = 0; i < count; ++i) yaml += "1,";
    return yaml + "]\n";
  };
  EXPECT_TRUE(YamlToJson(list(limits::kMaxYamlNodes - 1)));
  ExpectRefused(list(limits::kMaxYamlNodes),
                "error: line 1, column 300000: the document has more than the limit of 150000 "
                "keys and values");
  // Keys count too.
  std::string map;
  for (size_t i = 0; i <= limits::kMaxYamlNodes / 2; ++i) map += "a: b\n";
  ExpectRefused(map, "error: line 75000, column 4: the document has more than the limit");
}

TEST(YamlToJsonTest, BoundsTheAnchorsOfADocument) {
  std::string yaml;
  for (size_t i = 0; i < limits::kMaxYamlAnchors; ++i) yaml += "- &a 1\n";
  EXPECT_TRUE(YamlToJson(yaml));
  ExpectRefused(yaml + "- &a 1\n",
                "error: line 10001, column 3: the document has more than the "
                "limit of 10000 anchors");
}

TEST(YamlToJsonTest, BoundsTheTagDirectivesOfADocument) {
  const auto directives = [](size_t count) {
    std::string yaml;
    for (size_t i = 0; i < count; ++i) yaml += "%TAG !t" + std::to_string(i) + "! tag:a\n";
    return yaml + "--- !t0!b c\n";
  };
  EXPECT_EQ(JsonOf(directives(limits::kMaxYamlTagDirectives)), "\"c\"");
  ExpectRefused(directives(limits::kMaxYamlTagDirectives + 1), "error: line 18, column ");
  // So many would take libyaml minutes.
  const std::string error = JsonOf(directives(100'000));
  EXPECT_TRUE(error.ends_with("the document has more than the limit of 16 %TAG directives"))
      << error;
}

TEST(YamlToJsonTest, StopsReadingWhereThereAreTooManyValues) {
  std::string yaml;
  for (size_t i = 0; i <= limits::kMaxYamlNodes; ++i) yaml += "- 1\n";
  // What follows is no YAML, which nobody has got to know.
  ExpectRefused(yaml + std::string(100'000, '@'), "error: line 150000, column 3: the document has");
}

TEST(YamlToJsonTest, RefusesToScanManyValuesAtGreatDepth) {
  std::string yaml(500, '[');
  for (int i = 0; i < 100'000; ++i) yaml += "1,";
  ExpectRefused(yaml, "error: line 1, column 19499: too many values nested too deeply");
  // At ordinary depth as many are no trouble.
  yaml = std::string(7, '[');
  for (int i = 0; i < 100'000; ++i) yaml += "1,";
  EXPECT_TRUE(YamlToJson(yaml + std::string(7, ']')));
}

TEST(YamlStreamReaderTest, ReadsEveryDocumentButEmptyOnes) {
  YamlStreamReader reader(
      "---\n# a comment\n---\na: 1\n--- # the next\n\n---\nnull\n---\nb: 2\n...\n---\nc: *x\n");
  Result<std::optional<YamlJson>> first = reader.Next();
  ASSERT_TRUE(first && *first);
  EXPECT_EQ((*first)->json(), R"({"a":1})");
  EXPECT_EQ((*first)->PositionOf(0).line, 4u);
  Result<std::optional<YamlJson>> second = reader.Next();
  ASSERT_TRUE(second && *second);
  EXPECT_EQ((*second)->json(), R"({"b":2})");
  EXPECT_EQ((*second)->PositionOf(1).line, 10u);
  Result<std::optional<YamlJson>> third = reader.Next();
  ASSERT_FALSE(third);
  EXPECT_EQ(third.error().ToString(), "line 13, column 4: unknown anchor 'x' referenced");
  Result<std::optional<YamlJson>> end = reader.Next();
  ASSERT_TRUE(end);
  EXPECT_FALSE(end->has_value());
}

TEST(YamlStreamReaderTest, ReadsFilesOfWindowsAndWithoutFinalNewline) {
  YamlStreamReader reader("a: 1\r\n---\r\nb: 2");
  EXPECT_EQ((*reader.Next())->json(), R"({"a":1})");
  EXPECT_EQ((*reader.Next())->json(), R"({"b":2})");
  EXPECT_FALSE(reader.Next()->has_value());
}

TEST(YamlStreamReaderTest, RefusesTextAfterASeparator) {
  YamlStreamReader reader("a: 1\n--- b: 2\n");
  const Result<std::optional<YamlJson>> result = reader.Next();
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().ToString(),
            "line 2, column 5: invalid Yaml document separator: only a comment may follow '---'");
  EXPECT_FALSE(reader.Next()->has_value());
}

TEST(YamlStreamReaderTest, RefusesTextAfterTheEndOfADocument) {
  YamlStreamReader reader("a: 1\n...\nb: 2\n");
  ASSERT_TRUE(reader.Next());
  const Result<std::optional<YamlJson>> result = reader.Next();
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().ToString(),
            "line 3, column 1: did not find expected <document start>; another document must begin "
            "with '---'");
}

TEST(YamlStreamReaderTest, BoundsEachDocument) {
  YamlStreamReader reader("a: 1\n---\nb: 2\n---\nc: 1234567890\n", {.max_bytes = 10});
  EXPECT_TRUE(reader.Next());
  EXPECT_TRUE(reader.Next());
  const Result<std::optional<YamlJson>> result = reader.Next();
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().reason(), StatusReason::kRequestEntityTooLarge);
  EXPECT_EQ(result.error().position().line, 4u);
}

TEST(YamlStreamReaderTest, BoundsTheValuesOfEachDocumentOnItsOwn) {
  std::string list;
  for (size_t i = 0; i < limits::kMaxYamlNodes / 2; ++i) list += "- 1\n";
  const std::string text = list + "...\n---\n" + list + "---\n" + list;
  YamlStreamReader reader(text);
  for (int i = 0; i < 3; ++i) {
    Result<std::optional<YamlJson>> document = reader.Next();
    ASSERT_TRUE(document) << document.error().ToString();
    EXPECT_TRUE(document->has_value());
  }
}

TEST(YamlStreamReaderTest, FindsNothingInEmptyText) {
  EXPECT_FALSE(YamlStreamReader("").Next()->has_value());
  EXPECT_FALSE(YamlStreamReader("\n# nothing\n").Next()->has_value());
}

}  // namespace
}  // namespace skiff::object
