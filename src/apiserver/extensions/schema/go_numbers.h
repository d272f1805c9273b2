// Numbers as Go converts and prints them, where messages and verdicts depend on it.
#pragma once

#include <cstdint>
#include <string>

namespace skiff::apiserver {

// As %v prints a float64: "0.25", "1e+06", "1e-07".
std::string GoFloatText(double number);

// int64(number): towards zero, and the least of all for what does not fit.
int64_t GoInteger(double number);

// A whole number that JSON's clients can hold exactly, or almost so.
bool IsJsonInteger(double number);

}  // namespace skiff::apiserver
