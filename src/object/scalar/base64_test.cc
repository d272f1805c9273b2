#include "object/scalar/base64.h"

#include <gtest/gtest.h>

namespace skiff::object {
namespace {

std::string Encoded(std::string_view bytes) {
  std::string out = ">";
  AppendBase64(bytes, out);
  return out.substr(1);
}

TEST(Base64Test, EncodesTheVectorsOfRfc4648) {
  EXPECT_EQ(Encoded(""), "");
  EXPECT_EQ(Encoded("f"), "Zg==");
  EXPECT_EQ(Encoded("fo"), "Zm8=");
  EXPECT_EQ(Encoded("foo"), "Zm9v");
  EXPECT_EQ(Encoded("foob"), "Zm9vYg==");
  EXPECT_EQ(Encoded("fooba"), "Zm9vYmE=");
  EXPECT_EQ(Encoded("foobar"), "Zm9vYmFy");
  EXPECT_EQ(Encoded("\xfb\xff\xfe"), "+//+");
}

TEST(Base64Test, DecodesWhatItEncodes) {
  std::string bytes;
  for (int i = 0; i < 300; ++i) {
    const auto decoded = DecodeBase64(Encoded(bytes));
    ASSERT_TRUE(decoded);
    ASSERT_EQ(*decoded, bytes);
    bytes += static_cast<char>(i * 7);
  }
}

TEST(Base64Test, SkipsLineEndsAnywhere) {
  EXPECT_EQ(*DecodeBase64("Zm9v\nYmFy\r\n"), "foobar");
  EXPECT_EQ(*DecodeBase64("\nZ\rm\n9\rvYg=\n=\n"), "foob");
  EXPECT_EQ(*DecodeBase64("Z\nm\n8\n=\n"), "fo");
  EXPECT_EQ(*DecodeBase64("\r\n"), "");
}

TEST(Base64Test, IgnoresTheUnusedBitsOfTheLastCharacter) {
  EXPECT_EQ(*DecodeBase64("Zh=="), "f");
  EXPECT_EQ(*DecodeBase64("Zm9="), "fo");
}

TEST(Base64Test, RejectsWhatIsNotBase64AndSaysWhere) {
  const struct {
    const char* text;
    const char* offset;
  } kCases[] = {
      {"Z", "0"},
      {"Zg", "0"},
      {"Zm8", "0"},
      {"Zm9vZ", "4"},
      {"=", "0"},
      {"Z===", "1"},
      {"Zg=", "3"},
      {"Zg=v", "3"},
      {"Zg===", "4"},
      {"Zg==Zg==", "4"},
      {"Zm8=x", "4"},
      {"Zm 9v", "2"},
      {"Zm9v Zm9v", "4"},
      {"Zm9v-m9v", "4"},
      {"Zm9v_m9v", "4"},
      {"Zm9v\tZg==", "4"},
      {"\xff\xff\xff\xff", "0"},
  };
  for (const auto& c : kCases) {
    const auto result = DecodeBase64(c.text);
    ASSERT_FALSE(result) << c.text;
    EXPECT_EQ(result.error().message(),
              std::string("illegal base64 data at input byte ") + c.offset)
        << c.text;
  }
}

}  // namespace
}  // namespace skiff::object
