#include "object/scalar/quantity.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <charconv>
#include <cmath>
#include <limits>

#include "base/limits.h"
#include "base/strings.h"

namespace skiff::object {
namespace {

using Format = QuantityFormat;

// Digits that always fit in 64 bits.
constexpr size_t kShortDigits = 18;

constexpr char kFormatWrong[] =
    "quantities must match the regular expression "
    "'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
constexpr char kBadNumber[] = "unable to parse numeric part of quantity";
constexpr char kBadSuffix[] = "unable to parse quantity's suffix";

constexpr auto kPowersOfTen = [] {
  std::array<int64_t, 19> powers{1};
  for (size_t i = 1; i < powers.size(); ++i) powers[i] = powers[i - 1] * 10;
  return powers;
}();

constexpr std::string_view kDecimalSuffixes = "num kMGTPE";  // 10^-9, 10^-6 …; the blank is 10^0
constexpr std::string_view kBinarySuffixes = "KMGTPE";       // 1024^1 …
constexpr int kLargestDecimalExponent = 18;
constexpr int kLargestBinaryPower = 6;

std::unexpected<Status> TooLarge() {
  return BadRequest("quantity is too large: more than " +
                    std::to_string(limits::kMaxQuantityDigits) + " digits");
}

struct Suffix {
  Format format;
  int32_t exponent;  // of ten, or of two for kBinarySI
};

std::optional<Suffix> ParseSuffix(std::string_view text) {
  if (text.empty()) return Suffix{Format::kDecimalSI, 0};
  if (text.size() == 1 && text[0] != ' ') {
    const size_t index = kDecimalSuffixes.find(text[0]);
    if (index == std::string_view::npos) return std::nullopt;
    return Suffix{Format::kDecimalSI, static_cast<int32_t>(index) * 3 - 9};
  }
  if (text.size() == 2 && text[1] == 'i') {
    const size_t index = kBinarySuffixes.find(text[0]);
    if (index == std::string_view::npos) return std::nullopt;
    return Suffix{Format::kBinarySI, static_cast<int32_t>(index) * 10 + 10};
  }
  if (text[0] != 'e' && text[0] != 'E') return std::nullopt;
  text.remove_prefix(1);
  if (text.size() > 1 && text[0] == '+' && IsDigit(text[1])) text.remove_prefix(1);
  int64_t exponent = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), exponent);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  // Kubernetes keeps the low 32 bits.
  return Suffix{Format::kDecimalExponent, static_cast<int32_t>(exponent)};
}

// Whether the suffix has the shape that tells a bad suffix from text that is no quantity at all.
bool LooksLikeSuffix(std::string_view text) {
  size_t at = 0;
  while (at < text.size() && std::string_view("eEinumkKMGTP").find(text[at]) != text.npos) ++at;
  if (at < text.size() && (text[at] == '+' || text[at] == '-')) ++at;
  while (at < text.size() && IsDigit(text[at])) ++at;
  return at == text.size();
}

std::string_view TakeDigits(std::string_view& text) {
  size_t count = 0;
  while (count < text.size() && IsDigit(text[count])) ++count;
  const std::string_view digits = text.substr(0, count);
  text.remove_prefix(count);
  return digits;
}

// Divides by 10^places, rounding away from zero; false if there was a remainder.
bool DivideRoundingUp(int64_t& value, int64_t places) {
  if (value == 0 || places == 0) return true;
  if (places >= static_cast<int64_t>(kPowersOfTen.size())) {
    value = value > 0 ? 1 : -1;
    return false;
  }
  const int64_t divisor = kPowersOfTen[static_cast<size_t>(places)];
  const int64_t remainder = value % divisor;
  value /= divisor;
  if (remainder != 0) value += remainder > 0 ? 1 : -1;
  return remainder == 0;
}

