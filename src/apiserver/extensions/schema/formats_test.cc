#include "apiserver/extensions/schema/formats.h"

#include <initializer_list>
#include <string_view>

#include <gtest/gtest.h>

#include "apiserver/extensions/schema/compiled_schema.h"

namespace skiff::apiserver {
namespace {

struct FormatCase {
  std::string_view format;
  std::initializer_list<std::string_view> good;
  std::initializer_list<std::string_view> bad;
};

// As kube-openapi's registry of formats says of them.
const FormatCase kFormatCases[] = {
    {"date", {"2024-01-01"}, {"2024-02-30", "2024-1-1", "0000-00-00", "2024-01-01T00:00:00Z", ""}},
    {"date-time",
     {"2024-01-01T00:00:00Z", "2024-01-01t00:00:00.5+01:00"},
     {"2024-01-01", "2024-01-01T25:00:00Z", "2024-01-01T10:00:00", ""}},
    {"duration",
     {"1h", "3 days", "2 weeks 1h", "5s foo", "µs 3µs", "3 µs",
      "123e4567-e89b-12d3-a456-426614174000", "123e4567e89b32d3a456426614174000",
      "123e4567-e89b-42d3-a456-426614174000", "123E4567-E89B-52D3-8456-426614174000", "1e3h", "-5m",
      "1h30m", "5 Minutes"},
     {"1x", "10", "", "999999999999999999999 days"}},
    {"email",
     {"a@b", "A <a@b.c>", "\"q\"@x.y", "x@[1.2.3.4]", "<a@b>"},
     {"a@", "a..b@c", "a@b..c", "a b@c", ""}},
    {"hostname",
     {"a", "abc", "bad", "x-y", "a-b", "a-", "é", "ünï.de", "1h", "1x", "10", "rel",
      "123e4567e89b32d3a456426614174000", "507f1f77bcf86cd799439011"},
     {"ab-c", "foo_bar", "-a.com", "a.b1", "1.5", ""}},
    {"uri",
     {"http://a.b/c?d", "/abs", "mailto:x", "http://[::1]:80/", "fe80::/10", "*", "http://u:p@h/",
      "http://h%c3%a9/", "a:b", "http:///x", "tel:+1", "/a b"},
     {"rel", "http://a b/", "http://h:x/", "http://u%zz@h/", "http://h%41/", ":b", "/a%2", ""}},
    {"ipv4", {"10.0.0.1", "010.0.0.1", "::ffff:1.2.3.4"}, {"1.2.3", "::1", "10.0.0.0/8", ""}},
    {"ipv6", {"::1", "::ffff:1.2.3.4"}, {"10.0.0.1", "fe80::/10", ""}},
    {"cidr", {"10.0.0.0/8", "fe80::/10"}, {"10.0.0.0/33", "10.0.0.1", ""}},
    {"mac",
     {"00:11:22:33:44:55", "0011.2233.4455", "00-11-22-33-44-55-66-77", "4111111111111111",
      "4111111111111112"},
     {"00:11", ""}},
    {"uuid3", {"123e4567e89b32d3a456426614174000"}, {"123e4567-e89b-12d3-a456-426614174000"}},
    {"uuid4", {"123e4567-e89b-42d3-a456-426614174000"}, {"123e4567-e89b-12d3-a456-426614174000"}},
    {"uuid5", {"123E4567-E89B-52D3-8456-426614174000"}, {"123e4567-e89b-42d3-a456-426614174000"}},
    {"uuid",
     {"123e4567-e89b-12d3-a456-426614174000", "123e4567e89b32d3a456426614174000",
      "123e4567-e89b-42d3-a456-426614174000", "123E4567-E89B-52D3-8456-426614174000"},
     {"507f1f77bcf86cd799439011", ""}},
    {"byte",
     {"/abs", "123e4567e89b32d3a456426614174000", "507f1f77bcf86cd799439011",
      "YQ==", "YWI=", "YWJj", "4111111111111111", "4111111111111112", "null", "1e3h"},
     {"YQ=", "Y Q=", ""}},
    {"hexcolor", {"abc", "bad", "#fff", "ffffff"}, {"#ggg", ""}},
    {"rgbcolor", {"rgb(1,2,3)", "rgb( 10 , 20,30 )"}, {"rgb(256, 1,1)", ""}},
    {"ssn", {"123-45-6789", "123 45 6789"}, {"123456789", ""}},
    {"creditcard", {"4111111111111111", "4111-1111-1111-1111"}, {"4111111111111112", ""}},
    {"isbn", {"0321751043", "978-0321751041"}, {"978 0 321 75104 2"}},
    {"isbn10", {"0321751043"}, {"978-0321751041"}},
    {"isbn13", {"978-0321751041"}, {"0321751043"}},
    {"k8s-short-name",
     {"a", "abc", "bad", "x-y", "a-b", "ab-c", "2024-01-01", "2024-02-30", "1h", "1x", "10", "rel",
      "00-11-22-33-44-55-66-77", "123e4567-e89b-12d3-a456-426614174000"},
     {"Foo", "foo.bar", "foo-", ""}},
    {"k8s-long-name",
     {"a", "abc", "bad", "x-y", "a-b", "ab-c", "2024-01-01", "2024-02-30", "1h", "1x", "10", "rel",
      "10.0.0.1", "010.0.0.1"},
     {"Foo", "foo-", "foo_bar", ""}},
    {"bsonobjectid", {"507f1f77bcf86cd799439011"}, {""}},
};

TEST(FormatsTest, TextsHaveTheirFormatOrNot) {
  for (const FormatCase& each : kFormatCases) {
    const ValueFormat format = FindFormat(each.format, SchemaType::kString);
    ASSERT_TRUE(IsTextFormat(format)) << each.format;
    for (const std::string_view text : each.good) {
      EXPECT_TRUE(HasFormat(text, format)) << each.format << " " << text;
    }
    for (const std::string_view text : each.bad) {
      EXPECT_FALSE(HasFormat(text, format)) << each.format << " " << text;
    }
  }
}

TEST(FormatsTest, AFormatIsKnownForItsTypeOnly) {
  EXPECT_EQ(FindFormat("date-time", SchemaType::kString), ValueFormat::kDateTime);
  EXPECT_EQ(FindFormat("datetime", SchemaType::kAny), ValueFormat::kDateTime);
  EXPECT_EQ(FindFormat("date", SchemaType::kIntOrString), ValueFormat::kDate);
  EXPECT_EQ(FindFormat("date", SchemaType::kInteger), ValueFormat::kNone);
  EXPECT_EQ(FindFormat("int32", SchemaType::kInteger), ValueFormat::kInt32);
  EXPECT_EQ(FindFormat("int32", SchemaType::kNumber), ValueFormat::kNone);
  EXPECT_EQ(FindFormat("nonsense", SchemaType::kString), ValueFormat::kNone);
  EXPECT_EQ(FindFormat("", SchemaType::kString), ValueFormat::kNone);
}

}  // namespace
}  // namespace skiff::apiserver
