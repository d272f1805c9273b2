// IP addresses and CIDRs of CEL, as Go's net/netip reads them, without zones and without IPv4
// addresses that are mapped into IPv6. Errors have the text of Kubernetes' library.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/ip_address.h"
#include "base/status.h"

namespace skiff::cel {

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