// Multiplies by 10^places; false if that overflows, and then the value is unchanged.
bool MultiplyByPowerOfTen(int64_t& value, int64_t places) {
  if (value == 0) return true;
  if (places >= static_cast<int64_t>(kPowersOfTen.size())) return false;
  int64_t product;
  if (__builtin_mul_overflow(value, kPowersOfTen[static_cast<size_t>(places)], &product)) {
    return false;
  }
  value = product;
  return true;
}

int64_t Saturated(bool negative) {
  return negative ? std::numeric_limits<int64_t>::min() : std::numeric_limits<int64_t>::max();
}

}  // namespace

struct Quantity::Parts {
  std::string_view text;
  bool negative = false;
  bool has_digits = false;   // any, zeros included
  bool plain = true;         // no sign but -, no leading zeros, no decimal point
  std::string_view integer;  // without leading zeros, but "0" if nothing is left
  std::string_view fraction;
  Suffix suffix{Format::kDecimalSI, 0};
};

Quantity::Quantity(const Quantity& other)
    : value_(other.value_),
      scale_(other.scale_),
      format_(other.format_),
      big_(other.big_ ? std::make_unique<Decimal>(*other.big_) : nullptr),
      kept_text_(other.kept_text_) {}

Quantity& Quantity::operator=(const Quantity& other) {
  if (this != &other) *this = Quantity(other);
  return *this;
}

Result<Quantity> Quantity::Parse(std::string_view text) {
  if (text.empty()) return BadRequest(kFormatWrong);
  if (text.size() > limits::kMaxQuantityBytes) {
    return BadRequest("quantity is longer than " + std::to_string(limits::kMaxQuantityBytes) +
                      " bytes");
  }
  Parts parts;
  parts.text = text;
  std::string_view rest = text;
  if (rest[0] == '+' || rest[0] == '-') {
    parts.negative = rest[0] == '-';
    parts.plain = parts.negative;
    rest.remove_prefix(1);
  }
  std::string_view digits = TakeDigits(rest);
  parts.has_digits = !digits.empty();
  if (digits.empty() || digits[0] == '0') parts.plain = false;
  digits.remove_prefix(std::min(digits.find_first_not_of('0'), digits.size()));
  parts.integer = digits.empty() ? "0" : digits;
  if (!rest.empty() && rest[0] == '.') {
    parts.plain = false;
    rest.remove_prefix(1);
    parts.fraction = TakeDigits(rest);
    parts.has_digits |= !parts.fraction.empty();
  }
  if (!LooksLikeSuffix(rest)) return BadRequest(kFormatWrong);
  const std::optional<Suffix> suffix = ParseSuffix(rest);
  if (!suffix) return BadRequest(kBadSuffix);
  parts.suffix = *suffix;
  return FromParts(parts);
}

Result<Quantity> Quantity::FromParts(const Parts& parts) {
  Quantity quantity;
  quantity.format_ = parts.suffix.format;
  if (!quantity.SetFromShortParts(parts)) return FromLongParts(parts);
  const int64_t most_digits = static_cast<int64_t>(limits::kMaxQuantityDigits);
  if (quantity.value_ != 0 && quantity.scale_ > most_digits - int64_t{kShortDigits} - 1 &&
      Decimal(quantity.value_, quantity.scale_).IntegerDigits() > most_digits) {
    return TooLarge();
  }
  return quantity;
}

