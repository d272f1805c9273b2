// A map that forgets what has not been used for longest once it is full.
#pragma once

#include <cassert>
#include <list>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace skiff::client {

template <typename T>
class LruMap {
 public:
  explicit LruMap(size_t max_entries) : max_entries_(max_entries) { assert(max_entries > 0); }

  // What the key stands for, made anew if it is not known. Valid until the next call.
  T& operator[](std::string_view key) {
    if (T* const found = Find(key)) return *found;
    if (entries_.size() == max_entries_) {
      places_.erase(entries_.back().first);
      entries_.pop_back();
    }
    entries_.emplace_front(std::string(key), T());
    places_.emplace(entries_.front().first, entries_.begin());
    return entries_.front().second;
  }

  // Null: it is not known. Valid until the next call.
  T* Find(std::string_view key) {
    const auto place = places_.find(key);
    if (place == places_.end()) return nullptr;
    entries_.splice(entries_.begin(), entries_, place->second);
    return &place->second->second;
  }

  size_t size() const { return entries_.size(); }

 private:
  using Entry = std::pair<std::string, T>;

  const size_t max_entries_;
  std::list<Entry> entries_;  // the one that was used last comes first
  // Keys lie in the entries, which do not move.
  std::unordered_map<std::string_view, typename std::list<Entry>::iterator> places_;
};

}  // namespace skiff::client
