#include "object/scalar/base64url.h"

#include <gtest/gtest.h>

namespace skiff::object {
namespace {

TEST(Base64UrlTest, HasNoPaddingAndTakesNoOtherCharacter) {
  for (const std::string text : {"", "f", "fo", "foo", "foob", "\xff\xfe\xfd"}) {
    EXPECT_EQ(DecodeBase64Url(EncodeBase64Url(text)), text);
  }
  EXPECT_EQ(EncodeBase64Url("\xfb\xff"), "-_8");
  EXPECT_FALSE(DecodeBase64Url("Zg==").has_value());
  EXPECT_FALSE(DecodeBase64Url("Z").has_value());
  EXPECT_FALSE(DecodeBase64Url("+/8").has_value());
}

}  // namespace
}  // namespace skiff::object