// The road of nearly all quantities. Which numbers are short enough for it is Kubernetes' rule and
// can be seen from outside: only these keep their text.
bool Quantity::SetFromShortParts(const Parts& parts) {
  const bool binary = parts.suffix.format == Format::kBinarySI;
  if (binary) {
    const int64_t bits_as_digits = parts.suffix.exponent * 3 / 10;
    if (!parts.fraction.empty()) return false;
    if (static_cast<int64_t>(parts.integer.size()) > 14 - bits_as_digits) return false;
  } else if (parts.integer.size() + parts.fraction.size() > kShortDigits) {
    return false;
  }
  const int64_t scale =
      binary ? 0 : int64_t{parts.suffix.exponent} - static_cast<int64_t>(parts.fraction.size());
  if (scale < kNano) return false;

  int64_t number = 0;
  for (const char c : parts.integer) number = number * 10 + (c - '0');
  for (const char c : parts.fraction) number = number * 10 + (c - '0');
  value_ = binary ? number << parts.suffix.exponent : number;
  if (parts.negative) value_ = -value_;
  // A zero below 1 remembers that, since it is then no integer to Kubernetes.
  scale_ = static_cast<int32_t>(number == 0 ? std::min<int64_t>(scale, 0) : scale);

  const bool keeps_text =
      binary ? (number & 7) != 0 : scale % 3 == 0 && number % 1000 != 0 && parts.integer[0] != '0';
  if (keeps_text && (!parts.plain || format_ == Format::kDecimalExponent)) kept_text_ = parts.text;
  return true;
}

Result<Quantity> Quantity::FromLongParts(const Parts& parts) {
  if (!parts.has_digits) return BadRequest(kBadNumber);
  std::string digits(parts.integer);
  digits += parts.fraction;
  const bool binary = parts.suffix.format == Format::kBinarySI;
  const int64_t exponent =
      -static_cast<int64_t>(parts.fraction.size()) + (binary ? 0 : int64_t{parts.suffix.exponent});
  Decimal number(parts.negative, digits, exponent);
  if (binary) number.Multiply(uint64_t{1} << parts.suffix.exponent);
  number.RoundUp(kNano);
  Quantity quantity;
  quantity.format_ = parts.suffix.format;
  if (binary) {
    Decimal cap(std::numeric_limits<int64_t>::max(), 0);
    if (parts.negative) cap.Negate();
    if (number.Compare(cap) * (parts.negative ? -1 : 1) > 0) number = std::move(cap);
    if (!number.IsZero() && number.IntegerDigits() <= 0) quantity.format_ = Format::kDecimalSI;
  }
  if (number.IntegerDigits() > static_cast<int64_t>(limits::kMaxQuantityDigits)) return TooLarge();
  quantity.big_ = std::make_unique<Decimal>(std::move(number));
  return quantity;
}

Decimal Quantity::ToDecimal() const { return big_ ? *big_ : Decimal(value_, scale_); }

void Quantity::BecomeDecimal() {
  if (!big_) big_ = std::make_unique<Decimal>(value_, scale_);
  value_ = 0;
  scale_ = 0;
}

int Quantity::Sign() const {
  if (big_) return big_->Sign();
  return value_ == 0 ? 0 : value_ < 0 ? -1 : 1;
}

int Quantity::Compare(const Quantity& other) const {
  if (big_ || other.big_) return ToDecimal().Compare(other.ToDecimal());
  if (Sign() != other.Sign()) return Sign() - other.Sign();
  int64_t left = value_;
  int64_t right = other.value_;
  const int64_t apart = int64_t{scale_} - other.scale_;
  // One that does not fit in 64 bits at the scale of the other is the larger in magnitude.
  if (apart > 0 && !MultiplyByPowerOfTen(left, apart)) return Sign();
  if (apart < 0 && !MultiplyByPowerOfTen(right, -apart)) return -Sign();
  return left < right ? -1 : left > right ? 1 : 0;
}

void Quantity::Add(const Quantity& other) {
  kept_text_.clear();
  if (IsZero()) format_ = other.format_;
  if (!big_ && !other.big_) {
    if (other.value_ == 0) return;
    if (value_ == 0) scale_ = other.scale_;
    int64_t left = value_;
    int64_t right = other.value_;
    const int64_t apart = int64_t{scale_} - other.scale_;
    const bool aligned =
        apart >= 0 ? MultiplyByPowerOfTen(left, apart) : MultiplyByPowerOfTen(right, -apart);
    int64_t sum;
    if (aligned && !__builtin_add_overflow(left, right, &sum)) {
      value_ = sum;
      scale_ = std::min(scale_, other.scale_);
      return;
    }
  }
  const Decimal addend = other.ToDecimal();
  BecomeDecimal();
  big_->Add(addend);
}

