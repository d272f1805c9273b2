#include "cel/values/ip.h"

#include <algorithm>

#include "base/strings.h"
#include "cel/values/go_quote.h"
#include "cel/values/numbers.h"

namespace skiff::cel {
namespace {

constexpr size_t kV4Bytes = 4;
constexpr size_t kV6Bytes = 16;

int HexValue(char c) {
  if (IsDigit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// Reads one text; faults name all of it, and mostly where it went wrong.
class AddressReader {
 public:
  explicit AddressReader(std::string_view text) : text_(text) {}

  Result<NetipAddress> Read() {
    // What comes first says what it is meant to be.
    const size_t mark = text_.find_first_of(".:%");
    if (mark == text_.npos) return Fault("unable to parse IP");
    if (text_[mark] == '%') return Fault("missing IPv6 address");
    if (text_[mark] == ':') return ReadV6();
    SKIFF_RETURN_IF_ERROR(ReadV4(text_, out_.bytes.data()));
    return out_;
  }

 private:
  std::unexpected<Status> Fault(std::string_view problem, std::string_view at = {}) const {
    std::string message = "ParseAddr(" + GoQuote(text_) + "): " + std::string(problem);
    if (!at.empty()) message += " (at " + GoQuote(at) + ")";
    return BadRequest(std::move(message));
  }

  Result<void> ReadV4(std::string_view text, uint8_t* to) const {
    int value = 0;
    int digits = 0;
    size_t field = 0;
    for (size_t i = 0; i < text.size(); ++i) {
      const char c = text[i];
      if (IsDigit(c)) {
        if (digits == 1 && value == 0) return Fault("IPv4 field has octet with leading zero");
        value = value * 10 + (c - '0');
        ++digits;
        if (value > 255) return Fault("IPv4 field has value >255");
      } else if (c != '.') {
        return Fault("unexpected character", text.substr(i));
      } else {
        if (digits == 0 || i + 1 == text.size()) {
          return Fault("IPv4 field must have at least one digit", text.substr(i));
        }
        if (field == 3) return Fault("IPv4 address too long");
        to[field++] = static_cast<uint8_t>(value);
        value = digits = 0;
      }
    }
    if (field < 3) return Fault("IPv4 address too short");
    to[3] = static_cast<uint8_t>(value);
    return {};
  }

  Result<NetipAddress> ReadV6() {
    out_.size = kV6Bytes;
    rest_ = text_;
    if (const size_t percent = text_.find('%'); percent != text_.npos) {
      if (percent + 1 == text_.size()) return Fault("zone must be a non-empty string");
      out_.has_zone = true;
      rest_ = text_.substr(0, percent);
    }
    if (rest_.starts_with("::")) {
      gap_ = 0;
      rest_.remove_prefix(2);
      if (rest_.empty()) return out_;
    }
    bool more = true;
    while (more && filled_ < kV6Bytes) {
      SKIFF_ASSIGN_OR_RETURN(more, ReadField());
    }
    if (!rest_.empty()) return Fault("trailing garbage after address", rest_);
    if (filled_ < kV6Bytes) {
      if (gap_ == kNoGap) return Fault("address string too short");
      FillGap();
    } else if (gap_ != kNoGap) {
      return Fault("the :: must expand to at least one field of zeros");
    }
    return out_;
  }

  // One field and the colon or colons behind it; false if it was the last.
  Result<bool> ReadField() {
    unsigned value = 0;
    size_t digits = 0;
    for (; digits < rest_.size() && HexValue(rest_[digits]) >= 0; ++digits) {
      if (digits > 3) return Fault("each group must have 4 or less digits", rest_);
      value = value << 4 | static_cast<unsigned>(HexValue(rest_[digits]));
    }
    if (digits == 0) {
      return Fault("each colon-separated field must have at least one digit", rest_);
    }
    if (digits < rest_.size() && rest_[digits] == '.') return ReadEmbeddedV4();
    out_.bytes[filled_++] = static_cast<uint8_t>(value >> 8);
    out_.bytes[filled_++] = static_cast<uint8_t>(value);
    rest_.remove_prefix(digits);
    if (rest_.empty()) return false;
    if (rest_[0] != ':') return Fault("unexpected character, want colon", rest_);
    if (rest_.size() == 1) return Fault("colon must be followed by more characters", rest_);
    rest_.remove_prefix(1);
    if (rest_[0] != ':') return true;
    if (gap_ != kNoGap) return Fault("multiple :: in address", rest_);
    gap_ = filled_;
    rest_.remove_prefix(1);
    return !rest_.empty();
  }

  Result<bool> ReadEmbeddedV4() {
    if (gap_ == kNoGap && filled_ != kV6Bytes - kV4Bytes) {
      return Fault("embedded IPv4 address must replace the final 2 fields of the address", rest_);
    }
    if (filled_ + kV4Bytes > kV6Bytes) {
      return Fault("too many hex fields to fit an embedded IPv4 at the end of the address", rest_);
    }
    SKIFF_RETURN_IF_ERROR(ReadV4(rest_, out_.bytes.data() + filled_));
    filled_ += kV4Bytes;
    rest_ = {};
    return false;
  }

  // Moves what follows the gap to the end.
  void FillGap() {
    const auto begin = out_.bytes.begin();
    const auto gap = begin + static_cast<ptrdiff_t>(gap_);
    const auto filled = begin + static_cast<ptrdiff_t>(filled_);
    std::fill(gap, std::move_backward(gap, filled, out_.bytes.end()), uint8_t{0});
  }

  static constexpr size_t kNoGap = kV6Bytes + 1;

  const std::string_view text_;
  std::string_view rest_;
  size_t gap_ = kNoGap;  // where :: stands
  size_t filled_ = 0;
  NetipAddress out_;
};

IpAddress ToAddress(const NetipAddress& parsed) {
  return IpAddress::FromBytes(parsed.bytes.data(), parsed.size);
}

auto MappedFault(std::string_view text) {
  return BadRequest("IPv4-mapped IPv6 address " + GoQuote(text) + " is not allowed");
}

Result<Cidr> ParsePrefix(std::string_view text) {
  const auto fault = [&](std::string_view problem) {
    return BadRequest(
        "network address parse error during conversion from string: "
        "netip.ParsePrefix(" +
        GoQuote(text) + "): " + std::string(problem));
  };
  const size_t slash = text.rfind('/');
  if (slash == text.npos) return fault("no '/'");
  const Result<NetipAddress> address = ParseNetipAddress(text.substr(0, slash));
  if (!address) return fault(address.error().message());
  if (address->has_zone) return fault("IPv6 zones cannot be present in a prefix");
  const std::string_view digits = text.substr(slash + 1);
  const auto bad_bits = [&] { return fault("bad bits after slash: " + GoQuote(digits)); };
  if (digits.size() > 1 && (digits[0] < '1' || digits[0] > '9')) return bad_bits();
  const Result<int64_t> bits = GoAtoi(digits);
  if (!bits) return bad_bits();
  if (*bits < 0 || *bits > static_cast<int64_t>(address->size * 8)) {
    return fault("prefix length out of range");
  }
  if (address->IsMapped()) return MappedFault(text);
  return Cidr{ToAddress(*address), static_cast<int>(*bits)};
}

// The first `bits` bits of the address; the others are zero.
IpAddress Prefix(const IpAddress& address, int bits) {
  std::array<uint8_t, kV6Bytes> bytes{};
  for (size_t i = 0; i < address.size(); ++i) {
    const int kept = std::clamp(bits - static_cast<int>(i) * 8, 0, 8);
    bytes[i] = static_cast<uint8_t>(address.bytes()[i] & (0xff00 >> kept));
  }
  return IpAddress::FromBytes(bytes.data(), address.size());
}

}  // namespace

bool NetipAddress::IsMapped() const {
  return size == kV6Bytes && bytes[10] == 0xff && bytes[11] == 0xff &&
         std::all_of(bytes.begin(), bytes.begin() + 10, [](uint8_t byte) { return byte == 0; });
}

Result<NetipAddress> ParseNetipAddress(std::string_view text) { return AddressReader(text).Read(); }

Result<IpAddress> IpFromText(std::string_view text) {
  const Result<NetipAddress> parsed = ParseNetipAddress(text);
  if (!parsed) {
    return BadRequest("IP Address " + GoQuote(text) +
                      " parse error during conversion from string: " + parsed.error().message());
  }
  if (parsed->has_zone) {
    return BadRequest("IP address " + GoQuote(text) + " with zone value is not allowed");
  }
  if (parsed->IsMapped()) return MappedFault(text);
  return ToAddress(*parsed);
}

bool IsIp(std::string_view text) { return IpFromText(text).has_value(); }

Result<bool> IsCanonicalIp(std::string_view text) {
  SKIFF_ASSIGN_OR_RETURN(const IpAddress address, IpFromText(text));
  return address.ToString() == text;
}

int64_t IpFamily(const IpAddress& address) { return address.is_v4() ? 4 : 6; }

bool IsLinkLocalMulticast(const IpAddress& address) {
  const uint8_t* const bytes = address.bytes();
  if (address.is_v4()) return bytes[0] == 224 && bytes[1] == 0 && bytes[2] == 0;
  return bytes[0] == 0xff && (bytes[1] & 0x0f) == 0x02;
}

bool IsLinkLocalUnicast(const IpAddress& address) { return address.IsLinkLocal(); }

bool IsGlobalUnicast(const IpAddress& address) {
  const bool is_broadcast =
      address.is_v4() && std::all_of(address.bytes(), address.bytes() + kV4Bytes,
                                     [](uint8_t byte) { return byte == 0xff; });
  return !is_broadcast && !address.IsUnspecified() && !address.IsLoopback() &&
         !address.IsMulticast() && !address.IsLinkLocal();
}

Result<Cidr> CidrFromText(std::string_view text) {
  Result<Cidr> out = ParsePrefix(text);
  if (!out) {
    return BadRequest("network address parse error during conversion from string: " +
                      out.error().message());
  }
  return out;
}

bool IsCidr(std::string_view text) { return CidrFromText(text).has_value(); }

std::string Text(const Cidr& cidr) {
  return cidr.address.ToString() + "/" + std::to_string(cidr.prefix_length);
}

Cidr Masked(const Cidr& cidr) {
  return {Prefix(cidr.address, cidr.prefix_length), cidr.prefix_length};
}

bool ContainsIp(const Cidr& cidr, const IpAddress& address) {
  return address.is_v4() == cidr.address.is_v4() &&
         Prefix(address, cidr.prefix_length) == Prefix(cidr.address, cidr.prefix_length);
}

bool ContainsCidr(const Cidr& outer, const Cidr& inner) {
  return outer.prefix_length <= inner.prefix_length && ContainsIp(outer, inner.address);
}

}  // namespace skiff::cel
