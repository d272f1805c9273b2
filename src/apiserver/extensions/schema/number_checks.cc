#include "apiserver/extensions/schema/number_checks.h"

#include <cmath>
#include <limits>
#include <string>
#include <string_view>

#include "apiserver/extensions/schema/go_numbers.h"

namespace skiff::apiserver {
namespace {

double AsFraction(const object::Value& number) {
  return number.tag() == object::Tag::kInt ? static_cast<double>(number.AsInt())
                                           : number.AsDouble();
}

class NumberChecker {
 public:
  NumberChecker(SchemaType type, const SchemaChecks& checks, const object::Value& number,
                const object::PathNode& path, ValueFaults& faults)
      : type_(type),
        checks_(checks),
        bounds_(checks.Bounds()),
        number_(number),
        path_(path),
        faults_(faults) {}

  void Run() {
    if (!IsInRange(number_)) SayRange("Checked");
    if (bounds_.has(SchemaBounds::kMultipleOf)) CheckMultiple();
    if (bounds_.has(SchemaBounds::kMinimum)) CheckMinimum();
    if (bounds_.has(SchemaBounds::kMaximum)) CheckMaximum();
  }

 private:
  bool is_integer() const { return number_.tag() == object::Tag::kInt; }

  // Whether the type and format can hold the number.
  bool IsInRange(const object::Value& number) const {
    if (type_ == SchemaType::kInteger) {
      const bool is_small = checks_.format == ValueFormat::kInt32;
      if (number.tag() == object::Tag::kInt) return !is_small || IsInt32(number.AsInt());
      constexpr double kTwo63 = 9223372036854775808.0;
      const double value = number.AsDouble();
      if (value != std::floor(value) || value < -kTwo63 || value >= kTwo63) return false;
      return !is_small || IsInt32(static_cast<int64_t>(value));
    }
    if (type_ != SchemaType::kNumber || checks_.format != ValueFormat::kFloat) return true;
    // What would be rounded to the largest float still fits.
    constexpr double kHalfUlp = 0x1p103;
    return std::fabs(AsFraction(number)) <
           static_cast<double>(std::numeric_limits<float>::max()) + kHalfUlp;
  }
  bool IsInRange(double bound) const { return IsInRange(object::Value::Double(bound)); }

  static bool IsInt32(int64_t number) {
    return number >= std::numeric_limits<int32_t>::min() &&
           number <= std::numeric_limits<int32_t>::max();
  }

  void SayRange(std::string_view what) {
    if (!faults_.keeps()) return faults_.Says("");
    std::string why(what);
    why += type_ == SchemaType::kInteger ? " value must be of type integer "
                                         : " value must be of type number ";
    if (checks_.format == ValueFormat::kNone || IsTextFormat(checks_.format)) {
      why += "(default format)";
    } else {
      (why += "with format ") += checks_.format_name;
    }
    faults_.Says(why + " in " + path_.ToString());
  }

  void CheckMultiple() {
    const double factor = bounds_.multiple_of;
    const bool fits = IsInRange(factor);
    if (!fits) SayRange("MultipleOf");
    if (fits && is_integer()) return CheckWholeMultiple(GoInteger(factor));
    if (factor <= 0) return SayNotPositive(GoFloatText(factor));
    const double value = AsFraction(number_);
    const double times = factor < 1 ? 1 / factor * value : value / factor;
    if (!IsJsonInteger(times)) {
      faults_.Breaks(path_, GoFloatText(value), "should be a multiple of " + GoFloatText(factor));
    }
  }

  void CheckWholeMultiple(int64_t factor) {
    if (factor <= 0) return SayNotPositive(std::to_string(factor));
    if (number_.AsInt() % factor != 0) {
      faults_.Breaks(path_, GoShown(number_), "should be a multiple of " + std::to_string(factor));
    }
  }

  void SayNotPositive(const std::string& factor) {
    faults_.BreaksInWords(
        path_, factor,
        "factor MultipleOf declared for " + path_.ToString() + " must be positive: " + factor);
  }

  void CheckMinimum() {
    const double minimum = bounds_.minimum;
    const bool fits = IsInRange(minimum);
    if (!fits) SayRange("Minimum boundary");
    const bool exclusive = bounds_.exclusive_minimum;
    const std::string_view what = exclusive ? "should be greater than "  //
                                            : "should be greater than or equal to ";
    if (fits && is_integer()) {
      const int64_t bound = GoInteger(minimum);
      const int64_t value = number_.AsInt();
      if (exclusive ? value > bound : value >= bound) return;
      return SayBound(what, std::to_string(bound), std::to_string(value));
    }
    const double value = AsFraction(number_);
    if (exclusive ? value > minimum : value >= minimum) return;
    SayBound(what, GoFloatText(minimum), GoFloatText(value));
  }

  void CheckMaximum() {
    const double maximum = bounds_.maximum;
    const bool fits = IsInRange(maximum);
    if (!fits) SayRange("Maximum boundary");
    const bool exclusive = bounds_.exclusive_maximum;
    const std::string_view what = exclusive ? "should be less than "  //
                                            : "should be less than or equal to ";
    if (fits && is_integer()) {
      const int64_t bound = GoInteger(maximum);
      const int64_t value = number_.AsInt();
      if (exclusive ? value < bound : value <= bound) return;
      return SayBound(what, std::to_string(bound), std::to_string(value));
    }
    const double value = AsFraction(number_);
    if (exclusive ? value < maximum : value <= maximum) return;
    SayBound(what, GoFloatText(maximum), GoFloatText(value));
  }

  // An integer that is compared as a fraction is shown as one.
  void SayBound(std::string_view what, const std::string& bound, const std::string& shown) {
    faults_.Breaks(path_, shown, std::string(what) + bound);
  }

  const SchemaType type_;
  const SchemaChecks& checks_;
  const SchemaBounds bounds_;
  const object::Value& number_;
  const object::PathNode& path_;
  ValueFaults& faults_;
};

}  // namespace

void CheckNumber(SchemaType type, const SchemaChecks& checks, const object::Value& number,
                 const object::PathNode& path, ValueFaults& faults) {
  NumberChecker(type, checks, number, path, faults).Run();
}

}  // namespace skiff::apiserver
