// "Did you mean": the name that a mistyped one most likely stands for.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace skiff {

// ASCII letters only, of which names here are made.
bool EqualIgnoringCase(std::string_view a, std::string_view b);

// How many letters have to be inserted, removed, changed or swapped with their neighbour to turn
// one text into the other.
size_t EditDistance(std::string_view a, std::string_view b);

// The candidate nearest to `given`, case aside; empty when none is near enough to be a likely slip.
std::string_view ClosestName(std::string_view given, std::span<const std::string_view> candidates);

// "; did you mean --to?" for the nearest candidate, or nothing.
std::string DidYouMean(std::string_view given, std::span<const std::string_view> candidates);

}  // namespace skiff
