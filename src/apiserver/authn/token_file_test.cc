#include "apiserver/authn/token_file.h"

#include <gtest/gtest.h>

#include "apiserver/authn/csv.h"
#include "serving/auth/testing.h"

namespace skiff::apiserver {
namespace {

using testing::AskToken;
using Outcome = serving::Authentication::Outcome;

constexpr char kTokens[] = "secret,ann,17,\"dev,ops\"\nother,bob,18\n";

TEST(TokenFileTest, RecordsBecomeUsers) {
  const auto file = TokenFile::Parse(kTokens, "t.csv").value();
  const serving::Authentication ann = AskToken(*file, "secret");
  EXPECT_EQ(ann.user.uid, "17");
  EXPECT_EQ(ann.user.groups, (std::vector<std::string>{"dev", "ops"}));
  EXPECT_TRUE(AskToken(*file, "other").user.groups.empty());
  EXPECT_EQ(AskToken(*file, "nobody").outcome, Outcome::kNoCredentials);
}

TEST(TokenFileTest, EmptyTokensAreSkippedAndTheLastOfADuplicateCounts) {
  const auto file = TokenFile::Parse(",x,1\nt,a,1\r\n\nt,b,2", "t.csv").value();
  EXPECT_EQ(file->warnings().size(), 2u);
  EXPECT_EQ(AskToken(*file, "t").user.name, "b");
  EXPECT_EQ(AskToken(*file, "").outcome, Outcome::kNoCredentials);
}

TEST(TokenFileTest, ABadFileIsAClearErrorWithoutItsSecrets) {
  const auto short_record = TokenFile::Parse("t0psecret,ann\n", "/etc/tokens.csv");
  ASSERT_FALSE(short_record.has_value());
  EXPECT_EQ(short_record.error().message(),
            "token file '/etc/tokens.csv' must have at least 3 columns (token, user name, user "
            "uid), found 2");
  const auto bad_quote = TokenFile::Parse("a,b,c\nt0p\"secret,ann,1\n", "f");
  ASSERT_FALSE(bad_quote.has_value());
  EXPECT_EQ(bad_quote.error().message(),
            "token file 'f': parse error on line 2, column 4: bare \" in non-quoted field");
  const auto missing = TokenFile::Load("/does/not/exist");
  ASSERT_FALSE(missing.has_value());
  EXPECT_EQ(missing.error().message(), "open /does/not/exist: No such file or directory");
}

TEST(CsvTest, QuotedFieldsMayHoldQuotesCommasAndLineEnds) {
  const auto records = ParseCsv("\"a\"\"b\",\"c,d\"\r\n\n\"x\ny\",,z\n").value();
  ASSERT_EQ(records.size(), 2u);
  EXPECT_EQ(records[0], (std::vector<std::string>{"a\"b", "c,d"}));
  EXPECT_EQ(records[1], (std::vector<std::string>{"x\ny", "", "z"}));
  EXPECT_FALSE(ParseCsv("\"a\"b,c\n").has_value());
  EXPECT_FALSE(ParseCsv("\"a,b\n").has_value());
  EXPECT_EQ(ParseCsv("a,\n").value()[0], (std::vector<std::string>{"a", ""}));
}

}  // namespace
}  // namespace skiff::apiserver
