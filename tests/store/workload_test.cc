// Histories of concurrent clients on every engine are linearizable, and their watches tell of every
// write once. Crashes are in tests/faults.
#include "tests/store/workload.h"

#include <cstdlib>

#include <gtest/gtest.h>

#include "base/thread.h"
#include "tests/store/store_fixture.h"
#include "tests/store/text.h"

namespace skiff::testing {
namespace {

class WorkloadTest : public StoreFixture {
 protected:
  // Fixed, unless someone wants to look further: SKIFF_SEED=… repeats a failure.
  static uint64_t Seed(uint64_t otherwise) {
    const char* given = std::getenv("SKIFF_SEED");
    return given == nullptr ? otherwise : std::strtoull(given, nullptr, 10);
  }

  // Runs the workload beside `meanwhile`, which is called again and again, and checks everything.
  template <typename Meanwhile>
  void RunAndCheck(WorkloadOptions options, Meanwhile meanwhile) {
    SCOPED_TRACE(Text("SKIFF_SEED=", options.seed));
    options.prefix = Key("");
    options.name = Text("s", options.seed);
    const store::Revision first{Current().value + 1};
    RecordingSink sink;
    const auto watch = StartWatch(sink, All(), first);
    History history;
    std::atomic<bool> done = false;
    Thread load("load", [&] {
      RunWorkload(store(), options, history);
      done = true;
    });
    while (!done) meanwhile();
    load.Join();
    const std::vector<Operation> operations = history.operations();
    const Verdict linearizable = CheckLinearizable(operations);
    EXPECT_TRUE(linearizable.legal()) << linearizable.why;

    const store::Revision last = Put("the end", "");
    ASSERT_TRUE(sink.WaitForRevision(last));
    EXPECT_EQ(sink.fault(), "");
    std::vector<SeenEvent> events;
    for (const store::Event& event : sink.events())
      if (event.revision() < last)
        events.push_back({event.revision().value, event.entry.key,
                          event.kind == store::Event::Kind::kDelete,
                          std::string(event.entry.value.view())});
    EXPECT_FALSE(events.empty());
    const Verdict told = CheckEvents(operations, events, first.value, last.value);
    EXPECT_TRUE(told.legal()) << told.why;
  }
};

TEST_P(WorkloadTest, ConcurrentOperationsAreLinearizable) {
  for (uint64_t seed = 1; seed <= 3; ++seed) {
    RunAndCheck({.seed = Seed(seed), .clients = 12, .operations = 60, .keys = 4},
                [this] { (void)Current(); });
    for (int i = 0; i < 4; ++i) Delete(WorkloadKey({}, i));
  }
}

TEST_P(WorkloadTest, ConflictsOnOneKeyAreLinearizable) {
  RunAndCheck({.seed = Seed(4), .clients = 16, .operations = 50, .keys = 1},
              [this] { (void)Current(); });
}

TEST_P(WorkloadTest, CompactionLeavesOperationsLinearizable) {
  RunAndCheck({.seed = Seed(5), .clients = 8, .operations = 80, .keys = 6, .value_bytes = 2000},
              [this] { (void)CompactAndWait(store(), store::Revision{Current().value - 20}); });
}

SKIFF_ON_EVERY_STORE(WorkloadTest);

}  // namespace
}  // namespace skiff::testing
