#include "object/json/decode.h"

#include <gtest/gtest.h>

#include "object/descriptor_builder.h"
#include "object/json/encode.h"

namespace skiff::object {
namespace {

const MessageDesc* Kind(std::string_view api_version, std::string_view kind) {
  const MessageDesc* type = FindKind(api_version, kind);
  EXPECT_NE(type, nullptr) << api_version << " " << kind;
  return type;
}

// Decodes as a kind of v1 and encodes again.
std::string RoundTrip(std::string_view json, std::string_view kind = "Pod") {
  auto document = DecodeJson(json, Kind("v1", kind));
  return document ? EncodeJson(document->root()) : "error: " + document.error().ToString();
}

std::string ErrorOf(std::string_view json, std::string_view kind = "Pod") {
  auto document = DecodeJson(json, Kind("v1", kind));
  return document ? "no error" : document.error().ToString();
}

std::vector<std::string> IssuesOf(std::string_view json, std::string_view kind = "Pod") {
  std::vector<FieldIssue> issues;
  auto document = DecodeJson(json, Kind("v1", kind), {.issues = &issues});
  EXPECT_TRUE(document.has_value()) << document.error().ToString();
  std::vector<std::string> texts;
  for (const FieldIssue& issue : issues) {
    texts.push_back(std::to_string(issue.position.line) + ":" +
                    std::to_string(issue.position.column) + " " + issue.ToString());
  }
  return texts;
}

constexpr std::string_view kEmptyPod = R"({"metadata":{},"spec":{"containers":null},"status":{}})";

TEST(JsonDecodeTest, AnEmptyObjectPrintsWhatGoPrintsOfAZeroStruct) {
  EXPECT_EQ(RoundTrip("{}"), kEmptyPod);
  EXPECT_EQ(RoundTrip(" { } "), kEmptyPod);
  EXPECT_EQ(RoundTrip("{}", "Service"),
            R"({"metadata":{},"spec":{},"status":{"loadBalancer":{}}})");
  EXPECT_EQ(RoundTrip("{}", "Event"),
            R"({"metadata":{},"involvedObject":{},"source":{},"firstTimestamp":null,)"
            R"("lastTimestamp":null,"eventTime":null,"reportingComponent":"",)"
            R"("reportingInstance":""})");
}

TEST(JsonDecodeTest, NullLeavesAFieldUnset) {
  EXPECT_EQ(RoundTrip(R"({"metadata":null,"spec":{"nodeName":null,"containers":null,
                          "terminationGracePeriodSeconds":null,"volumes":null}})"),
            kEmptyPod);
  EXPECT_EQ(RoundTrip("null"), kEmptyPod);
}

TEST(JsonDecodeTest, NullInAListIsTheZeroOfItsItems) {
  EXPECT_EQ(RoundTrip(R"({"spec":{"containers":[null]}})"),
            R"({"metadata":{},"spec":{"containers":[{"name":"","resources":{}}]},"status":{}})");
  EXPECT_EQ(RoundTrip(R"({"spec":{"containers":[{"name":"a","args":[null,"b"]}]}})"),
            R"({"metadata":{},"spec":{"containers":[{"name":"a","args":["","b"],"resources":{}}]},)"
            R"("status":{}})");
  EXPECT_EQ(RoundTrip(R"({"data":{"a":null}})", "ConfigMap"), R"({"metadata":{},"data":{"a":""}})");
  EXPECT_EQ(RoundTrip(R"({"data":{"a":null,"b":""}})", "Secret"),
            R"({"metadata":{},"data":{"a":null,"b":""}})");
}

TEST(JsonDecodeTest, ZerosOfPointersStayAndZerosOfPlainFieldsGo) {
  EXPECT_EQ(RoundTrip(R"({"spec":{"containers":[],"terminationGracePeriodSeconds":0,
                          "automountServiceAccountToken":false,"hostNetwork":false,
                          "securityContext":{}}})"),
            R"({"metadata":{},"spec":{"containers":[],"terminationGracePeriodSeconds":0,)"
            R"("automountServiceAccountToken":false,"securityContext":{}},"status":{}})");
}

TEST(JsonDecodeTest, FieldsComeOutInTheOrderOfTheSchemaAndKeysSorted) {
  EXPECT_EQ(RoundTrip(R"({"metadata":{"labels":{"b":"2","a":"1"},"namespace":"n","name":"x"},
                          "kind":"ConfigMap","data":{"z":"","y":""},"apiVersion":"v1"})",
                      "ConfigMap"),
            R"({"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"x","namespace":"n",)"
            R"("labels":{"a":"1","b":"2"}},"data":{"y":"","z":""}})");
}

