#include "cli/common/flags.h"

#include <gtest/gtest.h>

#include "base/suggest.h"

namespace skiff::cli {
namespace {

enum class Colour { kNone, kRed, kBlue };
constexpr FlagChoice<Colour> kColours[] = {{"red", Colour::kRed}, {"blue", Colour::kBlue}};

// A set with one flag of each sort.
struct Options {
  Colour colour = Colour::kRed;
  Colour needed = Colour::kNone;
  std::string output;
  size_t limit = 64 * 1024;
  bool quiet = false;
  bool verbose = false;
  std::vector<std::string> files;

  FlagSet Flags() {
    FlagSet flags;
    flags.Add({.name = "colour",
               .placeholder = "NAME",
               .help = "the colour",
               .value = OneOf(&colour, kColours)});
    flags.Add({.name = "needed",
               .placeholder = "NAME",
               .help = "the other colour",
               .required = true,
               .value = OneOf(&needed, kColours)});
    flags.Add({.name = "output",
               .letter = 'o',
               .placeholder = "FILE",
               .help = "where to",
               .value = Text(&output)});
    flags.Add(
        {.name = "limit", .placeholder = "BYTES", .help = "how much", .value = ByteCount(&limit)});
    flags.Add({.name = "quiet", .letter = 'q', .help = "say less", .value = Switch(&quiet)});
    flags.Add({.name = "verbose", .letter = 'v', .help = "say more", .value = Switch(&verbose)});
    flags.Take({.placeholder = "FILE", .max = 3, .target = &files});
    return flags;
  }

