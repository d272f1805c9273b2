#include "base/ip_address.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <limits>

#include <arpa/inet.h>

#include "base/strings.h"

namespace skiff {
namespace {

constexpr std::array<uint8_t, 12> kMappedPrefix{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};

std::string TextOfV4(const std::array<uint8_t, 16>& bytes) {
  std::string out;
  for (size_t i = 0; i < 4; ++i) {
    if (i > 0) out += '.';
    out += std::to_string(bytes[i]);
  }
  return out;
}

// The first of the longest runs of zeros, if it is longer than one, becomes "::". Unlike
// inet_ntop(), which writes ::102:304 as ::1.2.3.4.
std::string TextOfV6(const std::array<uint8_t, 16>& bytes) {
  constexpr size_t kGroups = 8;
  const auto group = [&](size_t i) { return bytes[2 * i] << 8 | bytes[2 * i + 1]; };
  size_t gap = kGroups;
  size_t gap_size = 1;
  for (size_t i = 0; i < kGroups; ++i) {
    size_t end = i;
    while (end < kGroups && group(end) == 0) ++end;
    if (end - i > gap_size) {
      gap = i;
      gap_size = end - i;
    }
    i = end;
  }
  std::string out;
  std::array<char, 4> digits;
  for (size_t i = 0; i < kGroups; ++i) {
    if (i == gap) {
      out += "::";
      i += gap_size - 1;
      continue;
    }
    if (!out.empty() && out.back() != ':') out += ':';
    const auto end = std::to_chars(digits.begin(), digits.end(), group(i), 16).ptr;
    out.append(digits.begin(), end);
  }
  return out;
}

}  // namespace

Result<IpAddress> IpAddress::Parse(std::string_view text) {
  const auto fault = [text] { return BadRequest(Quoted(text) + " is not an IP address"); };
  if (text.size() >= INET6_ADDRSTRLEN) return fault();
  const std::string terminated(text);
  if (terminated.find('\0') != std::string::npos) return fault();
  std::array<uint8_t, 16> bytes{};
  if (text.find(':') != std::string_view::npos) {
    if (inet_pton(AF_INET6, terminated.c_str(), bytes.data()) != 1) return fault();
    return FromBytes(bytes.data(), 16);
  }
  if (inet_pton(AF_INET, terminated.c_str(), bytes.data()) != 1) return fault();
  // glibc takes leading zeros, whose meaning differs from program to program.
  for (size_t i = 0; i + 1 < text.size(); ++i) {
    const bool begins = i == 0 || text[i - 1] == '.';
    if (begins && text[i] == '0' && IsDigit(text[i + 1])) return fault();
  }
  return FromBytes(bytes.data(), 4);
}

IpAddress IpAddress::FromBytes(const uint8_t* bytes, size_t size) {
  IpAddress out;
  if (size == 16 && std::equal(kMappedPrefix.begin(), kMappedPrefix.end(), bytes)) {
    bytes += kMappedPrefix.size();
    size = 4;
  }
  out.size_ = static_cast<uint8_t>(size);
  std::copy_n(bytes, size, out.bytes_.begin());
  return out;
}

IpAddress IpAddress::LoopbackV4() {
  constexpr std::array<uint8_t, 4> kBytes{127, 0, 0, 1};
  return FromBytes(kBytes.data(), kBytes.size());
}

bool IpAddress::IsUnspecified() const {
  return std::ranges::all_of(bytes_, [](uint8_t byte) { return byte == 0; });
}

bool IpAddress::IsLoopback() const {
  if (is_v4()) return bytes_[0] == 127;
  return bytes_[15] == 1 &&
         std::all_of(bytes_.begin(), bytes_.end() - 1, [](uint8_t byte) { return byte == 0; });
}

bool IpAddress::IsLinkLocal() const {
  if (is_v4()) return bytes_[0] == 169 && bytes_[1] == 254;
  return bytes_[0] == 0xfe && (bytes_[1] & 0xc0) == 0x80;
}

bool IpAddress::IsMulticast() const {
  return is_v4() ? (bytes_[0] & 0xf0) == 0xe0 : bytes_[0] == 0xff;
}

std::string IpAddress::ToString() const { return is_v4() ? TextOfV4(bytes_) : TextOfV6(bytes_); }

std::string IpAddress::WithPort(uint16_t port) const {
  const std::string host = is_v4() ? ToString() : "[" + ToString() + "]";
  return host + ":" + std::to_string(port);
}

std::optional<IpAddress> IpAddress::Plus(uint64_t offset) const {
  IpAddress out = *this;
  for (size_t i = size_; i-- > 0 && offset != 0;) {
    const uint64_t sum = out.bytes_[i] + (offset & 0xff);
    out.bytes_[i] = static_cast<uint8_t>(sum);
    offset = (offset >> 8) + (sum >> 8);
  }
  if (offset != 0) return std::nullopt;
  return out;
}

Result<IpRange> IpRange::Parse(std::string_view text) {
  const auto fault = [text] {
    return BadRequest(Quoted(text) + " is not a range of IP addresses such as 10.96.0.0/12");
  };
  const size_t slash = text.find('/');
  if (slash == std::string_view::npos) return fault();
  const std::string_view digits = text.substr(slash + 1);
  Result<IpAddress> base = IpAddress::Parse(text.substr(0, slash));
  if (!base || digits.empty() || digits.size() > 3 || !IsDigit(digits[0])) return fault();
  int bits = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), bits);
  if (error != std::errc() || end != digits.data() + digits.size()) return fault();
  if (bits > static_cast<int>(base->size() * 8) || (digits.size() > 1 && digits[0] == '0')) {
    return fault();
  }
  std::array<uint8_t, 16> bytes{};
  for (size_t i = 0; i < base->size(); ++i) {
    const int kept = std::clamp(bits - static_cast<int>(i) * 8, 0, 8);
    bytes[i] = static_cast<uint8_t>(base->bytes()[i] & (0xff00 >> kept));
  }
  IpRange out;
  out.base_ = IpAddress::FromBytes(bytes.data(), base->size());
  out.prefix_bits_ = bits;
  return out;
}

bool IpRange::Contains(const IpAddress& address) const {
  if (address.size() != base_.size()) return false;
  for (size_t i = 0; i < base_.size(); ++i) {
    const int kept = std::clamp(prefix_bits_ - static_cast<int>(i) * 8, 0, 8);
    const auto mask = static_cast<uint8_t>(0xff00 >> kept);
    if ((address.bytes()[i] & mask) != base_.bytes()[i]) return false;
  }
  return true;
}

uint64_t IpRange::Size() const {
  const int free_bits = static_cast<int>(base_.size() * 8) - prefix_bits_;
  if (free_bits >= 64) return std::numeric_limits<uint64_t>::max();
  return uint64_t{1} << free_bits;
}

std::optional<IpAddress> IpRange::At(uint64_t offset) const {
  const std::optional<IpAddress> address = base_.Plus(offset);
  if (!address || !Contains(*address)) return std::nullopt;
  return address;
}

std::string IpRange::ToString() const {
  return base_.ToString() + "/" + std::to_string(prefix_bits_);
}

}  // namespace skiff