TEST(JsonDecodeTest, AnEmptyFieldOutOfOrderDoesNotHideThatTheOthersAre) {
  EXPECT_EQ(RoundTrip(R"({"spec":{"containers":[{"image":"i","imagePullPolicy":"Always",
                          "resources":{},"terminationMessagePolicy":"File"}]}})"),
            R"({"metadata":{},"spec":{"containers":[{"name":"","image":"i","resources":{},)"
            R"("terminationMessagePolicy":"File","imagePullPolicy":"Always"}]},"status":{}})");
}

TEST(JsonDecodeTest, ScalarsOfEveryKindAreNormalised) {
  EXPECT_EQ(RoundTrip(R"({"spec":{"containers":[{"name":"c","resources":{"limits":
      {"cpu":"1000m","memory":1024,"x":0.5}},"livenessProbe":{"httpGet":{"port":"http"}},
      "readinessProbe":{"httpGet":{"port":80}}}]},
      "status":{"startTime":"2024-02-29T12:00:00.5+02:00"}})"),
            R"({"metadata":{},"spec":{"containers":[{"name":"c","resources":{"limits":{"cpu":"1",)"
            R"("memory":"1024","x":"500m"}},"livenessProbe":{"httpGet":{"port":"http"}},)"
            R"("readinessProbe":{"httpGet":{"port":80}}}]},)"
            R"("status":{"startTime":"2024-02-29T10:00:00Z"}})");
}

TEST(JsonDecodeTest, RawJsonIsKeptCompactAndOtherwiseAsItIs) {
  auto document = DecodeJson(R"({"data": {"b" : [1, 2.50 ,"<x y>\u00e9"],
      "a": {}}, "revision": 1})",
                             Kind("apps/v1", "ControllerRevision"));
  ASSERT_TRUE(document.has_value());
  EXPECT_EQ(document->root().Find("data")->AsText(), R"({"b":[1,2.50,"<x y>\u00e9"],"a":{}})");
  EXPECT_EQ(EncodeJson(document->root()),
            R"({"metadata":{},"data":{"b":[1,2.50,"\u003cx y\u003e\u00e9"],"a":{}},"revision":1})");
}

TEST(JsonDecodeTest, UnknownFieldsAreReportedWithPathAndPlaceAndSkipped) {
  EXPECT_EQ(IssuesOf("{\"spec\":{\n  \"containers\":[{\"name\":\"a\"},\n"
                     "   {\"imagee\":{\"x\":[1]}}],\n  \"Volumes\":[]},\n\"bad\":1}"),
            (std::vector<std::string>{R"(3:5 unknown field "spec.containers[1].imagee")",
                                      R"(4:3 unknown field "spec.Volumes")",
                                      R"(5:1 unknown field "bad")"}));
  EXPECT_EQ(RoundTrip(R"({"x":{"y":[{}]}})"), kEmptyPod);
}

TEST(JsonDecodeTest, DuplicatesAreReportedAndTheLastOneWins) {
  EXPECT_EQ(IssuesOf(R"({"metadata":{"name":"a","labels":{"x":"1","x":"2"},"name":"b"}})"),
            (std::vector<std::string>{R"(1:43 duplicate field "metadata.labels.x")",
                                      R"(1:52 duplicate field "metadata.name")"}));
  EXPECT_EQ(RoundTrip(R"({"metadata":{"name":"a","labels":{"x":"1","x":"2"},"name":"b"}})"),
            R"({"metadata":{"name":"b","labels":{"x":"2"}},"spec":{"containers":null},)"
            R"("status":{}})");
}

TEST(JsonDecodeTest, MapsOfManyDuplicatesAreGivenUp) {
  std::string json = "{";
  for (int i = 0; i < 10'000; ++i) {
    json += R"("metadata":{"labels":{"k)" + std::to_string(i) + R"(":"v"}},)";
  }
  json.back() = '}';
  EXPECT_NE(ErrorOf(json).find("metadata: too many duplicate fields"), std::string::npos)
      << ErrorOf(json);
}

TEST(JsonDecodeTest, DuplicateObjectsAndMapsMergeAsInGo) {
  EXPECT_EQ(RoundTrip(R"({"metadata":{"name":"a","labels":{"x":"1"}},"spec":{"nodeName":"n"},
                          "metadata":{"namespace":"b","labels":{"y":"2"}},"spec":null})"),
            R"({"metadata":{"name":"a","namespace":"b","labels":{"x":"1","y":"2"}},)"
            R"("spec":{"containers":null,"nodeName":"n"},"status":{}})");
}

