// IP addresses and ranges of them (CIDRs), as values.
//
// The text of an address is what Go's net.ParseIP takes: IPv4 in four decimal numbers without
// leading zeros, IPv6 without a zone. An IPv4 address that is mapped into IPv6 (::ffff:1.2.3.4)
// counts as IPv4. Texts are written as RFC 5952 recommends.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/status.h"

namespace skiff {

class IpAddress {
 public:
  // 0.0.0.0
  IpAddress() = default;

  static Result<IpAddress> Parse(std::string_view text);
  // Four or sixteen bytes in network order.
  static IpAddress FromBytes(const uint8_t* bytes, size_t size);
  static IpAddress AnyV4() { return IpAddress(); }
  static IpAddress LoopbackV4();

  bool is_v4() const { return size_ == 4; }
  size_t size() const { return size_; }
  const uint8_t* bytes() const { return bytes_.data(); }
  bool IsUnspecified() const;
  bool IsLoopback() const;
  bool IsLinkLocal() const;
  bool IsMulticast() const;

  std::string ToString() const;
  // "10.0.0.1:6443", "[::1]:6443"
  std::string WithPort(uint16_t port) const;
  // The address that many further; nothing when there is none.
  std::optional<IpAddress> Plus(uint64_t offset) const;

  auto operator<=>(const IpAddress&) const = default;

 private:
  uint8_t size_ = 4;
  std::array<uint8_t, 16> bytes_{};
};

class IpRange {
 public:
  IpRange() = default;
  // "10.96.0.0/12". Bits of the address beyond the prefix are cleared, as net.ParseCIDR does.
  static Result<IpRange> Parse(std::string_view text);

  const IpAddress& base() const { return base_; }
  int prefix_bits() const { return prefix_bits_; }
  bool is_v4() const { return base_.is_v4(); }
  bool Contains(const IpAddress& address) const;
  // How many addresses there are; 2^64 - 1 stands for all that are more.
  uint64_t Size() const;
  // The address at an offset from the first; nothing when it is not in the range.
  std::optional<IpAddress> At(uint64_t offset) const;
  std::string ToString() const;

  bool operator==(const IpRange&) const = default;

 private:
  IpAddress base_;
  int prefix_bits_ = 32;
};

}  // namespace skiff
