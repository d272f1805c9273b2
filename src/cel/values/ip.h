// IP addresses and CIDRs of CEL, as Go's net/netip reads them, without zones and without IPv4
// addresses that are mapped into IPv6. Errors have the text of Kubernetes' library.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/ip_address.h"
#include "base/status.h"

namespace skiff::cel {

// What netip.ParseAddr makes of a text, with its errors: ParseAddr("1.2"): IPv4 address too short
struct NetipAddress {
  std::array<uint8_t, 16> bytes{};  // in network order
  size_t size = 4;                  // or 16
  bool has_zone = false;

  // An IPv4 address that is mapped into IPv6.
  bool IsMapped() const;
};
Result<NetipAddress> ParseNetipAddress(std::string_view text);

// ip(text), isIP(text), ip.isCanonical(text).
Result<IpAddress> IpFromText(std::string_view text);
bool IsIp(std::string_view text);
Result<bool> IsCanonicalIp(std::string_view text);

int64_t IpFamily(const IpAddress& address);  // 4 or 6
// isUnspecified() and isLoopback() are IpAddress's own.
bool IsLinkLocalMulticast(const IpAddress& address);
bool IsLinkLocalUnicast(const IpAddress& address);
bool IsGlobalUnicast(const IpAddress& address);

// An address and the length of a prefix; bits beyond the prefix are kept.
struct Cidr {
  IpAddress address;
  int prefix_length = 0;
  bool operator==(const Cidr&) const = default;
};

// cidr(text), isCIDR(text).
Result<Cidr> CidrFromText(std::string_view text);
bool IsCidr(std::string_view text);

std::string Text(const Cidr& cidr);
Cidr Masked(const Cidr& cidr);
bool ContainsIp(const Cidr& cidr, const IpAddress& address);
bool ContainsCidr(const Cidr& outer, const Cidr& inner);

}  // namespace skiff::cel
