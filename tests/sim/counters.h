// What a run exercised, by name, so that a summary of many runs shows whether they were of use.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace skiff::sim {

class Counters {
 public:
  void Count(std::string_view what, uint64_t by = 1) { counts_[std::string(what)] += by; }
  void Add(const Counters& other) {
    for (const auto& [what, count] : other.counts_) counts_[what] += count;
  }
  uint64_t Of(std::string_view what) const {
    const auto at = counts_.find(std::string(what));
    return at == counts_.end() ? 0 : at->second;
  }
  const std::map<std::string, uint64_t>& all() const { return counts_; }

 private:
  std::map<std::string, uint64_t> counts_;
};

}  // namespace skiff::sim
