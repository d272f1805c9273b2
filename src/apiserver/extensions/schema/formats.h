// The values of `format` that are checked. All but those of numbers are predicates of strings, and
// follow what Go's parsers and kube-openapi's registry of formats accept. A format that is not
// known, or not for its type, asks nothing.
#pragma once

#include <cstdint>
#include <string_view>

namespace skiff::apiserver {

enum class SchemaType : uint8_t;

enum class ValueFormat : uint8_t {
  kNone,
  kInt32,
  kInt64,
  kFloat,
  kDouble,
  // Of strings:
  kBsonObjectId,
  kByte,
  kCidr,
  kCreditCard,
  kDate,
  kDateTime,
  kDuration,
  kEmail,
  kHexColor,
  kHostname,
  kIpv4,
  kIpv6,
  kIsbn,
  kIsbn10,
  kIsbn13,
  kK8sLongName,
  kK8sShortName,
  kMac,
  kPassword,
  kRgbColor,
  kSsn,
  kUri,
  kUuid,
  kUuid3,
  kUuid4,
  kUuid5,
};

// Hyphens in names of formats of strings do not count.
ValueFormat FindFormat(std::string_view name, SchemaType type);

inline bool IsTextFormat(ValueFormat format) { return format > ValueFormat::kDouble; }

// Of a format of strings.
bool HasFormat(std::string_view text, ValueFormat format);

}  // namespace skiff::apiserver
