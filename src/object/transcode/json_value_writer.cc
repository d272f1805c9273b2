#include "object/transcode/json_value_writer.h"

#include <utility>

#include "object/json/text.h"
#include "object/scalar/base64.h"
#include "object/scalar/duration.h"
#include "object/scalar/quantity.h"
#include "object/scalar/time.h"

namespace skiff {

char* JsonValueWriter::MoreRoom(char* to, size_t size) {
  out_.CommitTo(to);
  return Resume(size);
}

char* JsonValueWriter::Resume(size_t size) {
  char* const to = out_.Reserve(size + kRoom);
  limit_ = to + out_.free_bytes() - kRoom;
  return to;
}

char* JsonValueWriter::AnyString(char* to, std::string_view text) {
  out_.CommitTo(to);
  AppendJsonString(out_, text);
  out_.Append(',');
  return Resume(0);
}

char* JsonValueWriter::Double(char* to, double value) {
  out_.CommitTo(to);
  AppendJsonDouble(out_, value);
  out_.Append(',');
  return Resume(0);
}

char* JsonValueWriter::Value(char* to, FieldType type, std::string_view body, bool* zero) {
  *zero = false;
  switch (type) {
    case FieldType::kBytes:
      return Bytes(to, body, zero);
    case FieldType::kTime:
    case FieldType::kMicroTime:
      return Time(to, type, body, zero);
    case FieldType::kQuantity:
      return Quantity(to, WireReader(body), zero);
    case FieldType::kDuration:
      return Duration(to, WireReader(body), zero);
    case FieldType::kIntOrString:
      return IntOrString(to, WireReader(body), zero);
    case FieldType::kRawJson:
    case FieldType::kFieldsV1:
      return RawJson(to, 1, WireReader(body), zero);
    case FieldType::kUnknown:
      return RawJson(to, 2, WireReader(body), zero);
    case FieldType::kStringList:
      return StringList(to, WireReader(body), zero);
    default:
      return nullptr;
  }
}

bool JsonValueWriter::ReadSmall(WireReader in, SmallMessage* small) {
  while (!in.done()) {
    uint32_t key = 0;
    if (in.ReadKey(&key) != WireError::kNone) return false;
    const uint32_t number = WireFieldNumber(key);
    WireError error = WireError::kNone;
    if (number < 4 && WireTypeOf(key) == WireType::kVarint) {
      error = in.ReadVarint(&small->varints[number]);
    } else if (number < 4 && WireTypeOf(key) == WireType::kBytes) {
      error = in.ReadBytes(&small->texts[number]);
    } else {
      WireReader rest = in;
      error = rest.Skip(key);
      in = rest;
    }
    if (error != WireError::kNone) return false;
  }
  return true;
}

char* JsonValueWriter::Bytes(char* to, std::string_view bytes, bool* zero) {
  *zero = bytes.empty();
  const size_t size = Base64EncodedSize(bytes.size());
  to = RoomFor(to, size);
  *to++ = '"';
  EncodeBase64(bytes, to);
  std::memcpy(to + size, "\",", 2);
  return to + size + 2;
}

char* JsonValueWriter::Time(char* to, FieldType type, std::string_view body, bool* zero) {
  *zero = body.empty();
  if (*zero) return Json(to, "null");
  SmallMessage small;
  if (!ReadSmall(WireReader(body), &small)) return nullptr;
  const auto seconds = static_cast<int64_t>(small.varints[1]);
  const bool micro = type == FieldType::kMicroTime;
  // Sub-second digits of a plain time are ignored, and a time keeps no more than microseconds.
  const Timestamp time =
      micro ? MakeTimestamp(seconds, static_cast<int32_t>(small.varints[2]) / 1000 * 1000)
            : Timestamp{seconds, 0};
  *zero = IsZero(time);
  if (*zero) return Json(to, "null");
  static_assert(kMaxTimeBytes <= kShort);
  *to++ = '"';
  to += micro ? FormatMicroTime(time, to) : FormatTime(time, to);
  std::memcpy(to, "\",", 2);
  return to + 2;
}

char* JsonValueWriter::Quantity(char* to, WireReader in, bool* zero) {
  SmallMessage small;
  if (!ReadSmall(in, &small)) return nullptr;
  const std::string_view text = small.texts[1].empty() ? "0" : small.texts[1];
  Result<std::string_view> canonical = CanonicalizeQuantity(text, scratch_);
  if (!canonical) return nullptr;
  *zero = *canonical == "0";
  if (canonical->data() == small.texts[1].data()) [[likely]] return String(to, *canonical);
  return AnyString(to, *canonical);
}

char* JsonValueWriter::Duration(char* to, WireReader in, bool* zero) {
  SmallMessage small;
  if (!ReadSmall(in, &small)) return nullptr;
  *zero = small.varints[1] == 0;
  static_assert(kMaxDurationBytes <= kShort);
  *to++ = '"';
  to += FormatDuration(static_cast<int64_t>(small.varints[1]), to);
  std::memcpy(to, "\",", 2);
  return to + 2;
}

char* JsonValueWriter::IntOrString(char* to, WireReader in, bool* zero) {
  SmallMessage small;
  if (!ReadSmall(in, &small)) return nullptr;
  const bool is_string = small.varints[1] == 1;
  *zero = !is_string && small.varints[2] == 0;
  if (!is_string) return Varint(to, FieldType::kInt32, small.varints[2]);
  const std::string_view text = small.texts[3];
  return text.empty() ? Json(to, "\"\"") : String(to, text);
}

char* JsonValueWriter::RawJson(char* to, size_t number, WireReader in, bool* zero) {
  SmallMessage small;
  if (!ReadSmall(in, &small)) return nullptr;
  *zero = small.texts[number].empty();
  if (*zero) return Json(to, "null");
  out_.CommitTo(to);
  AppendCompactJson(out_, small.texts[number], JsonEscapes::kAsGo);
  out_.Append(',');
  return Resume(0);
}

char* JsonValueWriter::StringList(char* to, WireReader in, bool* zero) {
  *zero = in.done();
  *to++ = '[';
  while (!in.done()) {
    uint32_t key = 0;
    std::string_view text;
    if (in.ReadKey(&key) != WireError::kNone || key != WireKey(1, WireType::kBytes)) return nullptr;
    if (in.ReadBytes(&text) != WireError::kNone) return nullptr;
    to = String(Room(to), text);
  }
  return Close(to, ']');
}

}  // namespace skiff
