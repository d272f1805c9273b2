#include "apiserver/validation/addresses.h"

#include <utility>

#include "base/strings.h"

namespace skiff::apiserver {
namespace {

// Without the zeros that decimal numbers begin with. In an IPv6 text only the numbers of an IPv4
// address at its end are decimal.
std::string WithoutLeadingZeros(std::string_view text) {
  size_t start = 0;
  if (text.find('.') == std::string_view::npos) return std::string(text);
  if (const size_t colon = text.rfind(':'); colon != std::string_view::npos) start = colon + 1;
  std::string out(text.substr(0, start));
  for (size_t i = start; i < text.size(); ++i) {
    const bool begins = out.size() == start || out.back() == '.';
    const bool more = i + 1 < text.size() && IsDigit(text[i + 1]);
    if (begins && text[i] == '0' && more) continue;
    out += text[i];
  }
  return out;
}

std::pair<std::string_view, std::string_view> SplitCidr(std::string_view text) {
  const size_t slash = text.find('/');
  if (slash == std::string_view::npos) return {text, {}};
  return {text.substr(0, slash), text.substr(slash + 1)};
}

bool HasLeadingZeros(std::string_view number) { return number.size() > 1 && number[0] == '0'; }

bool IsMapped(std::string_view text, const IpAddress& address) {
  return address.is_v4() && text.find(':') != std::string_view::npos;
}

std::string WithPrefix(const IpAddress& address, int bits) {
  return address.ToString() + "/" + std::to_string(bits);
}

constexpr std::string_view kNoIp = "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)";
constexpr std::string_view kNoCidr =
    "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)";

object::NameProblems OldIpProblems(std::string_view text, const std::optional<IpAddress>& address) {
  if (!address) return {std::string(kNoIp)};
  object::NameProblems problems;
  if (!IpAddress::Parse(text)) problems.emplace_back("must not have leading 0s");
  if (IsMapped(text, *address)) {
    problems.emplace_back("must not be an IPv4-mapped IPv6 address");
  }
  return problems;
}

object::NameProblems OldCidrProblems(std::string_view text, const std::optional<IpRange>& range) {
  if (!range) return {std::string(kNoCidr)};
  const auto [address_text, bits] = SplitCidr(text);
  const Result<IpAddress> address = IpAddress::Parse(address_text);
  if (!address || HasLeadingZeros(bits)) {
    return {"must not have leading 0s in IP or prefix length"};
  }
  if (IsMapped(address_text, *address)) return {"must not have an IPv4-mapped IPv6 address"};
  if (*address != range->base()) return {"must not have bits set beyond the prefix length"};
  return {};
}

}  // namespace

std::optional<IpAddress> ReadIp(std::string_view text) {
  Result<IpAddress> address = IpAddress::Parse(WithoutLeadingZeros(text));
  if (!address) return std::nullopt;
  return *address;
}

std::optional<IpRange> ReadCidr(std::string_view text) {
  auto [address, bits] = SplitCidr(text);
  if (bits.empty()) return std::nullopt;
  while (HasLeadingZeros(bits)) bits.remove_prefix(1);
  Result<IpRange> range = IpRange::Parse(WithoutLeadingZeros(address) + "/" + std::string(bits));
  if (!range) return std::nullopt;
  return *range;
}

bool CheckOldIp(std::string_view text, std::string_view field, FieldErrors& errors) {
  const std::optional<IpAddress> address = ReadIp(text);
  if (address && !errors.IsOn("StrictIPCIDRValidation")) return true;
  const object::NameProblems problems = OldIpProblems(text, address);
  errors.Invalid(field, text, problems);
  return problems.empty();
}

bool CheckOldCidr(std::string_view text, std::string_view field, FieldErrors& errors) {
  const std::optional<IpRange> range = ReadCidr(text);
  if (range && !errors.IsOn("StrictIPCIDRValidation")) return true;
  const object::NameProblems problems = OldCidrProblems(text, range);
  errors.Invalid(field, text, problems);
  return problems.empty();
}

object::NameProblems CheckIpName(std::string_view text) {
  const std::optional<IpAddress> address = ReadIp(text);
  object::NameProblems problems = OldIpProblems(text, address);
  if (problems.empty() && address->ToString() != text) {
    problems.push_back("must be in canonical form (" + Quoted(address->ToString()) + ")");
  }
  return problems;
}

void CheckIp(std::string_view text, std::string_view field, FieldErrors& errors) {
  errors.Invalid(field, text, CheckIpName(text));
}

void CheckCidr(std::string_view text, std::string_view field, FieldErrors& errors) {
  const std::optional<IpRange> range = ReadCidr(text);
  object::NameProblems problems = OldCidrProblems(text, range);
  if (problems.empty() && range->ToString() != text) {
    problems.push_back("must be in canonical form (" + Quoted(range->ToString()) + ")");
  }
  errors.Invalid(field, text, problems);
}

void CheckEndpointIp(std::string_view text, std::string_view field, FieldErrors& errors) {
  const std::optional<IpAddress> address = ReadIp(text);
  if (!address) return errors.Invalid(field, text, "must be a valid IP address");
  if (address->IsUnspecified()) {
    errors.Invalid(field, text, "may not be unspecified (" + std::string(text) + ")");
  }
  if (address->IsLoopback()) {
    errors.Invalid(field, text, "may not be in the loopback range (127.0.0.0/8, ::1/128)");
  }
  if (address->IsLinkLocal()) {
    errors.Invalid(field, text, "may not be in the link-local range (169.254.0.0/16, fe80::/10)");
  }
  const uint8_t* bytes = address->bytes();
  const bool local_multicast = address->is_v4() ? bytes[0] == 224 && bytes[1] == 0 && bytes[2] == 0
                                                : bytes[0] == 0xff && (bytes[1] & 0x0f) == 2;
  if (local_multicast) {
    errors.Invalid(field, text,
                   "may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)");
  }
}

void CheckInterfaceAddress(std::string_view text, std::string_view field, FieldErrors& errors) {
  const std::optional<IpRange> range = ReadCidr(text);
  if (!range) {
    return errors.Invalid(
        field, text, "must be a valid address in CIDR form, (e.g. 10.9.8.7/24 or 2001:db8::1/64)");
  }
  const std::string canonical =
      WithPrefix(ReadIp(SplitCidr(text).first).value_or(range->base()), range->prefix_bits());
  if (canonical != text) {
    errors.Invalid(field, text, "must be in canonical form (" + Quoted(canonical) + ")");
  }
}

void WarnAboutIp(std::string_view path, std::string_view text, std::vector<std::string>& warnings) {
  const std::optional<IpAddress> address = ReadIp(text);
  if (!address) return;
  const std::string canonical = address->ToString();
  if (!IpAddress::Parse(text) || IsMapped(text, *address)) {
    warnings.push_back(std::string(path) + ": non-standard IP address " + Quoted(text) +
                       " is invalid: use " + Quoted(canonical));
  } else if (!address->is_v4() && canonical != text) {
    warnings.push_back(std::string(path) + ": IPv6 address " + Quoted(text) +
                       " should be in RFC 5952 canonical format (" + Quoted(canonical) + ")");
  }
}

void WarnAboutCidr(std::string_view path, std::string_view text,
                   std::vector<std::string>& warnings) {
  const std::optional<IpRange> range = ReadCidr(text);
  if (!range) return;
  const auto [address_text, bits] = SplitCidr(text);
  const std::optional<IpAddress> address = ReadIp(address_text);
  const size_t before = warnings.size();
  if (address && *address != range->base()) {
    warnings.push_back(std::string(path) + ": CIDR value " + Quoted(text) +
                       " is ambiguous in this context (should be " + Quoted(range->ToString()) +
                       " or " + Quoted(WithPrefix(*address, address->is_v4() ? 32 : 128)) + "?)");
  }
  if (!IpAddress::Parse(address_text) || HasLeadingZeros(bits) ||
      (address && IsMapped(address_text, *address))) {
    warnings.push_back(std::string(path) + ": non-standard CIDR value " + Quoted(text) +
                       " is invalid: use " + Quoted(range->ToString()));
  }
  if (warnings.size() == before && !range->is_v4() && range->ToString() != text) {
    warnings.push_back(std::string(path) + ": IPv6 CIDR value " + Quoted(text) +
                       " should be in RFC 5952 canonical format (" + Quoted(range->ToString()) +
                       ")");
  }
}

}  // namespace skiff::apiserver
