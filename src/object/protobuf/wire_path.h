// Paths of fields, looked up in the bytes of a message: for questions about a few fields of an
// object that is not to be decoded for them.
//
//   const WirePath images = *WirePath::Resolve(*pod, "spec.containers[*].image");
//   images.ForEach(bytes, [&](const WirePath::Found& image) { return Wanted(image.bytes); });
//
// `[*]` is every item of a list, or every value of a map. Messages that JSON inlines are stepped
// into without being named.
//
// Bytes are taken as an encoder writes them. What is legal but never written (a message in pieces,
// packed lists) or damaged is odd: then nothing is said of the object, and it has to be decoded.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "object/descriptor.h"
#include "object/protobuf/wire.h"

namespace skiff::object {

// WireReader::Skip for walks that do little else: what nearly all fields are, inlined.
[[gnu::always_inline]] inline bool PassOver(WireReader& in, uint32_t key) {
  if (WireTypeOf(key) == WireType::kBytes) [[likely]] {
    std::string_view bytes;
    return in.ReadBytes(&bytes) == WireError::kNone;
  }
  if (WireTypeOf(key) == WireType::kVarint) {
    uint64_t number = 0;
    return in.ReadVarint(&number) == WireError::kNone;
  }
  WireReader copy = in;  // so that the reader itself can stay in registers
  if (copy.Skip(key) != WireError::kNone) return false;
  in = copy;
  return true;
}

class WirePath {
 public:
  // One field of a message. Of a field that is not text, bytes or a message, the number.
  struct Found {
    std::string_view bytes = {};
    uint64_t number = 0;
  };
  enum class Answer : uint8_t { kNo, kYes, kOdd };
  // On the way from a message to the next.
  struct Step {
    uint32_t key;            // number and wire type
    const FieldDesc* field;  // null: an inlined message
    bool every;
    bool map;
  };

  WirePath() = default;
  static Result<WirePath> Resolve(const MessageDesc& root, std::string_view text);
  // Of a path that is known to be in the schema.
  static WirePath Of(const MessageDesc* root, std::string_view text);

  // The field that the path ends in.
  const FieldDesc& last() const { return *steps_.back().field; }
  std::span<const Step> steps() const { return steps_; }

  // Calls `visit` with each value at the path, until it returns false. False when it did, and when
  // the bytes are odd.
  template <typename Visit>
  bool ForEach(std::string_view message, Visit visit) const {
    return Walk(steps_, message, visit);
  }
  // The value at a path without `[*]`, whose last field is no list or map. Nothing when it is
  // absent, or the bytes are odd (`odd` is set then).
  std::optional<Found> Find(std::string_view message, bool& odd) const;
  // Whether the value is set as defaulting understands it: there, and not zero unless the field is
  // a pointer. With `[*]`: in every item, which an empty list has none of.
  Answer IsSet(std::string_view message) const;

 private:
  template <typename Visit>
  static bool Walk(std::span<const Step> steps, std::string_view message, Visit& visit);
  static Answer IsSet(std::span<const Step> steps, std::string_view message);
  static bool MapValue(std::string_view entry, std::string_view& value);
  [[gnu::always_inline]] static bool Read(WireReader& in, uint32_t key, Found& found) {
    if (WireTypeOf(key) == WireType::kBytes) {
      return in.ReadBytes(&found.bytes) == WireError::kNone;
    }
    if (WireTypeOf(key) == WireType::kVarint) {
      return in.ReadVarint(&found.number) == WireError::kNone;
    }
    found.number = 1;
    return PassOver(in, key);
  }

  std::vector<Step> steps_;
};

template <typename Visit>
bool WirePath::Walk(std::span<const Step> steps, std::string_view message, Visit& visit) {
  const Step& step = steps.front();
  for (WireReader in(message); !in.done();) {
    uint32_t key = 0;
    if (in.ReadKey(&key) != WireError::kNone) return false;
    if (key != step.key) {
      if (WireFieldNumber(key) == WireFieldNumber(step.key)) return false;
      if (!PassOver(in, key)) return false;
      continue;
    }
    Found found;
    if (!Read(in, key, found)) return false;
    if (step.every && step.map && !MapValue(found.bytes, found.bytes)) return false;
    if (steps.size() == 1 ? !visit(found) : !Walk(steps.subspan(1), found.bytes, visit)) {
      return false;
    }
  }
  return true;
}

}  // namespace skiff::object
