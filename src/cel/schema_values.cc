#include "cel/schema_values.h"

#include <array>
#include <cctype>
#include <string>

#include "cel/document_view.h"
#include "cel/values/time.h"
#include "object/scalar/base64.h"
#include "object/scalar/duration.h"
#include "object/scalar/time.h"

namespace skiff::cel {
namespace {

using Read = SchemaType::Read;

// What Go calls the type of a JSON value.
std::string_view GoJsonType(const object::Value& value) {
  switch (value.tag()) {
    case object::Tag::kBool:
      return "bool";
    case object::Tag::kInt:
    case object::Tag::kUint:
      return "int64";
    case object::Tag::kDouble:
      return "float64";
    case object::Tag::kList:
      return "[]interface {}";
    case object::Tag::kMap:
    case object::Tag::kObject:
      return "map[string]interface {}";
    default:
      return "string";
  }
}

Val Invalid(Arena& arena, std::string_view expected, const object::Value& value) {
  return Val::Error(arena, "invalid data, expected " + std::string(expected) + ", got " +
                               std::string(GoJsonType(value)));
}

int64_t UnitNanos(std::string_view unit) {
  static constexpr int64_t kSecond = 1'000'000'000;
  struct Unit {
    std::string_view shortest;
    std::string_view prefix;
    int64_t nanos;
  };
  static constexpr std::array<Unit, 8> kUnits{{{"ns", "nano", 1},
                                               {"us", "micro", 1'000},
                                               {"ms", "milli", 1'000'000},
                                               {"s", "sec", kSecond},
                                               {"m", "min", 60 * kSecond},
                                               {"h", "hour", 3600 * kSecond},
                                               {"d", "day", 24 * 3600 * kSecond},
                                               {"w", "week", 7 * 24 * 3600 * kSecond}}};
  for (const Unit& known : kUnits) {
    if (unit == known.shortest || unit.starts_with(known.prefix)) return known.nanos;
  }
  if (unit == "hr") return 3600 * kSecond;
  if (unit == "wk") return 7 * 24 * 3600 * kSecond;
  return 0;
}

// Go's text, or numbers with units in words: "3 days 2 hours".
std::optional<int64_t> AnyDuration(std::string_view text) {
  if (const Result<int64_t> go = object::ParseDuration(text)) return *go;
  int64_t total = 0;
  bool found = false;
  for (size_t at = 0; at < text.size();) {
    if (std::isdigit(static_cast<unsigned char>(text[at])) == 0) {
      ++at;
      continue;
    }
    int64_t number = 0;
    while (at < text.size() && std::isdigit(static_cast<unsigned char>(text[at])) != 0) {
      if (number > INT64_MAX / 20) return {};
      number = number * 10 + (text[at++] - '0');
    }
    while (at < text.size() && text[at] == ' ') ++at;
    std::string unit;
    while (at < text.size() && std::isalpha(static_cast<unsigned char>(text[at])) != 0) {
      unit += static_cast<char>(std::tolower(static_cast<unsigned char>(text[at++])));
    }
    const int64_t nanos = UnitNanos(unit);
    if (nanos == 0) continue;
    found = true;
    if (__builtin_mul_overflow(number, nanos, &number) ||
        __builtin_add_overflow(total, number, &total)) {
      return {};
    }
  }
  if (!found) return {};
  return total;
}

Val ReadDate(Arena& arena, std::string_view text) {
  const Result<object::Timestamp> time = object::ParseTime(std::string(text) + "T00:00:00Z");
  if (text.size() == 10 && time) return Val::Time(*time);
  const std::string shown(text);
  std::string why = "parsing time \"" + shown + "\" as \"2006-01-02\": cannot parse \"" + shown +
                    "\" as \"2006\"";
  if (text.size() == 10 && text[4] == '-' && text[7] == '-') {
    const bool month = text.substr(5, 2) > "12" || text.substr(5, 2) == "00";
    why = "parsing time \"" + shown + "\": " + (month ? "month" : "day") + " out of range";
  }
  return Val::Error(arena, "Invalid date formatted string " + shown + ": " + why);
}

Val ReadDateTime(Arena& arena, std::string_view text) {
  if (text.empty()) return Val::Time({});
  if (const Result<ZonedTime> time = TimestampFromText(text)) {
    return Val::Time(time->at, time->offset_seconds);
  }
  if (const Result<object::Timestamp> time = object::ParseTime(text)) return Val::Time(*time);
  if (const Result<object::Timestamp> local = object::ParseTime(std::string(text) + "Z"))
    return Val::Time(*local);
  const std::string shown(text);
  return Val::Error(arena, "Invalid date-time formatted string " + shown + ": parsing time \"" +
                               shown + "\" as \"2006-01-02T15:04:05\": cannot parse \"" + shown +
                               "\" as \"2006\"");
}

Val ReadText(Arena& arena, const object::Value& value, Read read) {
  if (value.tag() == object::Tag::kTime || value.tag() == object::Tag::kMicroTime) {
    return Val::Time(value.AsTime());
  }
  if (value.tag() == object::Tag::kBytes) return Val::Bytes(value.AsText());
  if (value.tag() == object::Tag::kDuration) return Val::Duration(value.AsInt());
  if (!value.is_string()) return Invalid(arena, "string", value);
  const std::string_view text = value.AsText();
  switch (read) {
    case Read::kDuration:
      if (const std::optional<int64_t> nanos = AnyDuration(text)) return Val::Duration(*nanos);
      return Val::Error(arena, "Invalid duration " + std::string(text) + ": unable to parse " +
                                   std::string(text) + " as duration");
    case Read::kDate:
      return ReadDate(arena, text);
    case Read::kDateTime:
      return ReadDateTime(arena, text);
    case Read::kBytes: {
      const Result<std::string> bytes = object::DecodeBase64(text);
      if (bytes) return Val::Bytes(arena.Copy(*bytes));
      return Val::Error(arena, "Invalid byte formatted string " + std::string(text) + ": " +
                                   bytes.error().message());
    }
    default:
      return Val::String(text);
  }
}

}  // namespace

Val ReadBySchema(Arena& arena, const object::Value& value, const SchemaType& schema) {
  if (value.is_null()) {
    if (schema.nullable) return Val::Null();
    return Val::ErrorLiteral("invalid data, got null for schema with nullable=false");
  }
  switch (schema.read) {
    case Read::kIntOrString:
      if (value.is_string()) return Val::String(value.AsText());
      if (value.tag() == object::Tag::kInt) return Val::Int(value.AsInt());
      return Val::ErrorLiteral(
          "invalid data, expected XIntOrString value to be either a string or integer");
    case Read::kObject:
    case Read::kMap:
      if (value.is_map() || value.is_object()) return Val::DocumentMap(&value, &schema);
      return Val::ErrorLiteral(
          "invalid data, expected a map for the provided schema with type=object");
    case Read::kList:
      if (value.is_list()) return Val::DocumentList(&value, &schema);
      return Val::ErrorLiteral(
          "invalid data, expected an array for the provided schema with type=array");
    case Read::kString:
    case Read::kBytes:
    case Read::kDuration:
    case Read::kDate:
    case Read::kDateTime:
      return ReadText(arena, value, schema.read);
    case Read::kBool:
      if (value.tag() == object::Tag::kBool) return Val::Bool(value.AsBool());
      return Invalid(arena, "bool", value);
    case Read::kInt:
      if (value.tag() == object::Tag::kInt) return Val::Int(value.AsInt());
      return Invalid(arena, "int", value);
    case Read::kDouble:
      if (value.tag() == object::Tag::kDouble) return Val::Double(value.AsDouble());
      if (value.tag() == object::Tag::kInt) return Val::Double(static_cast<double>(value.AsInt()));
      return Invalid(arena, "float", value);
    case Read::kPreserved:
      return FromDocument(arena, value, nullptr);
    case Read::kInvalid:
      break;
  }
  return Val::ErrorLiteral(
      "invalid type, expected object, array, number, integer, boolean or string, or no type with "
      "x-kubernetes-int-or-string or x-kubernetes-preserve-unknown-fields is true, got ");
}

}  // namespace skiff::cel
