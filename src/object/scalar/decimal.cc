#include "object/scalar/decimal.h"

#include <algorithm>
#include <cassert>
#include <cstdlib>
#include <limits>

namespace skiff::object {
namespace {

// a + b, digit by digit from the right.
std::string AddDigits(const std::string& a, const std::string& b) {
  const std::string& longer = a.size() >= b.size() ? a : b;
  const std::string& shorter = a.size() >= b.size() ? b : a;
  std::string sum = longer;
  int carry = 0;
  for (size_t i = 0; i < sum.size() && (carry != 0 || i < shorter.size()); ++i) {
    char& digit = sum[sum.size() - 1 - i];
    const int addend = i < shorter.size() ? shorter[shorter.size() - 1 - i] - '0' : 0;
    const int value = digit - '0' + addend + carry;
    digit = static_cast<char>('0' + value % 10);
    carry = value / 10;
  }
  if (carry != 0) sum.insert(sum.begin(), '1');
  return sum;
}

// a - b where a ≥ b.
std::string SubtractDigits(const std::string& a, const std::string& b) {
  std::string difference = a;
  int borrow = 0;
  for (size_t i = 0; i < a.size() && (borrow != 0 || i < b.size()); ++i) {
    char& digit = difference[a.size() - 1 - i];
    int value = digit - '0' - borrow - (i < b.size() ? b[b.size() - 1 - i] - '0' : 0);
    borrow = value < 0 ? 1 : 0;
    digit = static_cast<char>('0' + value + 10 * borrow);
  }
  return difference;
}

}  // namespace

Decimal::Decimal(int64_t value, int64_t exponent) : negative_(value < 0), exponent_(exponent) {
  const uint64_t magnitude = value < 0 ? 0 - static_cast<uint64_t>(value) : value;
  if (magnitude != 0) digits_ = std::to_string(magnitude);
  StripLeadingZeros();
}

Decimal::Decimal(bool negative, std::string_view digits, int64_t exponent)
    : negative_(negative), exponent_(exponent), digits_(digits) {
  StripLeadingZeros();
}

void Decimal::StripLeadingZeros() {
  digits_.erase(0, std::min(digits_.find_first_not_of('0'), digits_.size()));
  if (digits_.empty()) {
    negative_ = false;
    exponent_ = 0;
  }
}

int Decimal::CompareMagnitude(const Decimal& a, const Decimal& b) {
  if (a.IsZero() || b.IsZero()) return static_cast<int>(b.IsZero()) - static_cast<int>(a.IsZero());
  if (a.IntegerDigits() != b.IntegerDigits()) return a.IntegerDigits() < b.IntegerDigits() ? -1 : 1;
  const size_t common = std::min(a.digits_.size(), b.digits_.size());
  const int order = a.digits_.compare(0, common, b.digits_, 0, common);
  if (order != 0) return order;
  // The longer one is greater if anything but zeros follows.
  if (a.digits_.find_first_not_of('0', common) != std::string::npos) return 1;
  if (b.digits_.find_first_not_of('0', common) != std::string::npos) return -1;
  return 0;
}

int Decimal::Compare(const Decimal& other) const {
  if (Sign() != other.Sign()) return Sign() - other.Sign();
  const int order = CompareMagnitude(*this, other);
  return negative_ ? -order : order;
}

void Decimal::Add(const Decimal& other) {
  if (other.IsZero()) return;
  if (IsZero()) {
    *this = other;
    return;
  }
  Decimal addend = other;
  const int64_t exponent = std::min(exponent_, other.exponent_);
  LowerExponent(exponent);
  addend.LowerExponent(exponent);
  if (negative_ == addend.negative_) {
    digits_ = AddDigits(digits_, addend.digits_);
    return;
  }
  if (CompareMagnitude(*this, addend) < 0) std::swap(*this, addend);
  digits_ = SubtractDigits(digits_, addend.digits_);
  StripLeadingZeros();
}

void Decimal::Multiply(uint64_t factor) {
  unsigned __int128 carry = 0;
  for (size_t i = digits_.size(); i-- > 0;) {
    carry += static_cast<unsigned __int128>(factor) * static_cast<unsigned>(digits_[i] - '0');
    digits_[i] = static_cast<char>('0' + static_cast<int>(carry % 10));
    carry /= 10;
  }
  std::string high;
  for (; carry != 0; carry /= 10) high += static_cast<char>('0' + static_cast<int>(carry % 10));
  digits_.insert(0, std::string(high.rbegin(), high.rend()));
  StripLeadingZeros();
}

uint32_t Decimal::DivideBy(uint32_t divisor) {
  assert(exponent_ == 0);
  uint64_t remainder = 0;
  for (char& digit : digits_) {
    remainder = remainder * 10 + static_cast<unsigned>(digit - '0');
    digit = static_cast<char>('0' + remainder / divisor);
    remainder %= divisor;
  }
  StripLeadingZeros();
  return static_cast<uint32_t>(remainder);
}

bool Decimal::RoundUp(int64_t exponent) {
  if (IsZero() || exponent_ >= exponent) return true;
  const int64_t cut = exponent - exponent_;
  exponent_ = exponent;
  if (cut >= static_cast<int64_t>(digits_.size())) {
    digits_ = "1";  // less than one unit, but not zero
    return false;
  }
  const size_t kept = digits_.size() - static_cast<size_t>(cut);
  const bool exact = digits_.find_first_not_of('0', kept) == std::string::npos;
  digits_.resize(kept);
  if (!exact) digits_ = AddDigits(digits_, "1");
  return exact;
}

void Decimal::LowerExponent(int64_t exponent) {
  if (IsZero() || exponent >= exponent_) return;
  digits_.append(static_cast<size_t>(exponent_ - exponent), '0');
  exponent_ = exponent;
}

void Decimal::Normalize() {
  const size_t kept = digits_.find_last_not_of('0') + 1;
  exponent_ += static_cast<int64_t>(digits_.size() - kept);
  digits_.resize(kept);
}

int64_t Decimal::ToInt64Saturated() const {
  assert(exponent_ == 0);
  constexpr uint64_t kMax = std::numeric_limits<int64_t>::max();
  const uint64_t limit = negative_ ? kMax + 1 : kMax;
  uint64_t magnitude = 0;
  if (digits_.size() > 19) {
    magnitude = limit;
  } else {
    for (const char c : digits_) magnitude = magnitude * 10 + static_cast<unsigned>(c - '0');
    magnitude = std::min(magnitude, limit);
  }
  return static_cast<int64_t>(negative_ ? 0 - magnitude : magnitude);
}

double Decimal::ToDouble() const {
  if (IsZero()) return 0;
  const std::string text = (negative_ ? "-" : "") + digits_ + "e" + std::to_string(exponent_);
  return std::strtod(text.c_str(), nullptr);
}

}  // namespace skiff::object
