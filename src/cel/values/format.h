// string.format() of CEL: the text with its clauses, and what each clause makes of a value. Which
// value an argument is, and whether a clause takes it, is the caller's business.
//
//   clause = % [. digits] verb        verb = s d f e b x X o        %% is a percent sign
//
// This is version 2 of cel-go's library, in the locale en-US: %f writes "1,234.500000", "∞" and
// "NaN", %e writes "1.234500×10⁰³". The precision of %e is a width, a mistake that became fact.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/status.h"

namespace skiff::cel {

enum class FormatVerb : uint8_t {
  kString,
  kDecimal,
  kFixed,
  kScientific,
  kBinary,
  kHex,
  kUpperHex,
  kOctal,
};

struct FormatClause {
  FormatVerb verb;
  int64_t precision;  // kDefaultPrecision if the clause names none
};

inline constexpr int64_t kDefaultPrecision = 6;

// Appends what a clause makes of the argument at `index`, which is below the number of arguments.
// Its error gets "error during formatting: " in front.
using FormatArgument =
    std::function<Result<void>(size_t index, const FormatClause& clause, std::string& out)>;

// An expression is checked before it is run; only the latter asks for an argument before it sees
// whether the clause is whole, so that the first of several faults differs.
enum class FormatUse : uint8_t { kCheck, kRun };

// Appends the text with all of its clauses filled in. Returns how many arguments it asked for.
Result<size_t> FormatText(std::string_view format, size_t argument_count, FormatUse use,
                          const FormatArgument& argument, std::string& out);

// What is wrong with an argument of a type that the verb does not take.
std::string FormatTypeFault(FormatVerb verb, std::string_view type_name);
// What is wrong with an item of a list, or with a value of a map; and with a key.
std::string FormatItemFault(std::string_view type_name);
std::string FormatKeyFault(std::string_view type_name);

// What %f and %e make of a string: "NaN", "Infinity" and "-Infinity" are the doubles of these
// names, other strings are of a type that they do not take. A check, which sees types, lets all
// pass.
std::optional<double> DoubleForFormat(std::string_view text);

// Clauses other than %s. Numbers with sign have it in front of their digits, in every base.
void AppendFixed(double value, int64_t precision, std::string& out);
void AppendScientific(double value, int64_t width, std::string& out);
void AppendInBase(int64_t value, int base, bool upper, std::string& out);
void AppendInBase(uint64_t value, int base, bool upper, std::string& out);
void AppendHexBytes(std::string_view bytes, bool upper, std::string& out);

// %s: items of lists and maps are written as CEL literals: "text", b"bytes", 1.500000, "NaN",
// timestamp("…"), duration("…"). Other items are as they are by themselves.
void AppendStringItem(std::string_view text, std::string& out);
void AppendBytesItem(std::string_view bytes, std::string& out);
void AppendDoubleItem(double value, std::string& out);
void AppendTimestampItem(std::string_view text, std::string& out);
void AppendDurationItem(std::string_view text, std::string& out);

}  // namespace skiff::cel
