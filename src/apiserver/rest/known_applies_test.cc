#include "apiserver/rest/known_applies.h"

#include <gtest/gtest.h>

#include "base/limits.h"

namespace skiff {
namespace {

Sha256Digest DigestOf(std::string path, std::string query, std::string body) {
  HttpRequest request;
  request.path = std::move(path);
  request.query = std::move(query);
  request.body = std::move(body);
  return KnownApplies::DigestOf(request);
}

TEST(KnownApplies, NothingIsKnownAtFirst) {
  EXPECT_FALSE(KnownApplies().ChangesNothing(DigestOf("/p", "q", "b"), {5}));
}

TEST(KnownApplies, AnApplyIsKnownOfTheRevisionItWasSeenAt) {
  KnownApplies known;
  const Sha256Digest apply = DigestOf("/p", "q", "b");
  known.Remember(apply, {5});
  EXPECT_TRUE(known.ChangesNothing(apply, {5}));
  EXPECT_FALSE(known.ChangesNothing(apply, {6}));
  known.Remember(apply, {7});
  EXPECT_FALSE(known.ChangesNothing(apply, {5}));
  EXPECT_TRUE(known.ChangesNothing(apply, {7}));
}

TEST(KnownApplies, EveryPartOfARequestCounts) {
  KnownApplies known;
  known.Remember(DigestOf("/p", "q", "b"), {5});
  for (const Sha256Digest& other :
       {DigestOf("/o", "q", "b"), DigestOf("/p", "o", "b"), DigestOf("/p", "q", "o")}) {
    EXPECT_FALSE(known.ChangesNothing(other, {5}));
  }
}

TEST(KnownApplies, OnesThatShareAPlaceTakeTurns) {
  KnownApplies known;
  for (size_t i = 0; i < 3 * limits::kKnownApplies; ++i) {
    const Sha256Digest apply = DigestOf("/p", "q", std::to_string(i));
    known.Remember(apply, {5});
    EXPECT_TRUE(known.ChangesNothing(apply, {5}));
  }
}

}  // namespace
}  // namespace skiff
