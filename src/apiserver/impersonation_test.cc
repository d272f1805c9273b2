#include "apiserver/impersonation.h"

#include <gtest/gtest.h>

namespace skiff::apiserver {
namespace {

net::HttpHeaders Headers(std::initializer_list<std::pair<const char*, const char*>> fields) {
  net::HttpHeaders out;
  for (const auto& [name, value] : fields) out.Add(name, value);
  return out;
}

TEST(ImpersonationTest, WithoutHeadersNobodyIsImpersonated) {
  const auto read = ReadImpersonation(Headers({{"accept", "*/*"}}));
  ASSERT_TRUE(read.has_value());
  EXPECT_FALSE(read->has_value());
}

TEST(ImpersonationTest, EachThingThatIsNamedNeedsItsOwnRight) {
  const auto read = ReadImpersonation(Headers({{"impersonate-user", "eve"},
                                               {"impersonate-group", "dev"},
                                               {"impersonate-uid", "7"},
                                               {"impersonate-extra-why", "test"}}));
  ASSERT_TRUE(read.has_value() && read->has_value());
  const Impersonation& found = **read;
  ASSERT_EQ(found.rights.size(), 4u);
  EXPECT_EQ(found.rights[0].resource, "users");
  EXPECT_EQ(found.rights[1].resource, "groups");
  EXPECT_EQ(found.rights[2].resource, "userextras");
  EXPECT_EQ(found.rights[2].subresource, "why");
  EXPECT_EQ(found.rights[3].resource, "uids");
  EXPECT_TRUE(found.user.IsIn("system:authenticated"));
}

TEST(ImpersonationTest, AServiceAccountIsItsOwnKindOfRightAndHasItsGroups) {
  const auto read =
      ReadImpersonation(Headers({{"impersonate-user", "system:serviceaccount:ns:robot"}}));
  ASSERT_TRUE(read.has_value() && read->has_value());
  ASSERT_EQ((*read)->rights.size(), 1u);
  EXPECT_EQ((*read)->rights[0].resource, "serviceaccounts");
  EXPECT_EQ((*read)->rights[0].name_space, "ns");
  EXPECT_EQ((*read)->rights[0].name, "robot");
  EXPECT_TRUE((*read)->user.IsIn("system:serviceaccounts:ns"));
}

TEST(ImpersonationTest, GroupsWithoutAUserAreABadRequest) {
  const auto read = ReadImpersonation(Headers({{"impersonate-group", "dev"}}));
  ASSERT_FALSE(read.has_value());
  EXPECT_EQ(read.error().code(), 400);
}

}  // namespace
}  // namespace skiff::apiserver
