// A set of names for finding duplicates. It allocates nothing while there are few, and stays fast
// when there are many. The texts must outlive it.
#pragma once

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

namespace skiff {

class SeenNames {
 public:
  bool Has(std::string_view name) const {
    const auto end = few_.begin() + count_;
    return std::find(few_.begin(), end, name) != end || (!more_.empty() && more_.contains(name));
  }
  // False if it was there already.
  bool Add(std::string_view name) {
    if (Has(name)) return false;
    if (count_ < few_.size()) {
      few_[count_++] = name;
    } else {
      more_.insert(name);
    }
    return true;
  }

 private:
  std::array<std::string_view, 16> few_;
  size_t count_ = 0;
  std::set<std::string_view> more_;
};

}  // namespace skiff
