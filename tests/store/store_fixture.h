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
  store::Store& store() { return under_test_->store(); }
  StoreUnderTest& under_test() { return *under_test_; }

  // A key of this test.
  std::string Key(std::string_view name) const { return prefix_ + std::string(name); }
  store::KeyRange All() const { return store::KeyRange::Prefix(prefix_); }

  store::Revision Put(std::string_view name, std::string_view value, store::LeaseId lease = {});
  store::Revision Delete(std::string_view name);
  store::CommitReply Commit(store::Transaction transaction);
  store::Revision MustCommit(store::Transaction transaction);  // its conditions hold
  store::RangeReply Range(store::RangeRequest request);
  std::optional<store::KeyValue> Get(std::string_view name, store::Revision at = {});
  store::Revision Current();
  store::Revision Compact(store::Revision revision);
  store::LeaseInfo Grant(std::chrono::seconds ttl);
  std::unique_ptr<store::Watch> StartWatch(RecordingSink& sink, store::KeyRange range,
                                           store::Revision from = {}, bool previous_values = false);

  // "name=value" of each entry without the prefix, in order.
  std::vector<std::string> Listed(const store::RangeReply& reply) const;
  // "+name=value", "-name" of each event, in order; those of one revision sorted.
  std::vector<std::string> Told(const std::vector<store::Event>& events) const;

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

store::Transaction PutTransaction(std::string key, std::string_view value,
                                  store::LeaseId lease = {});
store::Write PutOf(std::string key, std::string_view value, store::LeaseId lease = {});
store::Write DeleteOf(std::string key);

Result<store::Revision> CompactAndWait(store::Store& store, store::Revision revision);
Result<store::LeaseInfo> GrantAndWait(store::Store& store, std::chrono::seconds ttl,
                                      store::LeaseId id = {});
Result<store::LeaseInfo> RenewAndWait(store::Store& store, store::LeaseId id);
Result<store::Revision> RevokeAndWait(store::Store& store, store::LeaseId id);
Result<store::LeaseInfo> FindAndWait(store::Store& store, store::LeaseId id);
Result<store::StoreFigures> FiguresAndWait(store::Store& store);

// The suite of one file on every engine.
#define SKIFF_ON_EVERY_STORE(Suite)                                                     \
  INSTANTIATE_TEST_SUITE_P(Store, Suite, ::testing::ValuesIn(StoreKinds()),             \
                           [](const ::testing::TestParamInfo<const StoreKind*>& kind) { \
                             return std::string(kind.param->name);                      \
                           })

}  // namespace skiff::testing
