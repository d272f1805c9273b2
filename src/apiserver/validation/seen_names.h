// A set of names for finding duplicates. It allocates nothing while there are few, and stays fast
// when there are many. The texts must outlive it.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <set>
#include <string_view>
#include <vector>

namespace skiff::apiserver {

class SeenNames {
 public:
  // Those of a list, or of what else has a range of texts.
  template <typename Texts>
  static SeenNames Of(const Texts& texts) {
    SeenNames out;
    for (const std::string_view text : texts) out.Add(text);
    return out;
  }

  bool Has(std::string_view name) const { return (filter_ & BitOf(name)) != 0 && IsListed(name); }
  // False if it was there already.
  bool Add(std::string_view name) {
    if (Has(name)) return false;
    filter_ |= BitOf(name);
    if (count_ < few_.size()) {
      few_[count_++] = {name.data(), name.size()};
    } else {
      more_.insert(name);
    }
    return true;
  }
  std::vector<std::string_view> Sorted() const {
    std::vector<std::string_view> out(more_.begin(), more_.end());
    for (size_t i = 0; i < count_; ++i) out.emplace_back(few_[i].data, few_[i].size);
    std::ranges::sort(out);
    return out;
  }

 private:
  // Most names that are looked for are new, and their bits say so.
  static uint64_t BitOf(std::string_view name) {
    if (name.empty()) return 1;
    const auto byte = [&](size_t at) { return static_cast<unsigned char>(name[at]); };
    const size_t mixed = name.size() * 37 + byte(name.size() - 1) * 11 + byte(name.size() / 2) * 5;
    return uint64_t{1} << (mixed % 64);
  }
  bool IsListed(std::string_view name) const {
    for (size_t i = 0; i < count_; ++i) {
      if (std::string_view(few_[i].data, few_[i].size) == name) return true;
    }
    return !more_.empty() && more_.contains(name);
  }

  // Left as it is until it is used: there are many of these sets, and most stay empty.
  struct Name {
    const char* data;
    size_t size;
  };
  std::array<Name, 24> few_;
  size_t count_ = 0;
  uint64_t filter_ = 0;
  std::set<std::string_view> more_;
};

}  // namespace skiff::apiserver
