// Names made from metadata.generateName.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/random.h"

namespace skiff::object {

inline constexpr size_t kGeneratedSuffixLength = 5;
// What is kept of the prefix, so that a name fits in a DNS label of 63.
inline constexpr size_t kMaxGeneratedBaseLength = 58;

// `length` characters of Kubernetes' alphabet for generated names, which has no vowels and none of
// the characters that are mistaken for others.
std::string RandomNameSuffix(size_t length, Random& random);

// The base, cut to kMaxGeneratedBaseLength, with kGeneratedSuffixLength random characters.
std::string GenerateName(std::string_view base, Random& random);

}  // namespace skiff::object