void Quantity::Sub(const Quantity& other) {
  Quantity negated = other;
  negated.Negate();
  Add(negated);
}

void Quantity::Negate() {
  kept_text_.clear();
  if (!big_ && value_ != std::numeric_limits<int64_t>::min()) {
    value_ = -value_;
    return;
  }
  BecomeDecimal();
  big_->Negate();
}

void Quantity::Multiply(int64_t factor) {
  kept_text_.clear();
  int64_t product;
  if (!big_ && !__builtin_mul_overflow(value_, factor, &product)) {
    value_ = product;
    return;
  }
  BecomeDecimal();
  big_->Multiply(factor < 0 ? 0 - static_cast<uint64_t>(factor) : static_cast<uint64_t>(factor));
  if (factor < 0) big_->Negate();
}

bool Quantity::RoundUp(int scale) {
  if (big_) {
    kept_text_.clear();
    return big_->RoundUp(scale);
  }
  if (scale_ >= scale) return true;
  kept_text_.clear();
  const bool exact = DivideRoundingUp(value_, int64_t{scale} - scale_);
  scale_ = scale;
  return exact;
}

int64_t Quantity::ScaledValue(int scale) const {
  if (big_) {
    if (big_->IsZero()) return 0;
    if (big_->IntegerDigits() - scale > 20) return Saturated(big_->Sign() < 0);
    Decimal shifted(big_->Sign() < 0, big_->digits(), big_->exponent() - scale);
    shifted.RoundUp(0);
    shifted.LowerExponent(0);
    return shifted.ToInt64Saturated();
  }
  int64_t value = value_;
  const int64_t apart = int64_t{scale_} - scale;
  if (apart < 0) {
    DivideRoundingUp(value, -apart);
  } else if (!MultiplyByPowerOfTen(value, apart)) {
    return Saturated(value_ < 0);
  }
  return value;
}

std::optional<int64_t> Quantity::AsInt64() const {
  if (big_ || scale_ < 0) return std::nullopt;
  int64_t value = value_;
  if (!MultiplyByPowerOfTen(value, scale_)) return std::nullopt;
  return value;
}

double Quantity::AsApproximateDouble() const {
  if (big_) {
    // Kubernetes has such amounts in units of nano, and rounds that number before it scales it.
    Decimal nanos = *big_;
    nanos.LowerExponent(kNano);
    return Decimal(nanos.Sign() < 0, nanos.digits(), 0).ToDouble() *
           Decimal(1, nanos.exponent()).ToDouble();
  }
  if (scale_ == 0) return static_cast<double>(value_);
  return static_cast<double>(value_) * Decimal(1, scale_).ToDouble();
}

namespace {

// Writes digits × 10^exponent with the largest suffix; the digits may end in zeros.
void AppendWithDecimalSuffix(std::string_view digits, int64_t exponent, Format format,
                             std::string& out) {
  while (digits.size() > 1 && digits.back() == '0') {
    digits.remove_suffix(1);
    ++exponent;
  }
  int64_t shown = exponent - ((exponent % 3) + 3) % 3;
  if (format == Format::kDecimalSI) shown = std::min<int64_t>(shown, kLargestDecimalExponent);
  out += digits;
  out.append(static_cast<size_t>(exponent - shown), '0');
  if (shown == 0) return;
  if (format == Format::kDecimalSI) {
    out += kDecimalSuffixes[static_cast<size_t>((shown + 9) / 3)];
  } else {
    out += 'e';
    out += std::to_string(shown);
  }
}

}  // namespace

