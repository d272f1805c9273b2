#include "store/etcd_server/range.h"

#include <string>

#include <gtest/gtest.h>

#include "store/embedded/testing.h"

namespace skiff::store {
namespace {

using Asked = etcdserverpb::RangeRequest;

class EtcdRangeTest : public EmbeddedStoreTestBase {
 protected:
  void SetUp() override {
    Open();
    Put("a", "3");  // 2
    Put("b", "1");  // 3
    Put("c", "2");  // 4
    Put("a", "9");  // 5
  }

  etcdserverpb::RangeResponse Answer(const Asked& asked) {
    auto response =
        EvaluateRange(asked, [&](const RangeRequest& request) { return TryRange(request); });
    EXPECT_TRUE(response) << response.error().message;
    return response ? *response : etcdserverpb::RangeResponse();
  }
  // "ab+ 3": keys, whether there are more, and the count.
  std::string Keys(const Asked& asked) {
    const auto response = Answer(asked);
    std::string text;
    for (const auto& entry : response.kvs()) text += entry.key();
    return text + (response.more() ? "+ " : " ") + std::to_string(response.count());
  }
  static Asked All() {
    Asked asked;
    asked.set_key(std::string(1, '\0'));
    asked.set_range_end(std::string(1, '\0'));
    return asked;
  }
};

TEST_F(EtcdRangeTest, EntriesAreSortedBeforeTheLimitCuts) {
  Asked asked = All();
  asked.set_limit(2);
  EXPECT_EQ(Keys(asked), "ab+ 3");
  asked.set_sort_order(Asked::DESCEND);
  EXPECT_EQ(Keys(asked), "cb+ 3");
  asked.set_sort_target(Asked::MOD);
  EXPECT_EQ(Keys(asked), "ac+ 3");
  asked.set_sort_order(Asked::ASCEND);
  EXPECT_EQ(Keys(asked), "bc+ 3");
  asked.set_sort_target(Asked::VALUE);
  EXPECT_EQ(Keys(asked), "bc+ 3");
  asked.set_sort_target(Asked::VERSION);
  asked.set_sort_order(Asked::DESCEND);
  asked.set_limit(1);
  EXPECT_EQ(Keys(asked), "a+ 3");
}

TEST_F(EtcdRangeTest, FiltersLeaveTheCountAlone) {
  Asked asked = All();
  asked.set_min_mod_revision(4);
  EXPECT_EQ(Keys(asked), "ac 3");
  asked.set_max_mod_revision(4);
  EXPECT_EQ(Keys(asked), "c 3");
  asked = All();
  asked.set_max_create_revision(3);
  asked.set_limit(1);
  EXPECT_EQ(Keys(asked), "a+ 3");
  asked.set_min_create_revision(3);
  EXPECT_EQ(Keys(asked), "b 3");
}

TEST_F(EtcdRangeTest, KeysAloneAndCountsAlone) {
  Asked asked = All();
  asked.set_keys_only(true);
  asked.set_sort_target(Asked::VALUE);
  asked.set_sort_order(Asked::ASCEND);
  EXPECT_EQ(Keys(asked), "bca 3");
  EXPECT_EQ(Answer(asked).kvs(0).value(), "");
  asked = All();
  asked.set_count_only(true);
  EXPECT_EQ(Keys(asked), " 3");
}

TEST_F(EtcdRangeTest, AnEndThatIsNotGreaterHoldsNothing) {
  Asked asked;
  asked.set_key("c");
  asked.set_range_end("a");
  EXPECT_EQ(Keys(asked), " 0");
  asked.set_range_end("c");
  EXPECT_EQ(Keys(asked), " 0");
}

TEST_F(EtcdRangeTest, OldStatesAreReadAndWrongRevisionsRefused) {
  Asked asked = All();
  asked.set_revision(3);
  EXPECT_EQ(Keys(asked), "ab 2");
  EXPECT_EQ(Answer(asked).header().revision(), 5);
  asked.set_revision(6);
  const auto read = [&](const RangeRequest& request) { return TryRange(request); };
  EXPECT_EQ(EvaluateRange(asked, read).error(), grpc::GrpcStatus(kFutureRevision));
  ASSERT_TRUE(Compact(4));
  asked.set_revision(3);
  EXPECT_EQ(EvaluateRange(asked, read).error(), grpc::GrpcStatus(kCompacted));
}

TEST_F(EtcdRangeTest, WhatIsNotARangeIsRefused) {
  Asked asked;
  EXPECT_EQ(CheckRangeRequest(asked), grpc::GrpcStatus(kEmptyKey));
  asked.set_key("a");
  asked.set_sort_order(static_cast<Asked::SortOrder>(7));
  EXPECT_EQ(CheckRangeRequest(asked), grpc::GrpcStatus(kInvalidSortOption));
}

}  // namespace
}  // namespace skiff::store
