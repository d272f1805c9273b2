// What is wrong with an object, field by field: the causes of a 422, in the words of Kubernetes.
//
// A validator walks an object and says where it is as it goes down; faults are named relative to
// that place. Text of a path is only made when there is a fault to report.
//
//   const auto spec = errors.At("spec");
//   for (size_t i = 0; i < containers.size(); ++i) {
//     const auto container = errors.At("containers", i);       // spec.containers[i]
//     if (containers[i].image().empty()) errors.Required("image");
//     CheckLimits(containers[i].resources(), errors);           // enters "resources" itself
//   }
//
// It also knows how the server was started, for rules that depend on a feature gate.
//
// A field is a name below the place ("image"), a few of them ("resources.limits"), an item or a key
// ("ports[0]", "limits[cpu]"), or "" for the place itself.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/validation/kind_settings.h"
#include "base/status.h"
#include "object/scalar/names.h"
#include "object/value.h"

namespace skiff::apiserver {

// A value as a message shows it, of a long one its beginning (limits::kMaxCauseValueBytes). Its
// text is made when a message needs it, so that a fault that nobody is told of costs nothing: a
// Value must live as long as this does.
class ShownValue {
 public:
  ShownValue(std::string_view text);  // NOLINT: implicit, as arguments of faults
  ShownValue(const char* text) : ShownValue(std::string_view(text)) {}
  ShownValue(const std::string& text) : ShownValue(std::string_view(text)) {}
  ShownValue(int64_t number);
  ShownValue(int32_t number) : ShownValue(int64_t{number}) {}
  ShownValue(bool truth) : json_(truth ? "true" : "false") {}
  ShownValue(const object::Value& value) : value_(value), is_value_(true) {}  // as JSON
  ShownValue(const object::Value* value);                                     // null: "null"
  // A value that the message leaves out.
  static ShownValue Omitted() { return ShownValue(); }

  std::string json() const;

 private:
  ShownValue() = default;

  std::string json_;
  object::Value value_;
  bool is_value_ = false;
};

class FieldErrors {
 public:
  // The place is left when this goes.
  class [[nodiscard]] Scope {
   public:
    explicit Scope(FieldErrors& errors) : errors_(errors) {}
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;
    ~Scope() { errors_.place_.pop_back(); }

   private:
    FieldErrors& errors_;
  };

  // The settings are those that the rules ask for, and outlive it.
  explicit FieldErrors(const KindSettings& settings) : settings_(&settings) {}
  explicit FieldErrors(KindSettings&&) = delete;

  const KindSettings& settings() const { return *settings_; }
  bool IsOn(Gate gate) const { return settings_->gates.IsOn(gate); }

  // Names and keys must live as long as the scope.
  Scope At(std::string_view name);
  Scope At(std::string_view name, size_t index);
  Scope AtKey(std::string_view name, std::string_view key);

  // FieldValueRequired, and so on. `why` may be empty where it has a default.
  void Required(std::string_view field, std::string_view why = {});
  void Invalid(std::string_view field, const ShownValue& value, std::string_view why);
  // One fault for each problem.
  void Invalid(std::string_view field, const ShownValue& value,
               const object::NameProblems& problems);
  void NotSupported(std::string_view field, const ShownValue& value,
                    std::span<const std::string_view> supported);
  void NotSupported(std::string_view field, const ShownValue& value,
                    std::initializer_list<std::string_view> supported) {
    NotSupported(field, value, std::span(supported.begin(), supported.size()));
  }
  void Forbidden(std::string_view field, std::string_view why);
  // Forbidden, and no field is to blame; the path is "[]" then.
  void ForbiddenAltogether(std::string_view why);
  void Duplicate(std::string_view field, const ShownValue& value);
  void Duplicate(std::string_view field, const ShownValue& value, std::string_view why);
  void NotFound(std::string_view field, const ShownValue& value, std::string_view why = {});
  void TooLong(std::string_view field, size_t max_bytes);
  void TooMany(std::string_view field, size_t count, size_t max_count);
  void TypeInvalid(std::string_view field, const ShownValue& value, std::string_view why);
  void Internal(std::string_view field, std::string_view why);

  // All that were found. Those that an error has no room for are counted and not kept.
  bool empty() const { return size() == 0; }
  size_t size() const { return causes_.size() + left_out_; }
  const std::vector<StatusCause>& causes() const { return causes_; }
  size_t left_out() const { return left_out_; }
  // Whether what is found now is only counted, and such counting without finding.
  bool full() const;
  void LeaveOut(size_t count) { left_out_ += count; }
  std::vector<StatusCause> Take() { return std::move(causes_); }
  // Adds what others have found, whatever the place.
  void Append(FieldErrors others);
  void Append(std::vector<StatusCause> causes);

  // The place and the field as text: "spec.containers[0].image".
  std::string PathOf(std::string_view field) const;

 private:
  struct Step {
    static constexpr int64_t kNoIndex = -1;
    std::string_view name;
    int64_t index = kNoIndex;
    std::string_view key = {};
    bool has_key = false;
  };
  // False, and counted, if there is no room for another cause.
  bool TakesAnother();
  void Add(std::string_view reason, std::string_view field, std::string message);
  void Keep(StatusCause cause);

  const KindSettings* settings_;
  std::vector<Step> place_;
  std::vector<StatusCause> causes_;
  size_t bytes_ = 0;  // of the causes
  size_t left_out_ = 0;
};

}  // namespace skiff::apiserver
