#include "cel/values/named_formats.h"

#include <gtest/gtest.h>

namespace skiff::cel {
namespace {

// What is wrong with a text, joined; empty if it is good.
std::string Check(std::string_view format, std::string_view text) {
  std::string out;
  for (const std::string& problem : FindNamedFormat(format)->validate(text)) {
    if (!out.empty()) out += "; ";
    out += problem;
  }
  return out;
}

TEST(NamedFormatsTest, ThereAreThirteen) {
  EXPECT_EQ(NamedFormats().size(), 13u);
  for (const NamedFormat& format : NamedFormats()) {
    EXPECT_EQ(FindNamedFormat(format.name), &format);
  }
  EXPECT_EQ(FindNamedFormat("date-time"), nullptr);
  EXPECT_EQ(FindNamedFormat(""), nullptr);
}

TEST(NamedFormatsTest, NamesAreCheckedWithTheWordsOfKubernetes) {
  EXPECT_EQ(Check("dns1123Label", "my-name"), "");
  EXPECT_EQ(Check("dns1123Label", "contains a space"),
            "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', "
            "and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', "
            "regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')");
  EXPECT_EQ(Check("dns1123Label", std::string(64, 'a')), "must be no more than 63 characters");
  EXPECT_EQ(Check("dns1123Subdomain", std::string(254, 'a')),
            "must be no more than 253 characters");
  EXPECT_EQ(Check("qualifiedName", "a..b"), "");
  EXPECT_EQ(Check("labelValue", ""), "");
  EXPECT_NE(Check("dns1035Label", "1a"), "");
}

TEST(NamedFormatsTest, PrefixesMayEndInAHyphen) {
  EXPECT_EQ(Check("dns1123LabelPrefix", "abc-"), "");
  EXPECT_EQ(Check("dns1123LabelPrefix", "a_-"), "") << "as in Kubernetes";
  EXPECT_NE(Check("dns1123LabelPrefix", "-"), "");
  EXPECT_NE(Check("dns1123Label", "abc-"), "");
  EXPECT_EQ(Check("dns1035LabelPrefix", "abc-"), "");
  EXPECT_EQ(Check("dns1123SubdomainPrefix", "a.b-"), "");
}

TEST(NamedFormatsTest, FormatsOfValues) {
  EXPECT_EQ(Check("uri", "/x"), "");
  EXPECT_EQ(Check("uri", "http://%zz"), "parse \"http://%zz\": invalid URL escape \"%zz\"");
  EXPECT_EQ(Check("uuid", "123e4567-E89B-12d3-a456-426614174000"), "");
  EXPECT_EQ(Check("uuid", "123e4567e89b12d3a456426614174000"), "");
  EXPECT_EQ(Check("uuid", ""), "does not match the UUID format");
  EXPECT_EQ(Check("byte", "aGk="), "");
  EXPECT_EQ(Check("byte", ""), "invalid base64");
  EXPECT_EQ(Check("byte", "aGk"), "invalid base64");
  EXPECT_EQ(Check("date", "2024-02-29"), "");
  EXPECT_EQ(Check("date", "2023-02-29"), "invalid date");
  EXPECT_EQ(Check("date", "20230102"), "invalid date");
  EXPECT_EQ(Check("datetime", "2023-01-02t03:04:05.5Z"), "");
  EXPECT_EQ(Check("datetime", "2023-01-02T03:04:05+99:99"), "");
  EXPECT_EQ(Check("datetime", "2023-01-02T24:04:05Z"), "invalid datetime");
  EXPECT_EQ(Check("datetime", "2023-01-02T03:04:05"), "invalid datetime");
}

}  // namespace
}  // namespace skiff::cel