TEST(JsonDecodeTest, ALaterNullUnsetsOnlyWhatCanBeNilInGo) {
  EXPECT_EQ(RoundTrip(R"({"spec":{"nodeName":"n","hostIPC":true,"priority":1,"volumes":[{}],
                          "nodeName":null,"hostIPC":null,"priority":null,"volumes":null,
                          "hostname":"h","hostname":""}})"),
            R"({"metadata":{},"spec":{"containers":null,"nodeName":"n","hostIPC":true},)"
            R"("status":{}})");
}

TEST(JsonDecodeTest, MessagesMayHaveThousandsOfFields) {
  DescriptorPool pool;
  std::vector<std::string> names;
  std::vector<FieldSpec> fields;
  for (int i = 0; i < 9'000; ++i) names.push_back("field" + std::to_string(i));
  for (const std::string& name : names) fields.push_back({.name = name});
  const MessageDesc* type = pool.Add("Many", fields).value();
  std::vector<FieldIssue> issues;
  auto document = DecodeJson(R"({"field8999":"z","field5000":"a","field1":"b","field5000":"c"})",
                             type, {.issues = &issues});
  ASSERT_TRUE(document.has_value());
  EXPECT_EQ(EncodeJson(document->root()), R"({"field1":"b","field5000":"c","field8999":"z"})");
  ASSERT_EQ(issues.size(), 1u);
  EXPECT_EQ(issues[0].ToString(), "duplicate field \"field5000\"");
}

TEST(JsonDecodeTest, QuantitiesAreReadWithoutUndoingEscapes) {
  const auto limit = [](std::string_view text) {
    return "{\"spec\":{\"hard\":{\"cpu\":" + std::string(text) + "}}}";
  };
  for (const std::string_view spaced : {"\" 1 \"",
                                        "\"\xc2\xa0"
                                        "1\xe2\x80\x83\"",
                                        "1.0", "\"1000m\""}) {
    EXPECT_EQ(RoundTrip(limit(spaced), "ResourceQuota"),
              R"({"metadata":{},"spec":{"hard":{"cpu":"1"}},"status":{}})");
  }
  for (const std::string_view escaped : {R"("\u0031")", R"("1\n")", R"("")", R"(" ")"}) {
    EXPECT_NE(ErrorOf(limit(escaped), "ResourceQuota").find("spec.hard.cpu: "), std::string::npos)
        << escaped;
  }
}

TEST(JsonDecodeTest, NumbersTooSmallForADoubleAreZeroAndTooLargeOnesRefused) {
  const std::string zeros(400, '0');
  auto small = DecodeJson("[0." + zeros + "1,1e-400,-1e-400]", nullptr);
  ASSERT_TRUE(small.has_value()) << small.error().ToString();
  EXPECT_EQ(EncodeJson(small->root()), "[0,0,-0]");
  EXPECT_FALSE(DecodeJson("1" + zeros, nullptr).has_value());
  EXPECT_FALSE(DecodeJson("1" + zeros + "e-1", nullptr).has_value());
}

TEST(JsonDecodeTest, OnlyUnsignedFieldsOf64BitsHaveATagOfTheirOwn) {
  const MessageDesc* logging = FindMessage("component-logs/v1", "LoggingConfiguration");
  ASSERT_NE(logging, nullptr);
  auto document = DecodeJson(R"({"verbosity":4294967295})", logging);
  ASSERT_TRUE(document.has_value()) << document.error().ToString();
  EXPECT_EQ(document->root().Find("verbosity")->tag(), Tag::kInt);
  EXPECT_FALSE(DecodeJson(R"({"verbosity":4294967296})", logging).has_value());
  EXPECT_FALSE(DecodeJson(R"({"verbosity":-1})", logging).has_value());
}

TEST(JsonDecodeTest, AnIntegerHasNoNegativeZero) {
  EXPECT_EQ(EncodeJson(DecodeJson("[-0,-0.0]", nullptr)->root()), "[0,-0]");
}

TEST(JsonDecodeTest, IssuesAreBounded) {
  std::string json = "{";
  for (int i = 0; i < 1000; ++i) json += "\"x" + std::to_string(i) + "\":1,";
  json += "\"kind\":\"Pod\"}";
  EXPECT_EQ(IssuesOf(json).size(), limits::kMaxFieldIssues);
}

TEST(JsonDecodeTest, ErrorsNameTheFieldAndThePlace) {
  EXPECT_EQ(ErrorOf("{\"spec\":{\"containers\":[\n{\"name\":5}]}}"),
            "line 2, column 9: spec.containers[0].name: expected a string, got a number");
  EXPECT_EQ(ErrorOf(R"({"spec":{"priority":3000000000}})"),
            "line 1, column 21: spec.priority: 3000000000 is not an integer of 32 bits");
  EXPECT_EQ(ErrorOf(R"({"spec":{"priority":1.0}})"),
            "line 1, column 21: spec.priority: 1.0 is not an integer of 32 bits");
  EXPECT_EQ(ErrorOf(R"({"spec":[]})"), "line 1, column 9: spec: expected an object, got an array");
  EXPECT_EQ(ErrorOf(R"({"metadata":{"labels":{"a":1}}})"),
            "line 1, column 28: metadata.labels.a: expected a string, got a number");
  EXPECT_EQ(ErrorOf("[]"), "line 1, column 1: expected an object, got an array");
}

struct BadText {
  const char* text;
  const char* error;
};

class JsonSyntaxTest : public testing::TestWithParam<BadText> {};

TEST_P(JsonSyntaxTest, IsRefusedWithItsPlace) {
  auto document = DecodeJson(GetParam().text, nullptr);
  ASSERT_FALSE(document.has_value()) << EncodeJson(document->root());
  EXPECT_EQ(document.error().ToString(), GetParam().error);
}

INSTANTIATE_TEST_SUITE_P(
    All, JsonSyntaxTest,
    testing::Values(BadText{"", "line 1, column 1: unexpected end of JSON input"},
                    BadText{"  ", "line 1, column 3: unexpected end of JSON input"},
                    BadText{"{\"a\":[{", "line 1, column 8: unexpected end of JSON input"},
                    BadText{"{} x", "line 1, column 4: text after the end of the value"},
                    BadText{"nul", "line 1, column 1: expected a value"},
                    BadText{"tru", "line 1, column 1: expected a value"},
                    BadText{"[1,]", "line 1, column 4: [1]: expected a value"},
                    BadText{"[1 2]", "line 1, column 4: expected ',' or ']' in an array"},
                    BadText{"{\"a\":1,}", "line 1, column 8: expected a string"},
                    BadText{"{\"a\" 1}", "line 1, column 6: expected ':' after a key"},
                    BadText{"{a:1}", "line 1, column 2: expected a string"},
                    BadText{"\"a", "line 1, column 3: unexpected end of JSON input"},
                    BadText{"\"\\", "line 1, column 2: the string has no closing quote"},
                    BadText{"\"\\x\"", "line 1, column 2: unknown escape sequence in a string"},
                    BadText{"\"\\u12g4\"", "line 1, column 4: unknown escape sequence in a string"},
                    BadText{"\"a\nb\"",
                            "line 1, column 3: a control character in a string must be escaped"},
                    BadText{"\"\xff\"", "line 1, column 2: the string is not valid UTF-8"},
                    BadText{"\"\xed\xa0\x80\"", "line 1, column 2: the string is not valid UTF-8"},
                    BadText{"\"\xc0\x80\"", "line 1, column 2: the string is not valid UTF-8"},
                    BadText{"01", "line 1, column 2: a number must not begin with 0"},
                    BadText{"-", "line 1, column 2: unexpected end of JSON input"},
                    BadText{"1.", "line 1, column 3: unexpected end of JSON input"},
                    BadText{"1e", "line 1, column 3: unexpected end of JSON input"},
                    BadText{"1e999", "line 1, column 1: the number is too large"},
                    BadText{"+1", "line 1, column 1: expected a value"},
                    BadText{"'a'", "line 1, column 1: expected a value"}));

TEST(JsonDecodeTest, UntypedValuesKeepIntegersAndSortKeys) {
  auto document =
      DecodeJson(R"({"b":[1,-2,1.5,1e3,9223372036854775807,9223372036854775808,true,null],)"
                 R"("a":"\ud83d\ude00"})",
                 nullptr);
  ASSERT_TRUE(document.has_value());
  EXPECT_EQ(EncodeJson(document->root()),
            "{\"a\":\"\xf0\x9f\x98\x80\",\"b\":[1,-2,1.5,1000,9223372036854775807,"
            "9223372036854776000,true,null]}");
  EXPECT_EQ(document->root().Find("b")->items()[4].tag(), Tag::kInt);
  EXPECT_EQ(document->root().Find("b")->items()[5].tag(), Tag::kDouble);
}

TEST(JsonDecodeTest, EscapesAndLoneSurrogatesDecodeAsInGo) {
  auto document =
      DecodeJson(R"(["\"\\\/\b\f\n\r\t\u0041","\ud800","\ud800x","\udc00\u00e9"])", nullptr);
  ASSERT_TRUE(document.has_value());
  EXPECT_EQ(document->root().items()[0].AsText(), "\"\\/\b\f\n\r\tA");
  EXPECT_EQ(document->root().items()[1].AsText(), "\xef\xbf\xbd");
  EXPECT_EQ(document->root().items()[2].AsText(), "\xef\xbf\xbdx");
  EXPECT_EQ(document->root().items()[3].AsText(), "\xef\xbf\xbd\xc3\xa9");
}

