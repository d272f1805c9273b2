// For hash tables whose keys are text that clients choose: keyed, so that they cannot choose
// collisions.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/hash_index.h"

namespace skiff::store {

struct TextHash {
  using is_transparent = void;
  size_t operator()(std::string_view text) const {
    static const uint64_t seed = ProcessHashSeed();
    return KeyedHash(text.data(), text.size(), seed);
  }
};

// Looked up by std::string_view without a copy.
template <typename Value>
using TextMap = std::unordered_map<std::string, Value, TextHash, std::equal_to<>>;

}  // namespace skiff::store