  // The error, or "".
  std::string Parse(std::vector<std::string_view> words) {
    const Result<void> parsed = Flags().Parse(words);
    return parsed ? "" : parsed.error().message();
  }
};

TEST(FlagsTest, NumbersAreWholeAndNotTooSmall) {
  int64_t number = 7;
  const FlagValue value = WholeNumber(&number, 0);
  EXPECT_EQ(value.default_text, "7");
  for (const char* wrong : {"", "x", "1.5", "1Ki", " 1", "-1", "99999999999999999999"}) {
    EXPECT_FALSE(value.set(wrong)) << wrong;
  }
  EXPECT_EQ(number, 7);
  EXPECT_TRUE(value.set("0"));
  EXPECT_EQ(number, 0);
  EXPECT_TRUE(value.set("9223372036854775807"));
  EXPECT_EQ(number, INT64_MAX);
}

TEST(FlagsTest, ListsAreSeparatedByCommas) {
  std::vector<std::string> words;
  const FlagValue value = TextList(&words);
  EXPECT_TRUE(value.set("a, b,c"));
  EXPECT_EQ(words, (std::vector<std::string>{"a", "b", "c"}));
  for (const char* wrong : {"", ",", "a,", "a,,b"}) EXPECT_FALSE(value.set(wrong)) << wrong;
  EXPECT_TRUE(value.set("d"));
  EXPECT_EQ(words, std::vector<std::string>{"d"});
}

TEST(FlagsTest, ValuesFollowTheirNameOrAnEqualsSign) {
  Options options;
  EXPECT_EQ(options.Parse({"--colour", "blue", "--output=a=b", "--limit", "1.5Ki"}), "");
  EXPECT_EQ(options.colour, Colour::kBlue);
  EXPECT_EQ(options.output, "a=b");
  EXPECT_EQ(options.limit, 1536u);
}

TEST(FlagsTest, LettersTakeTheirValueInThreeWays) {
  for (const std::vector<std::string_view>& words :
       {std::vector<std::string_view>{"-o", "x"}, {"-ox"}, {"-o=x"}, {"-qox"}, {"-qo", "x"}}) {
    Options options;
    EXPECT_EQ(options.Parse(words), "");
    EXPECT_EQ(options.output, "x");
  }
}

TEST(FlagsTest, SwitchesNeedNoValueAndTakeOneOnlyWithAnEqualsSign) {
  Options options;
  EXPECT_EQ(options.Parse({"-qv", "--quiet=false", "--verbose", "false"}), "");
  EXPECT_FALSE(options.quiet);
  EXPECT_TRUE(options.verbose);
  EXPECT_EQ(options.files, std::vector<std::string>{"false"});
  EXPECT_EQ(options.Parse({"--quiet=perhaps"}), "--quiet: \"perhaps\" is neither true nor false");
}

TEST(FlagsTest, TheLastValueCounts) {
  Options options;
  EXPECT_EQ(options.Parse({"--colour=blue", "-o", "a", "--colour", "red", "-ob"}), "");
  EXPECT_EQ(options.colour, Colour::kRed);
  EXPECT_EQ(options.output, "b");
}

TEST(FlagsTest, ArgumentsStandAnywhereAndEverythingAfterTwoDashesIsOne) {
  Options options;
  EXPECT_EQ(options.Parse({"a", "--colour", "blue", "-", "--", "--colour"}), "");
  EXPECT_EQ(options.files, (std::vector<std::string>{"a", "-", "--colour"}));
}

TEST(FlagsTest, AValueMayLookLikeAFlag) {
  Options options;
  EXPECT_EQ(options.Parse({"--output", "--quiet", "-o", "--"}), "");
  EXPECT_EQ(options.output, "--");
  EXPECT_FALSE(options.quiet);
}

TEST(FlagsTest, FaultsNameTheFlagAndWhatWouldBeRight) {
  Options options;
  EXPECT_EQ(options.Parse({"--color=red"}), "unknown flag \"--color\"; did you mean --colour?");
  EXPECT_EQ(options.Parse({"--nothing-like-it"}), "unknown flag \"--nothing-like-it\"");
  EXPECT_EQ(options.Parse({"-qx"}), "unknown flag \"-x\"");
  EXPECT_EQ(options.Parse({"--colour", "blu"}),
            "--colour: \"blu\" is not one of red or blue; did you mean blue?");
  EXPECT_EQ(options.Parse({"--output"}), "--output needs a value: -o, --output FILE");
  EXPECT_EQ(options.Parse({"-qo"}), "-o needs a value: -o, --output FILE");
  EXPECT_EQ(options.Parse({"--limit=0"}), "--limit: \"0\" is not a positive number");
  EXPECT_EQ(options.Parse({"1", "2", "3", "4"}),
            "unexpected argument \"4\": at most 3 FILE can be given");
  EXPECT_EQ(options.Parse({"---"}), "unknown flag \"---\"");
  EXPECT_EQ(options.Parse({"--=x"}), "unknown flag \"--\"");
}

TEST(FlagsTest, RequiredFlagsMustBeGiven) {
  Options options;
  FlagSet flags = options.Flags();
  ASSERT_TRUE(flags.Parse({}));
  EXPECT_EQ(flags.CheckComplete().error().message(), "--needed is missing: red or blue");
  const std::string_view words[] = {"--needed=red"};
  ASSERT_TRUE(flags.Parse(words));
  EXPECT_TRUE(flags.CheckComplete());
}

TEST(FlagsTest, HelpComesFromTheDeclaration) {
  Options options;
  EXPECT_EQ(options.Flags().Synopsis(), "--needed NAME [flags] [FILE...]");
  EXPECT_EQ(options.Flags().HelpText(),
            "      --colour NAME  the colour: red or blue (default red)\n"
            "      --needed NAME  the other colour: red or blue (required)\n"
            "  -o, --output FILE  where to\n"
            "      --limit BYTES  how much (default 64Ki)\n"
            "  -q, --quiet        say less\n"
            "  -v, --verbose      say more\n");
}

TEST(FlagsTest, TextWrapsBetweenWords) {
  EXPECT_EQ(WrapText("one two three", 7, 2), "one two\n  three");
  EXPECT_EQ(WrapText("unbreakable is", 4, 1), "unbreakable\n is");
  EXPECT_EQ(WrapText("a\n\nb", 10, 0), "a\n\nb");
  EXPECT_EQ(WrapText("", 10, 0), "");
}

TEST(SuggestTest, CountsInsertionsRemovalsChangesAndSwaps) {
  EXPECT_EQ(EditDistance("", "abc"), 3u);
  EXPECT_EQ(EditDistance("abc", "abc"), 0u);
  EXPECT_EQ(EditDistance("abc", "acb"), 1u);
  EXPECT_EQ(EditDistance("kitten", "sitting"), 3u);
}

TEST(SuggestTest, OnlyLikelySlipsAreSuggested) {
  const std::string_view names[] = {"convert", "completion", "help"};
  EXPECT_EQ(ClosestName("convret", names), "convert");
  EXPECT_EQ(ClosestName("CONVERT", names), "convert");
  EXPECT_EQ(ClosestName("hlp", names), "help");
  EXPECT_EQ(ClosestName("apply", names), "");
  EXPECT_EQ(ClosestName("", names), "");
  EXPECT_EQ(ClosestName(std::string(100'000, 'c'), names), "");
}

}  // namespace
}  // namespace skiff::cli