void Quantity::AppendDecimal(Format format, std::string& out) const {
  if (Sign() < 0) out += '-';
  if (big_) {
    AppendWithDecimalSuffix(big_->digits(), big_->exponent(), format, out);
    return;
  }
  char digits[20];
  const uint64_t magnitude = value_ < 0 ? 0 - static_cast<uint64_t>(value_) : value_;
  const auto end = std::to_chars(digits, digits + sizeof(digits), magnitude).ptr;
  AppendWithDecimalSuffix({digits, end}, scale_, format, out);
}

// Of a whole number.
void Quantity::AppendBinary(std::string& out) const {
  Decimal number = ToDecimal();
  if (Sign() < 0) out += '-';
  number.RoundUp(0);
  number.LowerExponent(0);
  int power = 0;
  for (Decimal quotient = number; power < kLargestBinaryPower && quotient.DivideBy(1024) == 0;
       ++power) {
    number = quotient;
  }
  out += number.digits();
  if (power == 0) return;
  out += kBinarySuffixes[static_cast<size_t>(power) - 1];
  out += 'i';
}

void Quantity::AppendCanonical(std::string& out) const {
  if (!kept_text_.empty()) {
    out += kept_text_;
    return;
  }
  if (IsZero()) {
    out += '0';
    return;
  }
  if (format_ != Format::kBinarySI) return AppendDecimal(format_, out);
  const bool small = Compare(Quantity(1024)) < 0 && Compare(Quantity(-1024)) > 0;
  if (small || !Quantity(*this).RoundUp(0)) return AppendDecimal(Format::kDecimalSI, out);
  AppendBinary(out);
}

std::string Quantity::ToString() const {
  std::string out;
  AppendCanonical(out);
  return out;
}

namespace {

struct SuffixLetter {
  bool decimal = false;
  uint8_t binary_power = 0;  // of 1024, when an i follows; 0 is none
};

constexpr auto kSuffixLetters = [] {
  std::array<SuffixLetter, 256> letters{};
  for (const char c : kDecimalSuffixes) letters[static_cast<uint8_t>(c)].decimal = c != ' ';
  for (size_t i = 0; i < kBinarySuffixes.size(); ++i) {
    letters[static_cast<uint8_t>(kBinarySuffixes[i])].binary_power = static_cast<uint8_t>(i + 1);
  }
  return letters;
}();

}  // namespace

// A few rare texts, such as those of 19 digits and with exponents, are left to the full parser.
bool IsPlainlyCanonical(std::string_view text) {
  if (text == "0") return true;
  size_t at = !text.empty() && text[0] == '-' ? 1 : 0;
  const size_t first = at;
  if (at == text.size() || text[at] == '0') return false;
  uint64_t number = 0;
  for (; at < text.size() && IsDigit(text[at]); ++at) {
    if (at - first == kShortDigits) return false;
    number = number * 10 + static_cast<unsigned>(text[at] - '0');
  }
  if (number == 0) return false;
  const size_t suffix_size = text.size() - at;
  if (suffix_size == 0) return number % 1000 != 0;
  const SuffixLetter letter = kSuffixLetters[static_cast<uint8_t>(text[at])];
  if (suffix_size == 1) return letter.decimal && number % 1000 != 0;
  if (suffix_size != 2 || text[at + 1] != 'i' || letter.binary_power == 0) return false;
  return number % 1024 != 0 && number >> (63 - 10 * letter.binary_power) == 0;
}

Result<std::string_view> CanonicalizeQuantity(std::string_view text, std::string& scratch) {
  if (IsPlainlyCanonical(text)) [[likely]]
    return text;
  SKIFF_ASSIGN_OR_RETURN(const Quantity quantity, Quantity::Parse(text));
  std::string canonical;
  quantity.AppendCanonical(canonical);
  if (canonical == text) return text;
  scratch = std::move(canonical);
  return std::string_view(scratch);
}

}  // namespace skiff::object
