#include "object/scalar/names.h"

#include <gtest/gtest.h>

namespace skiff::object {
namespace {

struct Syntax {
  const char* name;
  bool (*is)(std::string_view);
  NameProblems (*check)(std::string_view);
  std::vector<std::string> good;
  std::vector<std::string> bad;
};

std::string Times(size_t count, char c) { return std::string(count, c); }

// A subdomain of this many bytes, in labels that are not too long.
std::string Subdomain(size_t size) {
  std::string text = Times(size, 'a');
  for (size_t i = 50; i + 1 < size; i += 51) text[i] = '.';
  return text;
}

std::vector<Syntax> DnsSyntaxes() {
  return {
      {"DNS-1123 label",
       IsDns1123Label,
       CheckDns1123Label,
       {"a", "ab", "abc", "a1", "a-1", "a--1--2--b", "0", "01", "012", "1a", "1-a", Times(63, 'a')},
       {"",  "A",  "ABC", "aBc", "A1", "1-", "-",  "-1",  "a-",  "_",      "a_",          "a_b",
        ".", "a.", ".a",  "a.b", " ",  "a ", " a", "a b", "a\n", "\u00e9", Times(64, 'a')}},
      {"DNS-1035 label",
       IsDns1035Label,
       CheckDns1035Label,
       {"a", "ab", "a1", "a-1", "a--1--2--b", Times(63, 'a')},
       {"", "0", "01", "1a", "1-a", "A", "aBc", "-a", "a-", "a.b", "a_b", "a b", Times(64, 'a')}},
      {"DNS-1123 subdomain",
       IsDns1123Subdomain,
       CheckDns1123Subdomain,
       {"a", "a1", "0", "a.a", "a.b.c.d", "0.1.2", "a-1.b--2", "example.com", Subdomain(253),
        Times(253, 'a')},
       {"", "A", "a.B", "-", "a-", "-a", ".", "a.", ".a", "a..b", "a.-b", "a-.b", "_a", "a_b",
        "a b", "a/b", "*.a", Subdomain(254)}},
      {"DNS-1123 subdomain of either case",
       IsDns1123SubdomainCaseless,
       CheckDns1123SubdomainCaseless,
       {"A", "a.B", "Example.COM"},
       {"", "A-", ".A", "A..B", "A_B", Subdomain(254)}},
      {"DNS-1123 subdomain with underscores",
       IsDns1123SubdomainWithUnderscore,
       CheckDns1123SubdomainWithUnderscore,
       {"a", "_a", "_tcp.example.com", "a_b.c", "_a._b", "a.b"},
       {"", "_", "a_", "__a", "A", "a..b", "_.a", "-a", Subdomain(254)}},
      {"wildcard DNS-1123 subdomain",
       IsWildcardDns1123Subdomain,
       CheckWildcardDns1123Subdomain,
       {"*.a", "*.example.com"},
       {"", "*", "*.", "a", "*a.b", "a.*", "*.*.a", "**.a", "*.A", "*.a.", "*." + Subdomain(253)}},
  };
}

std::vector<Syntax> KeySyntaxes() {
  return {
      {"qualified name",
       IsQualifiedName,
       CheckQualifiedName,
       {"simple", "now-with-dashes", "1-starts-with-num", "1234", "simple/simple", "UpperCase",
        "with_underscore", "with.dot", "example.com/MyName", "1.2.3.4/5678", Times(63, 'a'),
        Subdomain(253) + "/" + Times(63, 'a')},
       {"",
        "/",
        "/a",
        "a/",
        "a/b/c",
        "-a",
        "a-",
        "_a",
        "a_",
        ".a",
        "a.",
        "a b",
        "a/b c",
        "A/b",
        "a$",
        "a_b/c",
        "only/one/slash",
        Times(64, 'a'),
        Subdomain(254) + "/a",
        "\u00e9"}},
      {"label value",
       IsLabelValue,
       CheckLabelValue,
       {"", "a", "A", "simple", "now-with-dashes", "1-starts-with-num", "end-with-num-1", "1234",
        "UpperCase", "a_b.c-d", Times(63, 'a')},
       {"nospecial@%^", " ", "a b", "-a", "a-", ".", "_", "a/b", Times(64, 'a'), "\u00e9"}},
      {"annotation key",
       IsAnnotationKey,
       CheckAnnotationKey,
       {"simple", "Example.COM/Name", "UPPER/case"},
       {"", "a b", "Example.COM/", "a/b/c", "-A"}},
      {"path segment",
       IsPathSegmentName,
       CheckPathSegmentName,
       {"", "a", "...", "a.b", "system:node:x", "a b", "UPPER"},
       {".", "..", "a/b", "/", "%", "a%20b"}},
      {"port name",
       IsPortName,
       CheckPortName,
       {"a", "http", "dns-tcp", "1a", "a1", "0a0", "abcdefghijklmno"},
       {"", "1", "80", "-", "a-", "-a", "a--b", "A", "aB", "a_b", "a.b", "abcdefghijklmnop"}},
      {"config map key",
       IsConfigMapKey,
       CheckConfigMapKey,
       {"a", "good", "good-good", "still.good", "_yes", ".hidden", "-", "a..b", "KEY_NAME",
        Times(253, 'a')},
       {"", ".", "..", "..a", "...", "a b", "a/b", "a$", "\u00e9", Times(254, 'a')}},
  };
}

std::vector<Syntax> OtherSyntaxes() {
  return {
      {"C identifier",
       IsCIdentifier,
       CheckCIdentifier,
       {"a", "_", "_a1", "MY_NAME", "a__b"},
       {"", "1", "1a", "a-b", "a.b", "a b", "\u00e9"}},
      {"environment variable",
       IsEnvVarName,
       CheckEnvVarName,
       {"a", "my.env-name", "MY_ENV.NAME", "_", "-", ".a"},
       {"", "1a", ".", "..", "..a", "a=b", "a b", "a$", "\u00e9"}},
      {"relaxed environment variable",
       IsRelaxedEnvVarName,
       CheckRelaxedEnvVarName,
       {"1", "..", "a b", " ", "~!@#$%^&*()", "-"},
       {"", "=", "a=b", "\t", "a\n", "\x7f", "\u00e9"}},
      {"HTTP header",
       IsHttpHeaderName,
       CheckHttpHeaderName,
       {"X-Header-Name", "a", "-", "1"},
       {"", "a b", "a_b", "a:", "\u00e9"}},
      {"percentage",
       IsPercent,
       CheckPercent,
       {"0%", "10%", "999%"},
       {"", "%", "10", "-1%", "1.5%", "10%%", "%10"}},
      {"domain-prefixed path",
       IsDomainPrefixedPath,
       CheckDomainPrefixedPath,
       {"acme.io/foo", "a/b/c", "a.b/c~%20!$&'()*+,;=:"},
       {"", "a", "/", "a/", "/b", "A/b", "a/b c", "a/b?c", "a/\u00e9"}},
  };
}

class NamesTest : public testing::TestWithParam<Syntax> {};

TEST_P(NamesTest, AcceptsTheGoodAndExplainsTheBad) {
  const Syntax& syntax = GetParam();
  for (const std::string& text : syntax.good) {
    EXPECT_TRUE(syntax.is(text)) << syntax.name << ": " << text;
    EXPECT_TRUE(syntax.check(text).empty()) << syntax.name << ": " << text;
  }
  for (const std::string& text : syntax.bad) {
    EXPECT_FALSE(syntax.is(text)) << syntax.name << ": " << text;
    EXPECT_FALSE(syntax.check(text).empty()) << syntax.name << ": " << text;
  }
}

INSTANTIATE_TEST_SUITE_P(Dns, NamesTest, testing::ValuesIn(DnsSyntaxes()));
INSTANTIATE_TEST_SUITE_P(Keys, NamesTest, testing::ValuesIn(KeySyntaxes()));
INSTANTIATE_TEST_SUITE_P(Others, NamesTest, testing::ValuesIn(OtherSyntaxes()));

TEST(NameProblemsTest, ShortTextsAreThoseThatClientsKnow) {
  EXPECT_EQ(CheckDns1123Label("a.b"), NameProblems{"must not contain dots"});
  EXPECT_EQ(CheckDns1123Label(Times(64, 'a')), NameProblems{"must be no more than 63 characters"});
  EXPECT_EQ(CheckLabelValue(Times(64, 'a')), NameProblems{"must be no more than 63 bytes"});
  EXPECT_EQ(CheckQualifiedName(Times(64, 'a')),
            NameProblems{"name part must be no more than 63 bytes"});
  EXPECT_EQ(CheckQualifiedName("/a"), NameProblems{"prefix part must be non-empty"});
  EXPECT_EQ(CheckQualifiedName("")[0], "name part must be non-empty");
  EXPECT_EQ(CheckPathSegmentName("."), NameProblems{"may not be '.'"});
  EXPECT_EQ(CheckPathSegmentName("a/%"),
            (NameProblems{"may not contain '/'", "may not contain '%'"}));
  EXPECT_EQ(CheckPathSegmentPrefix(".."), NameProblems{});
  EXPECT_EQ(CheckConfigMapKey("..a"), NameProblems{"must not start with '..'"});
  EXPECT_EQ(CheckPortName("80"), NameProblems{"must contain at least one letter (a-z)"});
  EXPECT_EQ(CheckPortName("a--b"), NameProblems{"must not contain consecutive hyphens"});
}

TEST(NameProblemsTest, ReportsEveryProblem) {
  EXPECT_EQ(CheckDns1123Label(Times(64, 'A')).size(), 2u);
  EXPECT_EQ(CheckPortName("-----------------").size(), 4u);
  EXPECT_EQ(CheckQualifiedName("A/-").size(), 2u);
}

}  // namespace
}  // namespace skiff::object
