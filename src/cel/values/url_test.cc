#include "cel/values/url.h"

#include <gtest/gtest.h>

namespace skiff::cel {
namespace {

std::string ErrorOf(std::string_view text) {
  const auto url = Url::Parse(text);
  return url ? "no error" : url.error().message();
}

TEST(CelUrlTest, PartsAreThoseOfGo) {
  const Url url = Url::Parse("https://user:pw@example.com:8080/a%20b/c?q=1#frag").value();
  EXPECT_EQ(url.scheme(), "https");
  EXPECT_EQ(url.host(), "example.com:8080");
  EXPECT_EQ(url.Hostname(), "example.com");
  EXPECT_EQ(url.Port(), "8080");
  EXPECT_EQ(url.EscapedPath(), "/a%20b/c");
  EXPECT_EQ(url.ToString(), "https://user:pw@example.com:8080/a%20b/c?q=1#frag");
  EXPECT_EQ(Url::Parse("http://[::1]:80/")->Hostname(), "::1");
  EXPECT_EQ(Url::Parse("//host/path")->Hostname(), "host");
  EXPECT_EQ(Url::Parse("HTTP://EXAMPLE.com/A")->ToString(), "http://EXAMPLE.com/A");
  EXPECT_EQ(Url::Parse("http://h/?#")->ToString(), "http://h/?");
  EXPECT_EQ(Url::Parse("a:b:c")->ToString(), "a:b:c");
  EXPECT_EQ(Url::Parse("*")->EscapedPath(), "*");
  EXPECT_EQ(Url::Parse("https://example.com/é")->EscapedPath(), "/%C3%A9");
}

TEST(CelUrlTest, QueriesListTheValuesOfEachName) {
  using Query = std::vector<std::pair<std::string, std::vector<std::string>>>;
  EXPECT_EQ(Url::Parse("/p?k=v&b=%20&k=v2&x=&+=a%26b")->Query(),
            (Query{{" ", {"a&b"}}, {"b", {" "}}, {"k", {"v", "v2"}}, {"x", {""}}}));
  EXPECT_EQ(Url::Parse("http://h?a;b&%zz&c")->Query(), (Query{{"c", {""}}}));
  std::string many = "/?a";
  for (int i = 0; i < 10'000; ++i) many += "&a";
  EXPECT_TRUE(Url::Parse(many)->Query().empty());
}

TEST(CelUrlTest, FaultsAreNamedAsInGo) {
  const std::string kPrefix = "URL parse error during conversion from string: ";
  EXPECT_EQ(ErrorOf(""), kPrefix + "parse \"\": empty url");
  EXPECT_EQ(ErrorOf("../rel"), kPrefix + "parse \"../rel\": invalid URI for request");
  EXPECT_EQ(ErrorOf("http://a b"),
            kPrefix + "parse \"http://a b\": invalid character \" \" in host name");
  EXPECT_EQ(ErrorOf("http://%zz"), kPrefix + "parse \"http://%zz\": invalid URL escape \"%zz\"");
  EXPECT_EQ(ErrorOf("http://h:abc/"),
            kPrefix + "parse \"http://h:abc/\": invalid port \":abc\" after host");
  EXPECT_EQ(ErrorOf(":foo"), kPrefix + "parse \":foo\": missing protocol scheme");
  EXPECT_EQ(ErrorOf("http://h/\n"),
            kPrefix + "parse \"http://h/\\n\": net/url: invalid control character in URL");
  EXPECT_EQ(ErrorOf("http://[::1"), kPrefix + "parse \"http://[::1\": missing ']' in host");
  EXPECT_EQ(ErrorOf("http://[1.2.3.4]/"),
            kPrefix + "parse \"http://[1.2.3.4]/\": invalid IP-literal");
  EXPECT_EQ(ErrorOf("http://h/#%"), kPrefix + "parse \"http://h/#%\": invalid URL escape \"%\"");
  EXPECT_TRUE(IsUrl("/path?a=b"));
  EXPECT_FALSE(IsUrl("example.com"));
}

}  // namespace
}  // namespace skiff::cel
