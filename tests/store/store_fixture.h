// The fixture of the behaviour tests: a store of the kind that the test runs on, and the short
// words in which the tests are written. Operations that must succeed are in those words; where an
// error is the point, tests call the store itself.
#pragma once

#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "store/blocking.h"
#include "store/store.h"
#include "tests/store/recording_sink.h"
#include "tests/store/store_under_test.h"

namespace skiff::testing {

class StoreFixture : public ::testing::TestWithParam<const StoreKind*> {
 protected:
  void SetUp() override;
  void TearDown() override;

  const StoreKind& kind() const { return *GetParam(); }
  Store& store() { return under_test_->store(); }
  StoreUnderTest& under_test() { return *under_test_; }

  // A key of this test.
  std::string Key(std::string_view name) const { return prefix_ + std::string(name); }
  KeyRange All() const { return KeyRange::Prefix(prefix_); }

  Revision Put(std::string_view name, std::string_view value, LeaseId lease = {});
  Revision Delete(std::string_view name);
  CommitReply Commit(Transaction transaction);
  Revision MustCommit(Transaction transaction);  // its conditions hold
  RangeReply Range(RangeRequest request);
  std::optional<KeyValue> Get(std::string_view name, Revision at = {});
  Revision Current();
  Revision Compact(Revision revision);
  LeaseInfo Grant(std::chrono::seconds ttl);
  std::unique_ptr<Watch> StartWatch(RecordingSink& sink, KeyRange range, Revision from = {},
                                    bool previous_values = false);

  // "name=value" of each entry without the prefix, in order.
  std::vector<std::string> Listed(const RangeReply& reply) const;
  // "+name=value", "-name" of each event, in order; those of one revision sorted.
  std::vector<std::string> Told(const std::vector<Event>& events) const;

  // Reasons of errors, for EXPECT_EQ.
  template <typename T>
  static StatusReason ReasonOf(const Result<T>& result) {
    EXPECT_FALSE(result) << "succeeded, where an error was expected";
    return result ? StatusReason::kUnknown : result.error().reason();
  }

 private:
  std::unique_ptr<StoreUnderTest> under_test_;
  std::string prefix_;
};

Transaction PutTransaction(std::string key, std::string_view value, LeaseId lease = {});
Write PutOf(std::string key, std::string_view value, LeaseId lease = {});
Write DeleteOf(std::string key);

Result<Revision> CompactAndWait(Store& store, Revision revision);
Result<LeaseInfo> GrantAndWait(Store& store, std::chrono::seconds ttl, LeaseId id = {});
Result<LeaseInfo> RenewAndWait(Store& store, LeaseId id);
Result<Revision> RevokeAndWait(Store& store, LeaseId id);
Result<LeaseInfo> FindAndWait(Store& store, LeaseId id);
Result<StoreFigures> FiguresAndWait(Store& store);

// The suite of one file on every engine.
#define SKIFF_ON_EVERY_STORE(Suite)                                                     \
  INSTANTIATE_TEST_SUITE_P(Store, Suite, ::testing::ValuesIn(StoreKinds()),             \
                           [](const ::testing::TestParamInfo<const StoreKind*>& kind) { \
                             return std::string(kind.param->name);                      \
                           })

}  // namespace skiff::testing
