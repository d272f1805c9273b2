// Which events are worth writing: like ones are counted, many of a kind become one, and no object
// gets more than a trickle of them. The figures are those of Kubernetes' own components.
//
//   - The same event again (all but the time is the same) changes the one that there is: its count
//     and its last time.
//   - From the tenth of those that differ in nothing but their message, each within ten minutes of
//     the one before, there is one event for all further ones, with the last message.
//   - An object gets 25 events of a source and a type at once and then one in five minutes. What is
//     beyond is dropped, though counted.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/limits.h"
#include "client/lru_map.h"
#include "object/scalar/time.h"

namespace skiff::client {

struct EventSubject {
  std::string kind = {};
  std::string api_version = {};
  std::string name_space = {};
  std::string name = {};
  std::string uid = {};
  std::string resource_version = {};
};

struct EventDraft {
  std::string name;
  EventSubject about;
  std::string component;
  std::string type;
  std::string reason;
  std::string message;
  object::Timestamp first;
  object::Timestamp last;
  bool combined = false;  // it stands for all of its kind
  int32_t count = 1;  // above one: there should be an event of that name, which is to be changed
};

class EventCorrelator {
 public:
  // Makes `event` what is to be written; false: nothing. `fresh_name` is the name that a new event
  // for all of a kind gets. `now` is of a clock that never goes backwards.
  bool Correlate(EventDraft& event, std::string_view fresh_name, Duration now);

 private:
  struct Kind {
    std::set<std::string> messages;  // fewer than would be too many
    Duration last{};
  };
  struct Written {
    std::string name;
    object::Timestamp first;
    int32_t count = 0;
  };
  struct Allowance {
    double tokens = 0;
    Duration filled_at = Duration::min();
  };

  // The key under which the event is counted.
  std::string Combine(EventDraft& event, std::string_view fresh_name, Duration now);
  void Count(EventDraft& event, std::string_view key);
  bool Spend(const EventDraft& event, Duration now);

  LruMap<Kind> kinds_{limits::kMaxRememberedEvents};
  LruMap<Written> written_{limits::kMaxRememberedEvents};
  LruMap<Allowance> allowances_{limits::kMaxRememberedEvents};
};

}  // namespace skiff::client
