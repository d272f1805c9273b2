// What a validator finds wrong with a value, in Kubernetes' words, until it is known which of it
// counts: the faults of an alternative that does not hold are taken back, and so are those of what
// an update left alone.
//
// The name of a value is the text of its path, as the messages have it. A bounded number of faults
// is kept, several times as many as are told, since some say the same; the rest is counted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/validation/field_errors.h"
#include "base/limits.h"
#include "base/status.h"
#include "object/path.h"
#include "object/value.h"

namespace skiff::apiserver {

class ValueFaults {
 public:
  // `base` is the field that the validated value is, for paths of causes; empty: the whole object.
  explicit ValueFaults(std::string_view base) : base_(base) {}

  // Required value.
  void MissesField(const object::PathNode& path, std::string_view field);
  // "<name> in body must be of type <wanted>: "<given>"".
  void HasType(const object::PathNode& path, std::string_view wanted, std::string_view given);
  void IsNotOneOf(const object::PathNode& path, const object::Value& value,
                  std::span<const object::Value> allowed);
  void IsTooLong(const object::PathNode& path, int64_t max);
  void HasTooMany(const object::PathNode& path, size_t count, int64_t max);
  // "<name> in body <why>", with the value as it is shown.
  void Breaks(const object::PathNode& path, const std::string& shown, std::string_view why);
  // The same, but the name stands in `why`.
  void BreaksInWords(const object::PathNode& path, const std::string& shown, std::string why);
  // A message that names no field, of the whole.
  void Says(std::string why);
  // A field that no schema allows.
  void HasForbidden(const object::PathNode& path, std::string_view field);

  // All that was found, kept or not.
  size_t found() const { return found_; }
  bool keeps() const { return faults_.size() < 4 * limits::kMaxStatusCauses; }

  struct Mark {
    size_t kept;
    size_t found;
  };
  Mark Here() const { return {faults_.size(), found_}; }
  void TakeBack(Mark mark);
  // What was found since the mark, which is taken out; and back in.
  struct Taken;
  Taken TakeOut(Mark mark);
  void PutBack(Taken taken);

  // Each message once.
  void Report(FieldErrors& errors) &&;

 private:
  struct Fault {
    StatusCause cause;
    std::string text;  // by which equal ones are told
  };
  // Whether to make a fault of what is found.
  bool Finds();
  void Add(std::string_view name, std::string text, StatusCause cause);
  std::string FieldOf(std::string_view name) const;

  const std::string base_;
  std::vector<Fault> faults_;
  size_t found_ = 0;
};

struct ValueFaults::Taken {
  std::vector<Fault> faults;
  size_t found = 0;
};

// A value as messages show it: as Go prints numbers and quotes texts, else as JSON.
std::string GoShown(const object::Value& value);

}  // namespace skiff::apiserver
