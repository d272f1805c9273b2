#include "client/expectations.h"

namespace skiff::client {

void Expectations::Expect(const std::string& key, int64_t creations,
                          std::span<const std::string> deletions) {
  Awaited& awaited = awaited_[key];
  awaited.creations = creations;
  awaited.deletions = {deletions.begin(), deletions.end()};
  awaited.since = clock_.Monotonic();
}

void Expectations::CreationSeen(const std::string& key) {
  const auto found = awaited_.find(key);
  if (found != awaited_.end() && found->second.creations > 0) --found->second.creations;
}

void Expectations::DeletionSeen(const std::string& key, std::string_view uid) {
  const auto found = awaited_.find(key);
  if (found == awaited_.end()) return;
  const auto deletion = found->second.deletions.find(uid);
  if (deletion != found->second.deletions.end()) found->second.deletions.erase(deletion);
}

bool Expectations::Fulfilled(const std::string& key) const {
  const auto found = awaited_.find(key);
  if (found == awaited_.end()) return true;
  const Awaited& awaited = found->second;
  if (awaited.creations <= 0 && awaited.deletions.empty()) return true;
  return clock_.Monotonic() - awaited.since > kTimeout;
}

int64_t Expectations::creations(const std::string& key) const {
  const auto found = awaited_.find(key);
  return found == awaited_.end() ? 0 : found->second.creations;
}

size_t Expectations::deletions(const std::string& key) const {
  const auto found = awaited_.find(key);
  return found == awaited_.end() ? 0 : found->second.deletions.size();
}

}  // namespace skiff::client
