#include "store/cache/cached_event.h"

#include <atomic>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "base/thread.h"

namespace skiff::store {
namespace {

EntryRef EntryAt(int64_t revision) {
  return CacheEntry::Make("ns/a", {revision}, SharedBytes("bytes"), object::LabelSet());
}

TEST(CachedEventTest, ShowsTheOldObjectToThoseWhoSeeItGo) {
  const EventRef event = CachedEvent::Change({3}, EntryAt(3), EntryAt(2), {});
  EXPECT_EQ(event->Object(EventType::kAdded)->revision(), Revision{3});
  EXPECT_EQ(event->Object(EventType::kModified)->revision(), Revision{3});
  EXPECT_EQ(event->Object(EventType::kDeleted)->revision(), Revision{2});
  EXPECT_EQ(event->revision(), Revision{3});
}

TEST(CachedEventTest, EachFormIsEncodedOnce) {
  const EventRef event = CachedEvent::Change({3}, EntryAt(3), EntryAt(2), {});
  int made = 0;
  const auto encode = [&] { return SharedBytes(std::to_string(++made)); };
  const SharedBytes first = event->Encoded(EventType::kAdded, EncodingSlot::kJson, encode);
  EXPECT_TRUE(first.SharesWith(event->Encoded(EventType::kAdded, EncodingSlot::kJson, encode)));
  EXPECT_EQ(event->Encoded(EventType::kModified, EncodingSlot::kJson, encode).view(), "2");
  EXPECT_EQ(event->Encoded(EventType::kAdded, EncodingSlot::kProtobuf, encode).view(), "3");
  EXPECT_EQ(first.view(), "1");
  event->DropEncodings();
  EXPECT_EQ(event->Encoded(EventType::kAdded, EncodingSlot::kJson, encode).view(), "4");
  EXPECT_EQ(first.view(), "1") << "who holds the bytes keeps them";
}

TEST(CachedEventTest, ManyThreadsThatAskAtOnceShareOneEncoding) {
  for (int round = 0; round < 50; ++round) {
    const EventRef event = CachedEvent::Change({3}, EntryAt(3), {}, {});
    std::atomic<int> made = 0;
    std::vector<SharedBytes> got(4);
    {
      std::vector<std::unique_ptr<Thread>> threads;
      for (SharedBytes& mine : got) {
        threads.push_back(std::make_unique<Thread>("encoder", [&event, &made, &mine] {
          const EventRef own = event;
          mine = own->Encoded(EventType::kAdded, EncodingSlot::kJson, [&] {
            ++made;
            return SharedBytes("frame");
          });
        }));
      }
    }
    EXPECT_EQ(made, 1);
    for (const SharedBytes& mine : got) EXPECT_TRUE(mine.SharesWith(got[0]));
  }
}

}  // namespace
}  // namespace skiff::store
