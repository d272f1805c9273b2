// What a plain YAML scalar means: YAML 1.1's implicit types, in the selection that goyaml.v2 makes.
//
// Kubernetes reads every manifest through that library, so `yes`, `0777`, `1_000` and `0b11` must
// mean here what they mean there. Reading and printing both ask the same question: a string may be
// printed without quotes only if it would be read back as a string.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace skiff::object {

enum class YamlType : uint8_t { kNull, kBool, kInt, kUint, kFloat, kTimestamp, kString };

// `!!int`, for messages.
std::string_view YamlTypeTag(YamlType type);

struct YamlScalar {
  YamlType type = YamlType::kString;
  union {
    int64_t integer = 0;        // kInt; 0 or 1 of kBool
    uint64_t unsigned_integer;  // kUint: only what no int64 can hold
    double number;              // kFloat, infinities and NaN included
  };
};

// The meaning of a scalar without quotes and without a tag. Timestamps are told apart from other
// strings only so that they are printed with quotes.
YamlScalar ResolveYamlScalar(std::string_view text);

// True for numbers in base 60 such as 12:30:45, which goyaml.v2 reads as strings but prints with
// quotes for the sake of other readers.
bool IsYamlBase60(std::string_view text);

// A float as Go's strconv prints it with the verb 'g' and the fewest digits that tell it from its
// neighbours of the same width, with YAML's names for what is not finite: 1e+06, 0.5, .inf.
std::string FormatYamlFloat(double value);
std::string FormatYamlFloat(float value);

}  // namespace skiff::object