TEST(JsonDecodeTest, NestingBeyondTheBoundIsAnErrorTypedOrNot) {
  const auto nested = [](std::string_view open, int depth) {
    std::string text;
    for (int i = 0; i < depth; ++i) text += open;
    return text;
  };
  for (const int depth : {limits::kMaxDepth + 2, 600'000}) {
    for (const std::string_view open : {"[", "{\"a\":"}) {
      const std::string bomb = nested(open, depth);
      auto document = DecodeJson(bomb, nullptr);
      ASSERT_FALSE(document.has_value());
      EXPECT_EQ(document.error().message(), "the value is nested too deeply");
      EXPECT_TRUE(document.error().causes().empty());
      EXPECT_EQ(DecodeJson("{\"x\":" + bomb, Kind("v1", "Pod")).error().message(),
                "the value is nested too deeply");
    }
  }
  const MessageDesc* crd = Kind("apiextensions.k8s.io/v1", "CustomResourceDefinition");
  auto schema = DecodeJson(
      "{\"spec\":{\"versions\":[{\"schema\":{\"openAPIV3Schema\":" + nested("{\"items\":", 10'000),
      crd);
  ASSERT_FALSE(schema.has_value());
  EXPECT_EQ(schema.error().message(), "the value is nested too deeply");
}

TEST(JsonDecodeTest, TextBeyondTheBoundIsRefusedBeforeItIsRead) {
  const std::string large(limits::kMaxDocumentBytes + 1, ' ');
  auto document = DecodeJson(large, nullptr);
  ASSERT_FALSE(document.has_value());
  EXPECT_EQ(document.error().reason(), StatusReason::kRequestEntityTooLarge);
}

TEST(JsonDecodeTest, SchemaUnionsTakeTheirForms) {
  const std::string json =
      R"({"metadata":{},"spec":{"group":"g","names":{"plural":"","kind":""},"scope":"",)"
      R"("versions":[{"name":"v","served":true,"storage":true,"schema":{"openAPIV3Schema":{)"
      R"("default":{"a":null},"items":[{"type":"string"},{}],"additionalProperties":{"type":"x"},)"
      R"("dependencies":{"a":["b"],"c":{"type":"y"}},"additionalItems":false}}}]},)"
      R"("status":{"conditions":null,"acceptedNames":{"plural":"","kind":""},)"
      R"("storedVersions":null}})";
  auto document = DecodeJson(json, Kind("apiextensions.k8s.io/v1", "CustomResourceDefinition"));
  ASSERT_TRUE(document.has_value()) << document.error().ToString();
  EXPECT_EQ(EncodeJson(document->root()), json);
}

TEST(JsonDecodeTest, BorrowedTextIsNotCopied) {
  const std::string json = R"({"metadata":{"name":"abc"}})";
  auto document = DecodeJson(json, Kind("v1", "Pod"), {.borrow_text = true});
  ASSERT_TRUE(document.has_value());
  const char* name = document->root().FindPath({"metadata", "name"})->AsText().data();
  EXPECT_TRUE(name >= json.data() && name < json.data() + json.size());
}

TEST(JsonDecodeTest, PeekFindsKindAndVersionWhereverTheyStand) {
  auto meta = PeekTypeMeta(R"({"spec":{"kind":"no"},"apiVersion":"apps/v1","kind":"Deployment"})");
  ASSERT_TRUE(meta.has_value());
  EXPECT_EQ(meta->api_version, "apps/v1");
  EXPECT_EQ(meta->kind, "Deployment");
  EXPECT_EQ(PeekTypeMeta("{}")->kind, "");
  EXPECT_FALSE(PeekTypeMeta("[]").has_value());
  EXPECT_FALSE(PeekTypeMeta("{\"spec\":}").has_value());
}

}  // namespace
}  // namespace skiff::object
