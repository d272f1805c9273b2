#include "cli/common/diagnostics.h"

#include <gtest/gtest.h>

#include "base/utf8.h"
#include "object/json/text.h"

namespace skiff::cli {
namespace {

TEST(DiagnosticsTest, OnlyPrintableTextReachesATerminal) {
  EXPECT_EQ(Printable("größe: unknown field"), "größe: unknown field");
  EXPECT_EQ(Printable("a\x1b[31m\r\n\tb\x7f"), "a\\x1b[31m\\x0d\\x0a\\x09b\\x7f");
  EXPECT_EQ(Printable("\xc2\x9b"
                      "31m"),
            "\\xc2\\x9b31m");                      // a control character of two bytes
  EXPECT_EQ(Printable("\xff\xc3"), "\\xff\\xc3");  // not UTF-8
  EXPECT_EQ(Printable(""), "");
}

TEST(DiagnosticsTest, LongTextKeepsBothEnds) {
  std::string text = "pod.yaml:1:1: ";
  for (int i = 0; i < 2000; ++i) text += "ä";
  const std::string shown = Printable(text + ": unknown field");
  EXPECT_LE(shown.size(), 1003u);
  EXPECT_TRUE(shown.starts_with("pod.yaml:1:1: ää"));
  EXPECT_TRUE(shown.ends_with("ää: unknown field"));
  EXPECT_TRUE(IsValidUtf8(shown));  // no character was cut in two
}

}  // namespace
}  // namespace skiff::cli
