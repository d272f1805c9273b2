#include "cel/values/format.h"

#include <cmath>

#include <gtest/gtest.h>

#include "cel/values/numbers.h"

namespace skiff::cel {
namespace {

// Every argument is a name; a clause writes it with its verb and precision.
Result<std::string> Show(std::string_view format, size_t arguments,
                         FormatUse use = FormatUse::kRun) {
  std::string out;
  const Result<size_t> used = FormatText(
      format, arguments, use,
      [](size_t index, const FormatClause& clause, std::string& text) -> Result<void> {
        if (clause.verb == FormatVerb::kOctal) {
          return BadRequest(FormatTypeFault(clause.verb, "double"));
        }
        text += std::to_string(index) + ":" + std::to_string(static_cast<int>(clause.verb)) + ":" +
                std::to_string(clause.precision);
        return {};
      },
      out);
  if (!used) return std::unexpected(used.error());
  return out + "|" + std::to_string(*used);
}

std::string ErrorOf(const Result<std::string>& result) {
  return result ? "no error" : result.error().message();
}

std::string Fixed(double value, int64_t precision = kDefaultPrecision) {
  std::string out;
  AppendFixed(value, precision, out);
  return out;
}

std::string Scientific(double value, int64_t width = kDefaultPrecision) {
  std::string out;
  AppendScientific(value, width, out);
  return out;
}

template <typename T>
std::string InBase(T value, int base, bool upper = false) {
  std::string out;
  AppendInBase(value, base, upper, out);
  return out;
}

TEST(CelFormatTest, ClausesAskForOneArgumentEach) {
  EXPECT_EQ(Show("", 0), "|0");
  EXPECT_EQ(Show("100%%", 0), "100%|0");
  EXPECT_EQ(Show("a %s b %.3f%X", 3), "a 0:0:6 b 1:2:32:6:6|3");
}

TEST(CelFormatTest, FaultsOfTheTextAreNamed) {
  EXPECT_EQ(ErrorOf(Show("%s%s", 1)), "index 1 out of range");
  EXPECT_EQ(ErrorOf(Show("%", 0)), "index 0 out of range");
  EXPECT_EQ(ErrorOf(Show("%", 0, FormatUse::kCheck)), "unexpected end of string");
  EXPECT_EQ(ErrorOf(Show("%z", 1)),
            "could not parse formatting clause: unrecognized formatting clause \"z\"");
  EXPECT_EQ(ErrorOf(Show("%é", 1)),
            "could not parse formatting clause: unrecognized formatting clause \"Ã\"");
  EXPECT_EQ(ErrorOf(Show("%.f", 1)),
            "could not parse formatting clause: error while parsing precision: error while "
            "converting precision to integer: strconv.Atoi: parsing \"\": invalid syntax");
  EXPECT_EQ(ErrorOf(Show("%.3", 1)),
            "could not parse formatting clause: error while parsing precision: could not find end "
            "of precision specifier");
  EXPECT_EQ(ErrorOf(Show("%o", 1)),
            "error during formatting: octal clause can only be used on integers, was given double");
}

TEST(CelFormatTest, FixedPointNumbersAreGrouped) {
  EXPECT_EQ(Fixed(1.5), "1.500000");
  EXPECT_EQ(Fixed(1234567.891, 2), "1,234,567.89");
  EXPECT_EQ(Fixed(-999.999, 2), "-1,000.00");
  EXPECT_EQ(Fixed(2.5, 0), "2");
  EXPECT_EQ(Fixed(3.5, 0), "4");
  EXPECT_EQ(Fixed(0.25, 1), "0.2");
  EXPECT_EQ(Fixed(-0.0), "0.000000");
  EXPECT_EQ(Fixed(-0.001, 2), "-0.00");
  EXPECT_EQ(Fixed(std::nan("")), "NaN");
  EXPECT_EQ(Fixed(-HUGE_VAL), "-∞");
  EXPECT_EQ(Fixed(*DoubleForFormat("Infinity")), "∞");
  EXPECT_EQ(DoubleForFormat("1.5"), std::nullopt);
}

TEST(CelFormatTest, HugePrecisionsAreCutAsGoCutsThem) {
  EXPECT_EQ(Fixed(1052.5, 256), "1,052.5");
  EXPECT_EQ(Fixed(1052.5, 65538), "1,052.50");
  EXPECT_EQ(Fixed(1052.032911275, 32768), "1,052.032911275");
  EXPECT_EQ(Fixed(5e-324, 32767).size(), 1076u);
  EXPECT_EQ(Fixed(1, 10'000'010), "%!(NOVERB)");
}

TEST(CelFormatTest, ScientificNumbersHaveAWidth) {
  EXPECT_EQ(Scientific(1052.032911275), "1.052033×10⁰³");
  EXPECT_EQ(Scientific(1052.032911275, 3), "1.052033×10⁰³");
  EXPECT_EQ(Scientific(-5e-324, 20), "    -4.940656×10⁻³²⁴");
  EXPECT_EQ(Scientific(0.0), "0.000000×10⁰⁰");
  EXPECT_EQ(Scientific(HUGE_VAL), "     ∞");
}

TEST(CelFormatTest, IntegersAreWrittenInAnyBase) {
  EXPECT_EQ(InBase(int64_t{-5}, 2), "-101");
  EXPECT_EQ(InBase(int64_t{-255}, 16), "-ff");
  EXPECT_EQ(InBase(uint64_t{255}, 16, true), "FF");
  EXPECT_EQ(InBase(std::numeric_limits<int64_t>::min(), 10), "-9223372036854775808");
  EXPECT_EQ(InBase(int64_t{8}, 8), "10");
  std::string out;
  AppendHexBytes("\xde\xad", true, out);
  EXPECT_EQ(out, "DEAD");
}

TEST(CelFormatTest, ItemsAreLiterals) {
  std::string out;
  AppendStringItem("a\"b", out);
  AppendBytesItem("a", out);
  AppendDoubleItem(-1.5, out);
  AppendDoubleItem(HUGE_VAL, out);
  AppendTimestampItem("2023-02-03T23:31:20Z", out);
  AppendDurationItem("1.5s", out);
  EXPECT_EQ(out, R"("a\"b"b"a"-1.500000"+Inf"timestamp("2023-02-03T23:31:20Z")duration("1.5s"))");
  EXPECT_EQ(FormatItemFault("net.IP"), "no formatting function for net.IP");
}

}  // namespace
}  // namespace skiff::cel
