#include "client/event_correlator.h"

#include <algorithm>
#include <initializer_list>

namespace skiff::client {
namespace {

constexpr size_t kMostOfAKind = 10;
constexpr Duration kKindAge = std::chrono::minutes(10);
constexpr double kBurst = 25;
constexpr double kTokensPerSecond = 1.0 / 300;
constexpr std::string_view kCombined = "(combined from similar events): ";

// A separator that no part contains keeps keys apart.
std::string Join(std::initializer_list<std::string_view> parts) {
  std::string out;
  for (const std::string_view part : parts) out.append(part).push_back('\0');
  return out;
}

std::string ObjectKey(const EventDraft& event) {
  const EventSubject& about = event.about;
  return Join(
      {event.component, about.kind, about.name_space, about.name, about.uid, about.api_version});
}

// What has an allowance of its own: warnings are not lost among much that is normal.
std::string SourceKey(const EventDraft& event) { return Join({ObjectKey(event), event.type}); }

std::string KindKey(const EventDraft& event) { return Join({SourceKey(event), event.reason}); }

std::string EventKey(const EventDraft& event) { return Join({KindKey(event), event.message}); }

}  // namespace

bool EventCorrelator::Correlate(EventDraft& event, std::string_view fresh_name, Duration now) {
  Count(event, Combine(event, fresh_name, now));
  return Spend(event, now);
}

std::string EventCorrelator::Combine(EventDraft& event, std::string_view fresh_name, Duration now) {
  std::string kind_key = KindKey(event);
  Kind& kind = kinds_[kind_key];
  if (now - kind.last > kKindAge) kind.messages.clear();
  kind.last = now;
  kind.messages.insert(event.message);
  if (kind.messages.size() < kMostOfAKind) return EventKey(event);
  kind.messages.erase(kind.messages.begin());
  event.name = fresh_name;
  event.message.insert(0, kCombined);
  event.combined = true;
  return kind_key;
}

void EventCorrelator::Count(EventDraft& event, std::string_view key) {
  Written& written = written_[key];
  if (written.count > 0) {
    event.name = written.name;
    event.first = written.first;
    event.count = written.count + 1;
  }
  written = {.name = event.name, .first = event.first, .count = event.count};
}

bool EventCorrelator::Spend(const EventDraft& event, Duration now) {
  Allowance& allowance = allowances_[SourceKey(event)];
  if (allowance.filled_at == Duration::min()) {
    allowance.tokens = kBurst;
  } else {
    const double seconds = std::chrono::duration<double>(now - allowance.filled_at).count();
    allowance.tokens = std::min(kBurst, allowance.tokens + seconds * kTokensPerSecond);
  }
  allowance.filled_at = now;
  if (allowance.tokens < 1) return false;
  allowance.tokens -= 1;
  return true;
}

}  // namespace skiff::client
