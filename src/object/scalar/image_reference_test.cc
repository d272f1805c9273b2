#include "object/scalar/image_reference.h"

#include <string>

#include <gtest/gtest.h>

namespace skiff::object {
namespace {

const std::string kDigest = "sha256:" + std::string(64, 'a');

TEST(ImageReferenceTest, AnImageWithoutTagAndDigestIsTheLatest) {
  for (const char* image :
       {"nginx", "library/nginx", "registry.k8s.io/pause", "localhost/a", "localhost:5000/a",
        "example.com:80/a/b", "Registry/a", "[::1]:80/a", "a__b", "a---b", "a.b_c-d", "a.b_c/d"}) {
    EXPECT_EQ(ImageTag(image), "latest") << image;
  }
}

TEST(ImageReferenceTest, ATagIsTheTag) {
  EXPECT_EQ(ImageTag("nginx:1.27"), "1.27");
  EXPECT_EQ(ImageTag("nginx:latest"), "latest");
  EXPECT_EQ(ImageTag("registry.k8s.io:443/pause:3.10"), "3.10");
  EXPECT_EQ(ImageTag("nginx:latest@" + kDigest), "latest");
}

TEST(ImageReferenceTest, AnImageByDigestAloneHasNoTag) {
  EXPECT_EQ(ImageTag("nginx@" + kDigest), "");
  const std::string image = "registry.k8s.io/pause@" + kDigest;
  const auto reference = ParseImageReference(image);
  ASSERT_TRUE(reference.has_value());
  EXPECT_EQ(reference->name, "registry.k8s.io/pause");
  EXPECT_EQ(reference->digest, kDigest);
}

TEST(ImageReferenceTest, TextsThatAreNoReferencesHaveNoTag) {
  for (const std::string& image :
       {std::string(), std::string("Nginx"), std::string("a/B"), std::string("nginx:"),
        std::string("nginx:-a"), std::string("nginx@sha256:ab"),
        "nginx@md5:" + std::string(32, 'a'), std::string("a..b"), std::string("a___b"),
        std::string("a/"), std::string("/a"), std::string("foo:tag/bar"), std::string(" nginx"),
        std::string(64, 'a'), "nginx:" + std::string(129, 'a'), std::string(256, 'a'),
        std::string(250, 'a'), "nginx@" + kDigest + "@" + kDigest}) {
    EXPECT_EQ(ImageTag(image), "") << image;
  }
}

}  // namespace
}  // namespace skiff::object
