#include "serving/request/accept.h"

#include <string>

#include <gtest/gtest.h>

#include "base/limits.h"

namespace skiff::serving {
namespace {

// "type/subtype(name=value)@q" of each range.
std::string Read(std::string_view header) {
  std::string out;
  for (const MediaRange& range : ParseAccept(header)) {
    if (!out.empty()) out += ' ';
    out.append(range.type).append("/").append(range.subtype);
    for (const auto& [name, value] : range.parameters) {
      out.append("(").append(name).append("=").append(value).append(")");
    }
    if (range.q != 1) out.append("@").append(std::to_string(range.q).substr(0, 4));
  }
  return out;
}

TEST(AcceptTest, AnEmptyHeaderGivesNothing) { EXPECT_EQ(Read(""), ""); }

TEST(AcceptTest, KeepsParametersAsWritten) {
  EXPECT_EQ(Read("application/json;as=Table;v=v1;g=meta.k8s.io, application/json"),
            "application/json(as=Table)(v=v1)(g=meta.k8s.io) application/json");
  EXPECT_EQ(Read("application/json; as = Table ;q=0.5"), "application/json(as=Table)@0.50");
  EXPECT_EQ(Read("text/plain;charset=\"utf-8\""), "text/plain(charset=\"utf-8\")");
}

TEST(AcceptTest, HigherQualityGoesFirst) {
  EXPECT_EQ(Read("text/html;q=0.7, application/json;q=0.9, application/yaml"),
            "application/yaml application/json@0.90 text/html@0.70");
}

TEST(AcceptTest, EqualOnesKeepTheirOrder) {
  EXPECT_EQ(Read("application/yaml,application/json"), "application/yaml application/json");
}

TEST(AcceptTest, SpecificRangesPassWildcardsWhateverTheQuality) {
  EXPECT_EQ(Read("*/*, application/*, application/json"), "application/json application/* */*");
  EXPECT_EQ(Read("*/*, application/json;q=0.5"), "application/json@0.50 */*");
  EXPECT_EQ(Read("application/json;q=0.5, */*"), "*/* application/json@0.50");
}

TEST(AcceptTest, LeavesOutWhatIsNoMediaRange) {
  EXPECT_EQ(Read("nonsense, a/b/c, application/, ,,application/json"), "application/json");
  EXPECT_EQ(Read("*"), "*/*");
  EXPECT_EQ(Read("*/"), "*/*");
}

TEST(AcceptTest, SkipsParametersThatAreNone) {
  EXPECT_EQ(Read("application/json;as;v=;x=1=2;g=apps"), "application/json(g=apps)");
}

TEST(AcceptTest, AQualityThatIsNoNumberIsZero) {
  EXPECT_EQ(Read("application/json;q=high"), "application/json@0.00");
  EXPECT_EQ(Read("application/json;q= 1"), "application/json@0.00");
}

TEST(AcceptTest, TheLastParameterOfANameCounts) {
  EXPECT_EQ(ParseAccept("a/b;v=1;v=2").front().Parameter("v"), "2");
  EXPECT_EQ(ParseAccept("a/b;v=1;v=2").front().Parameter("g"), "");
}

TEST(AcceptTest, RangesCoverMediaTypes) {
  const auto covers = [](std::string_view header, std::string_view type) {
    return ParseAccept(header).front().Covers(type);
  };
  EXPECT_TRUE(covers("application/json;v=v1", "application/json"));
  EXPECT_TRUE(covers("application/*", "application/json"));
  EXPECT_TRUE(covers("*/*", "application/json"));
  EXPECT_FALSE(covers("*/json", "application/json"));
  EXPECT_FALSE(covers("text/*", "application/json"));
  EXPECT_FALSE(covers("application/yaml", "application/json"));
}

TEST(AcceptTest, LongHeadersAreCutOff) {
  std::string header;
  for (int i = 0; i < 10'000; ++i) header += "a/b,";
  EXPECT_EQ(ParseAccept(header).size(), limits::kMaxAcceptRanges);
  header = "a/b";
  for (int i = 0; i < 10'000; ++i) header += ";x=y";
  EXPECT_EQ(ParseAccept(header).front().parameters.size(), limits::kMaxAcceptParameters);
}

}  // namespace
}  // namespace skiff::serving
