#include "apiserver/rest/noop_apply_cache.h"

#include <gtest/gtest.h>

#include "base/limits.h"

namespace skiff::apiserver {
namespace {

crypto::Sha256Digest DigestOf(std::string_view path, std::string_view query,
                              std::string_view body) {
  return NoopApplyCache::DigestOf(path, *serving::QueryParameters::Parse(query), body);
}

TEST(NoopApplyCache, NothingIsKnownAtFirst) {
  EXPECT_FALSE(NoopApplyCache().ChangesNothing(DigestOf("/p", "fieldManager=m", "b"), {5}));
}

TEST(NoopApplyCache, AnApplyIsKnownOfTheRevisionItWasSeenAt) {
  NoopApplyCache known;
  const crypto::Sha256Digest apply = DigestOf("/p", "fieldManager=m", "b");
  known.Remember(apply, {5});
  EXPECT_TRUE(known.ChangesNothing(apply, {5}));
  EXPECT_FALSE(known.ChangesNothing(apply, {6}));
  known.Remember(apply, {7});
  EXPECT_FALSE(known.ChangesNothing(apply, {5}));
  EXPECT_TRUE(known.ChangesNothing(apply, {7}));
}

TEST(NoopApplyCache, EveryPartOfARequestCounts) {
  NoopApplyCache known;
  known.Remember(DigestOf("/p", "fieldManager=m", "b"), {5});
  for (const crypto::Sha256Digest& other :
       {DigestOf("/o", "fieldManager=m", "b"), DigestOf("/p", "fieldManager=o", "b"),
        DigestOf("/p", "fieldManager=m&force=true", "b"),
        DigestOf("/p", "fieldManager=m&fieldValidation=Strict", "b"),
        DigestOf("/p", "fieldManager=m", "o")}) {
    EXPECT_FALSE(known.ChangesNothing(other, {5}));
  }
}

TEST(NoopApplyCache, OnesThatShareAPlaceTakeTurns) {
  NoopApplyCache known;
  for (size_t i = 0; i < 3 * limits::kNoopApplyCacheEntries; ++i) {
    const crypto::Sha256Digest apply = DigestOf("/p", "fieldManager=m", std::to_string(i));
    known.Remember(apply, {5});
    EXPECT_TRUE(known.ChangesNothing(apply, {5}));
  }
}

}  // namespace
}  // namespace skiff::apiserver
