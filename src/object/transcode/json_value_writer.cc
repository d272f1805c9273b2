#include "object/transcode/json_value_writer.h"

#include <bit>

#include "object/json/text.h"
#include "object/scalar/base64.h"
#include "object/scalar/duration.h"
#include "object/scalar/quantity.h"
#include "object/scalar/time.h"

namespace skiff::object {
namespace {

// A message that has nothing but a text as its first field, as quantities and raw JSON are written.
bool ReadOnlyText(WireReader in, std::string_view* text) {
  if (in.done() || *in.at++ != WireKey(1, WireType::kBytes)) return false;
  return in.ReadBytes(text) == WireError::kNone && in.done();
}

// A time between 1978 and 3058 with no nanoseconds, as Kubernetes writes it: eight bytes, five of
// them the varint of the seconds.
bool ReadUsualTime(std::string_view body, int64_t* seconds) {
  uint64_t bytes = 0;
  if (std::endian::native != std::endian::little || body.size() != sizeof bytes) return false;
  std::memcpy(&bytes, body.data(), sizeof bytes);
  if ((bytes & 0xffff'80'80808080'ff) != 0x0010'00'80808080'08) return false;
  *seconds = static_cast<int64_t>((bytes >> 8 & 0x7f) | (bytes >> 9 & 0x7f << 7) |
                                  (bytes >> 10 & 0x7f << 14) | (bytes >> 11 & 0x7f << 21) |
                                  (bytes >> 12 & uint64_t{0x7f} << 28));
  return true;
}

}  // namespace

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
      return RawJson(to, 1, WireReader(body), zero);
    case FieldType::kFieldsV1:
      return RawJson(to, 1, WireReader(body), zero, pieces_);
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
  Timestamp time;
  const bool micro = type == FieldType::kMicroTime;
  if (!ReadUsualTime(body, &time.seconds)) {
    *zero = body.empty();
    if (*zero) return Json(to, "null");
    SmallMessage small;
    if (!ReadSmall(WireReader(body), &small)) return nullptr;
    time.seconds = static_cast<int64_t>(small.varints[1]);
    // Sub-second digits of a plain time are ignored, and a time keeps no more than microseconds.
    if (micro) {
      time = MakeTimestamp(time.seconds, static_cast<int32_t>(small.varints[2]) / 1000 * 1000);
    }
    *zero = IsZero(time);
    if (*zero) return Json(to, "null");
  }
  static_assert(kMaxTimeBytes <= kShort);
  *to++ = '"';
  to += micro ? FormatMicroTime(time, to) : FormatTime(time, to);
  std::memcpy(to, "\",", 2);
  return to + 2;
}

char* JsonValueWriter::Quantity(char* to, WireReader in, bool* zero) {
  std::string_view text;
  if (!ReadOnlyText(in, &text)) {
    SmallMessage small;
    if (!ReadSmall(in, &small)) return nullptr;
    text = small.texts[1];
  }
  if (IsPlainlyCanonical(text)) [[likely]] {
    *zero = text == "0";
    return String(to, text);
  }
  Result<std::string_view> canonical = CanonicalizeQuantity(text.empty() ? "0" : text, scratch_);
  if (!canonical) return nullptr;
  *zero = *canonical == "0";
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

char* JsonValueWriter::RawJson(char* to, size_t number, WireReader in, bool* zero, Pieces pieces) {
  std::string_view json;
  if (number != 1 || !ReadOnlyText(in, &json)) {
    SmallMessage small;
    if (!ReadSmall(in, &small)) return nullptr;
    json = small.texts[number];
  }
  json = FieldSetText(json, pieces);
  *zero = json.empty();
  if (*zero) return Json(to, "null");
  out_.CommitTo(to);
  AppendCompactJson(out_, json, JsonEscapes::kAsGo);
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

}  // namespace skiff::object
