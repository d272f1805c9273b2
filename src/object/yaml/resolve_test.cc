#include "object/yaml/resolve.h"

#include <cmath>

#include <gtest/gtest.h>

namespace skiff::object {
namespace {

// The type and value in one text, so that a table can say both.
std::string Describe(std::string_view text) {
  const YamlScalar scalar = ResolveYamlScalar(text);
  switch (scalar.type) {
    case YamlType::kNull:
      return "null";
    case YamlType::kBool:
      return scalar.integer != 0 ? "true" : "false";
    case YamlType::kInt:
      return "int " + std::to_string(scalar.integer);
    case YamlType::kUint:
      return "uint " + std::to_string(scalar.unsigned_integer);
    case YamlType::kFloat:
      return "float " + FormatYamlFloat(scalar.number);
    case YamlType::kTimestamp:
      return "timestamp";
    case YamlType::kString:
      return "string";
  }
  return "?";
}

struct Case {
  std::string_view text;
  std::string_view meaning;
};

void ExpectMeanings(std::initializer_list<Case> cases) {
  for (const Case& c : cases) EXPECT_EQ(Describe(c.text), c.meaning) << "`" << c.text << "`";
}

TEST(YamlResolveTest, ReadsTheWordsOfYaml11) {
  ExpectMeanings({
      {"", "null"},      {"~", "null"},      {"null", "null"},   {"Null", "null"},
      {"NULL", "null"},  {"nULL", "string"}, {"true", "true"},   {"True", "true"},
      {"TRUE", "true"},  {"tRue", "string"}, {"yes", "true"},    {"Yes", "true"},
      {"YES", "true"},   {"on", "true"},     {"On", "true"},     {"y", "true"},
      {"Y", "true"},     {"n", "false"},     {"N", "false"},     {"no", "false"},
      {"off", "false"},  {"OFF", "false"},   {"False", "false"}, {"yess", "string"},
      {"nil", "string"}, {"<<", "string"},   {"=", "string"},    {"nginx", "string"},
  });
}

TEST(YamlResolveTest, ReadsIntegersOfEveryBase) {
  ExpectMeanings({
      {"0", "int 0"},
      {"-0", "int 0"},
      {"12", "int 12"},
      {"+12", "int 12"},
      {"-12", "int -12"},
      {"1_000", "int 1000"},
      {"1__0_", "int 10"},
      {"_1", "string"},
      {"0777", "int 511"},
      {"-0777", "int -511"},
      {"0o17", "int 15"},
      {"0O17", "int 15"},
      {"0x1F", "int 31"},
      {"-0xff", "int -255"},
      {"0X_ff", "int 255"},
      {"0x", "string"},
      {"0xg", "string"},
      {"0b101", "int 5"},
      {"-0b101", "int -5"},
      {"0b-101", "int -5"},
      {"0b+101", "int 5"},
      {"-0b-101", "string"},
      {"0b102", "string"},
      {"08", "float 8"},
      {"-", "string"},
      {"+_", "string"},
      {"1a", "string"},
      {"12e03", "float 12000"},
      {"9223372036854775807", "int 9223372036854775807"},
      {"-9223372036854775808", "int -9223372036854775808"},
      {"9223372036854775808", "uint 9223372036854775808"},
      {"18446744073709551615", "uint 18446744073709551615"},
      {"+9223372036854775808", "float 9.223372036854776e+18"},
      {"18446744073709551616", "float 1.8446744073709552e+19"},
      {"-9223372036854775809", "float -9.223372036854776e+18"},
      {"0xffffffffffffffff", "uint 18446744073709551615"},
      {"0xfffffffffffffffff", "string"},
  });
}

TEST(YamlResolveTest, ReadsFloats) {
  ExpectMeanings({
      {"1.5", "float 1.5"},
      {"1.", "float 1"},
      {".5", "float 0.5"},
      {"-.5", "float -0.5"},
      {"+.5e1", "float 5"},
      {".", "string"},
      {".e1", "string"},
      {"1e", "string"},
      {"1e+", "string"},
      {"1e3", "float 1000"},
      {"1E-7", "float 1e-07"},
      {"1_0.5_0", "float 10.5"},
      {".5_0", "string"},
      {"1.2.3", "string"},
      {"1e400", "string"},
      {"1e-400", "float 0"},
      {"-1e-400", "float -0"},
      {"1e99999999999999999999", "string"},
      {"1e-99999999999999999999", "float 0"},
      {"0e99999999999999999999", "float 0"},
      {".inf", "float .inf"},
      {"+.Inf", "float .inf"},
      {"-.INF", "float -.inf"},
      {".nan", "float .nan"},
      {".NaN", "float .nan"},
      {"inf", "string"},
      {"+.nan", "string"},
      {"-0.0", "float -0"},
  });
}

TEST(YamlResolveTest, TellsTimestampsFromOtherStrings) {
  ExpectMeanings({
      {"2001-01-01", "timestamp"},
      {"2001-1-2", "timestamp"},
      {"2001-02-29", "string"},
      {"2000-02-29", "timestamp"},
      {"1900-02-29", "string"},
      {"2001-13-01", "string"},
      {"2001-00-01", "string"},
      {"2001-04-31", "string"},
      {"2001-01-01T10:20:30Z", "timestamp"},
      {"2001-01-01t10:20:30.123456789012Z", "timestamp"},
      {"2001-01-01T10:20:30,5+01:00", "timestamp"},
      {"2001-01-01T10:20:30", "string"},
      {"2001-01-01T24:00:00Z", "string"},
      {"2001-01-01T10:60:00Z", "string"},
      {"2001-01-01T10:20:30+24:60", "timestamp"},
      {"2001-01-01T10:20:30+25:00", "string"},
      {"2001-01-01T10:20:30+0100", "string"},
      {"2001-01-01 10:20:30", "timestamp"},
      {"2001-01-01   1:2:3.5", "timestamp"},
      {"2001-01-01 10:20:30Z", "string"},
      {"2001-01-01 ", "string"},
      {"2001-01", "string"},
      {"20010-01-01", "string"},
  });
}

TEST(YamlResolveTest, KnowsNumbersInBase60) {
  for (std::string_view text : {"12:30", "1:2:3", "-1_0:59.5_", "+0:0.", "100:00:05"}) {
    EXPECT_TRUE(IsYamlBase60(text)) << text;
  }
  for (std::string_view text : {"", "-", ":30", "12", "12:", "12:60", "12:5a", "1.5:30", "a:30",
                                "12:30:", "12:300", "_1:30"}) {
    EXPECT_FALSE(IsYamlBase60(text)) << text;
  }
}

TEST(YamlResolveTest, PrintsFloatsAsGoDoes) {
  EXPECT_EQ(FormatYamlFloat(0.0), "0");
  EXPECT_EQ(FormatYamlFloat(0.1), "0.1");
  EXPECT_EQ(FormatYamlFloat(-1234.5), "-1234.5");
  EXPECT_EQ(FormatYamlFloat(100000.0), "100000");
  EXPECT_EQ(FormatYamlFloat(1000000.0), "1e+06");
  EXPECT_EQ(FormatYamlFloat(1234567.5), "1.2345675e+06");
  EXPECT_EQ(FormatYamlFloat(0.0001), "0.0001");
  EXPECT_EQ(FormatYamlFloat(0.00001), "1e-05");
  EXPECT_EQ(FormatYamlFloat(1e300), "1e+300");
  EXPECT_EQ(FormatYamlFloat(0.1f), "0.1");
  EXPECT_EQ(FormatYamlFloat(std::nan("")), ".nan");
}

}  // namespace
}  // namespace skiff::object
