#include "object/transcode/protobuf_to_json.h"

#include <algorithm>
#include <bit>
#include <string>
#include <utility>

#include "base/limits.h"
#include "object/json/encode.h"
#include "object/json/simd.h"
#include "object/json/text.h"
#include "object/unset.h"
#include "object/protobuf/decode.h"
#include "object/protobuf/envelope.h"
#include "object/protobuf/wire.h"
#include "object/scalar/base64.h"
#include "object/scalar/duration.h"
#include "object/scalar/quantity.h"
#include "object/scalar/time.h"

namespace skiff {
namespace {

constexpr size_t kMaxFields = 256;  // of one message; tools/schema refuses larger ones

// Where in a message's bytes a field stands: from behind its first key to the end of the body that
// holds it. Null when it is absent.
struct FieldPlace {
  const uint8_t* at;
  const uint8_t* end;
};

class Transcoder {
 public:
  Transcoder(std::string_view input, ByteBuffer& out)
      : out_(out), input_begin_(input.data()), input_end_(input_begin_ + input.size()) {}

  // False on an error, and for bytes in an order that Kubernetes never writes: see unusual().
  bool Run(std::string_view message, const MessageDesc& type, std::string_view api_version,
           std::string_view kind) {
    const size_t start = out_.size();
    if (!kind.empty()) {
      out_.Append(",\"kind\":");
      AppendJsonString(out_, kind);
    }
    if (!api_version.empty()) {
      out_.Append(",\"apiVersion\":");
      AppendJsonString(out_, api_version);
    }
    return MessageFrom(start, type, WireReader(message), 0);
  }

  // Fields out of order, scattered lists, a message in two pieces, fields that are not in the
  // schema: legal protobuf, but nothing a cluster stores. A tree sorts it out; doing so here would
  // read parts twice on every level of nesting.
  bool unusual() const { return unusual_; }
  const std::string& message() const { return message_; }

 private:
  // --- messages

  bool Message(const MessageDesc& type, WireReader in, int depth) {
    if (type.form != MessageForm::kPlain) [[unlikely]] return SchemaOr(type, in, depth);
    return MessageFrom(out_.size(), type, in, depth);
  }

  // An object whose first members, if any, were written from `start` on. Every member begins with
  // a comma, and the first of them becomes the brace.
  bool MessageFrom(size_t start, const MessageDesc& type, WireReader in, int depth) {
    if (depth > limits::kMaxDepth) return Fail(WireError::kTooDeep);
    if (!(type.proto_order_is_json_order ? InOrder(type, in, depth) : ByPlace(type, in, depth))) {
      return false;
    }
    if (out_.size() == start) {
      out_.Append("{}");
    } else {
      out_.data()[start] = '{';
      out_.Append('}');
    }
    return true;
  }

  // Where the order of tags is the order of JSON: one pass.
  bool InOrder(const MessageDesc& type, WireReader in, int depth) {
    const FieldDesc* const fields = type.fields.data();
    const ProtoFieldDesc* next = type.proto_fields.data();
    const ProtoFieldDesc* const end = next + type.proto_fields.size();
    while (!in.done()) {
      uint32_t key = 0;
      if (!Ok(in.ReadKey(&key))) return false;
      for (; next != end && next->key < key; ++next) Unset(fields[next->first_field]);
      if (next == end || next->key != key) return Unusual();
      const FieldDesc& field = fields[next->first_field];
      ++next;
      if (field.cardinality == Cardinality::kSingle) {
        if (!Single(field, in, depth)) return false;
      } else if (!Repeated(field, key, in, depth)) {
        return false;
      }
    }
    for (; next != end; ++next) Unset(fields[next->first_field]);
    return true;
  }

  // Otherwise two passes: places, then members in the order of JSON.
  bool ByPlace(const MessageDesc& type, WireReader in, int depth) {
    FieldPlace places[kMaxFields];
    std::fill_n(places, type.fields.size(), FieldPlace{});
    if (!FindPlaces(type, in, places)) return false;
    for (size_t i = 0; i < type.fields.size(); ++i) {
      const FieldDesc& field = type.fields[i];
      if (places[i].at == nullptr) {
        if (field.tag != 0) Unset(field);
        continue;
      }
      WireReader at(places[i].at, places[i].end);
      if (field.cardinality == Cardinality::kSingle) {
        if (!Single(field, at, depth)) return false;
      } else if (!Repeated(field, WireKey(field.tag, ItemWireType(field)), at, depth)) {
        return false;
      }
    }
    return true;
  }

  // Notes where the fields of a body stand. An inlined message's fields are a run of the places.
  bool FindPlaces(const MessageDesc& type, WireReader in, FieldPlace* places) {
    const ProtoFieldDesc* next = type.proto_fields.data();
    const ProtoFieldDesc* const end = next + type.proto_fields.size();
    uint32_t run = 0;  // the key of the list or map whose entries are passing
    while (!in.done()) {
      uint32_t key = 0;
      if (!Ok(in.ReadKey(&key))) return false;
      const uint8_t* const value = in.at;
      if (key == run) {
        if (!Pass(key, in)) return false;
        continue;
      }
      while (next != end && next->key < key) ++next;
      if (next == end || next->key != key) return Unusual();
      if (next->inlined != nullptr) {
        std::string_view body;
        if (!Ok(in.ReadBytes(&body))) return false;
        if (!FindPlaces(*next->inlined, WireReader(body), places + next->first_field)) return false;
      } else {
        if (!Pass(key, in)) return false;
        places[next->first_field] = {value, in.end};
        if (type.fields[next->first_field].cardinality != Cardinality::kSingle) run = key;
      }
      ++next;
    }
    return true;
  }

  // Passes over a value; the two usual wire types without a call.
  [[gnu::always_inline]] bool Pass(uint32_t key, WireReader& in) {
    std::string_view bytes;
    uint64_t varint = 0;
    if (WireTypeOf(key) == WireType::kBytes) return Ok(in.ReadBytes(&bytes));
    if (WireTypeOf(key) == WireType::kVarint) return Ok(in.ReadVarint(&varint));
    return Ok(in.Skip(key));
  }

  // --- fields

  void Unset(const FieldDesc& field) {
    if (field.shown_unset()) [[unlikely]] ShowUnset(field);
  }
  [[gnu::noinline]] void ShowUnset(const FieldDesc& field) {
    Key(field);
    out_.Append(UnsetJson(field));
  }

  void Key(const FieldDesc& field) {
    const std::string_view key = field.key_text();
    char* to = out_.Reserve(kKeyPadding);
    static_assert(kKeyPadding == 64);
    std::memcpy(to, key.data(), 32);
    if (key.size() > 32) [[unlikely]] std::memcpy(to + 32, key.data() + 32, 32);
    out_.CommitTo(to + key.size());
  }

  // A field with one value, whose key has been read. The common types are dealt with in place, the
  // others by a call: this is where a list of pods spends its time.
  [[gnu::always_inline]] bool Single(const FieldDesc& field, WireReader& in, int depth) {
    switch (field.type) {
      case FieldType::kString: {
        std::string_view text;
        if (!Ok(in.ReadBytes(&text))) return false;
        if (text.empty() && !field.pointer()) return Unset(field), true;
        Key(field);
        String(text);
        return true;
      }
      case FieldType::kBool:
      case FieldType::kInt32:
      case FieldType::kInt64: {
        uint64_t value = 0;
        if (!Ok(in.ReadVarint(&value))) return false;
        if (value == 0 && !field.pointer()) return Unset(field), true;
        Key(field);
        Varint(field.type, value);
        return true;
      }
      case FieldType::kMessage: {
        std::string_view body;
        if (!Ok(in.ReadBytes(&body))) return false;
        Key(field);
        return Message(*field.message, WireReader(body), depth + 1);
      }
      default:
        return RareSingle(field, in, depth);
    }
  }

  // Writes the value first and takes it back if it turns out to say no more than absence.
  [[gnu::noinline]] bool RareSingle(const FieldDesc& field, WireReader& in, int depth) {
    const size_t start = out_.size();
    Key(field);
    bool zero = false;
    if (field.type == FieldType::kDouble) {
      if (!Double(in, &zero)) return false;
    } else {
      std::string_view body;
      if (!Ok(in.ReadBytes(&body)) || !Element(field.type, nullptr, body, depth, &zero)) {
        return false;
      }
      if (field.type == FieldType::kBytes || field.type == FieldType::kStringList) {
        zero = zero && field.omit_empty();
      }
    }
    if (zero && !field.pointer()) {
      out_.Truncate(start);
      Unset(field);
    }
    return true;
  }

  // The wire type of a list's items or a map's entries.
  static WireType ItemWireType(const FieldDesc& field) {
    if (field.cardinality == Cardinality::kMap) return WireType::kBytes;
    switch (field.type) {
      case FieldType::kBool:
      case FieldType::kInt32:
      case FieldType::kInt64:
        return WireType::kVarint;
      case FieldType::kDouble:
        return WireType::kFixed64;
      default:
        return WireType::kBytes;
    }
  }

  // A list or map whose first key has been read.
  bool Repeated(const FieldDesc& field, uint32_t key, WireReader& in, int depth) {
    Key(field);
    return field.cardinality == Cardinality::kList ? List(field, key, in, depth)
                                                   : Map(field, key, in, depth);
  }

  // Passes the key if it is next; false at the end of the run.
  bool NextEntry(uint32_t wanted, WireReader& in) {
    if (in.done()) return false;
    const WireReader before = in;
    uint32_t key = 0;
    if (!Ok(in.ReadKey(&key))) return false;
    if (key == wanted) return true;
    in = before;
    return false;
  }

  bool List(const FieldDesc& field, uint32_t key, WireReader& in, int depth) {
    char separator = '[';
    do {
      out_.Append(separator);
      separator = ',';
      bool zero = false;
      if (WireTypeOf(key) == WireType::kBytes) {
        std::string_view body;
        if (!Ok(in.ReadBytes(&body))) return false;
        if (!Element(field.type, field.message, body, depth, &zero)) return false;
      } else if (field.type == FieldType::kDouble) {
        if (!Double(in, &zero)) return false;
      } else {
        uint64_t value = 0;
        if (!Ok(in.ReadVarint(&value))) return false;
        Varint(field.type, value);
      }
    } while (NextEntry(key, in));
    out_.Append(']');
    return !Failed();
  }

  struct MapEntryBytes {
    std::string_view key;
    std::string_view value;
    uint64_t varint = 0;
  };

  bool Map(const FieldDesc& field, uint32_t key, WireReader& in, int depth) {
    std::string_view previous;
    char separator = '{';
    do {
      MapEntryBytes entry;
      if (!ReadMapEntry(in, &entry)) return false;
      if (separator == ',' && previous >= entry.key) return Unusual();
      previous = entry.key;
      out_.Append(separator);
      separator = ',';
      if (!MapEntry(field, entry, depth)) return false;
    } while (NextEntry(key, in));
    out_.Append('}');
    return !Failed();
  }

  bool ReadMapEntry(WireReader& in, MapEntryBytes* entry) {
    std::string_view body;
    if (!Ok(in.ReadBytes(&body))) return false;
    WireReader fields(body);
    while (!fields.done()) {
      uint32_t key = 0;
      if (!Ok(fields.ReadKey(&key))) return false;
      if (key == WireKey(1, WireType::kBytes)) {
        if (!Ok(fields.ReadBytes(&entry->key))) return false;
      } else if (key == WireKey(2, WireType::kBytes)) {
        if (!Ok(fields.ReadBytes(&entry->value))) return false;
      } else if (key == WireKey(2, WireType::kVarint)) {
        if (!Ok(fields.ReadVarint(&entry->varint))) return false;
      } else if (!Ok(fields.Skip(key))) {
        return false;
      }
    }
    return true;
  }

  bool MapEntry(const FieldDesc& field, const MapEntryBytes& entry, int depth) {
    String(entry.key);
    out_.Append(':');
    switch (field.type) {
      case FieldType::kBool:
      case FieldType::kInt32:
      case FieldType::kInt64:
        Varint(field.type, entry.varint);
        return true;
      default:
        break;
    }
    bool zero = false;
    return Element(field.type, field.message, entry.value, depth, &zero);
  }

  // --- values

  [[gnu::always_inline]] void String(std::string_view text) {
    const char* from = text.data();
    size_t left = text.size();
    // Whole vectors may be read as long as they stay within the input.
    if (from < input_begin_ || input_end_ - from < static_cast<ptrdiff_t>(left + kSimdWidth))
        [[unlikely]] {
      return AppendJsonString(out_, text);
    }
    char* to = out_.Reserve(left + 2 + kSimdWidth);
    *to++ = '"';
    while (true) {
      uint32_t mask = CopyAndMaskEscapes(to, from);
      if (left < kSimdWidth) mask &= (uint32_t{1} << left) - 1;
      if (mask != 0) [[unlikely]] return AppendJsonString(out_, text);
      if (left <= kSimdWidth) break;
      from += kSimdWidth;
      to += kSimdWidth;
      left -= kSimdWidth;
    }
    to[left] = '"';
    out_.CommitTo(to + left + 1);
  }

  void Varint(FieldType type, uint64_t value) {
    if (type == FieldType::kBool) return out_.Append(value != 0 ? "true" : "false");
    const auto integer = static_cast<int64_t>(value);
    AppendJsonInt(out_, type == FieldType::kInt32 ? static_cast<int32_t>(integer) : integer);
  }

  bool Double(WireReader& in, bool* zero) {
    uint64_t bits = 0;
    if (!Ok(in.ReadFixed64(&bits))) return false;
    const double value = std::bit_cast<double>(bits);
    *zero = value == 0;
    AppendJsonDouble(out_, value);
    return true;
  }

  // The value of a length-delimited entry. `zero` tells whether it is the zero of its type.
  bool Element(FieldType type, const MessageDesc* message, std::string_view body, int depth,
               bool* zero) {
    *zero = false;
    switch (type) {
      case FieldType::kString:
        String(body);
        return true;
      case FieldType::kMessage:
        return Message(*message, WireReader(body), depth + 1);
      case FieldType::kBytes: {
        const size_t size = Base64EncodedSize(body.size());
        char* to = out_.Reserve(size + 2);
        to[0] = '"';
        EncodeBase64(body, to + 1);
        to[size + 1] = '"';
        out_.CommitTo(to + size + 2);
        *zero = body.empty();
        return true;
      }
      case FieldType::kTime:
      case FieldType::kMicroTime:
        return Time(type, WireReader(body), zero);
      case FieldType::kQuantity:
        return Quantity(WireReader(body), zero);
      case FieldType::kDuration:
        return Duration(WireReader(body), zero);
      case FieldType::kIntOrString:
        return IntOrString(WireReader(body), zero);
      case FieldType::kRawJson:
      case FieldType::kFieldsV1:
        return RawJson(1, WireReader(body), zero);
      case FieldType::kUnknown:
        return RawJson(2, WireReader(body), zero);
      case FieldType::kStringList:
        return StringList(WireReader(body), zero);
      default:
        return Fail(WireError::kBadWireType);
    }
  }

  // Reads the scalars and texts of one of the small messages that stand for a value.
  struct SmallMessage {
    uint64_t varints[4] = {};
    std::string_view texts[4];
  };
  bool ReadSmall(WireReader in, SmallMessage* small) {
    while (!in.done()) {
      uint32_t key = 0;
      if (!Ok(in.ReadKey(&key))) return false;
      const uint32_t number = WireFieldNumber(key);
      if (number < 4 && WireTypeOf(key) == WireType::kVarint) {
        if (!Ok(in.ReadVarint(&small->varints[number]))) return false;
      } else if (number < 4 && WireTypeOf(key) == WireType::kBytes) {
        if (!Ok(in.ReadBytes(&small->texts[number]))) return false;
      } else if (!Ok(in.Skip(key))) {
        return false;
      }
    }
    return true;
  }

  bool Time(FieldType type, WireReader in, bool* zero) {
    *zero = in.done();
    if (*zero) return out_.Append("null"), true;
    SmallMessage small;
    if (!ReadSmall(in, &small)) return false;
    const auto seconds = static_cast<int64_t>(small.varints[1]);
    const bool micro = type == FieldType::kMicroTime;
    // Sub-second digits of a plain time are ignored, and a time keeps no more than microseconds.
    const Timestamp time =
        micro ? MakeTimestamp(seconds, static_cast<int32_t>(small.varints[2]) / 1000 * 1000)
              : Timestamp{seconds, 0};
    *zero = IsZero(time);
    if (*zero) return out_.Append("null"), true;
    char* to = out_.Reserve(kMaxTimeBytes + 2);
    to[0] = '"';
    const size_t size = micro ? FormatMicroTime(time, to + 1) : FormatTime(time, to + 1);
    to[size + 1] = '"';
    out_.CommitTo(to + size + 2);
    return true;
  }

  bool Quantity(WireReader in, bool* zero) {
    SmallMessage small;
    if (!ReadSmall(in, &small)) return false;
    const std::string_view text = small.texts[1].empty() ? "0" : small.texts[1];
    Result<std::string_view> canonical = CanonicalizeQuantity(text, scratch_);
    if (!canonical) return Fail(canonical.error().message());
    *zero = *canonical == "0";
    String(*canonical);
    return true;
  }

  bool Duration(WireReader in, bool* zero) {
    SmallMessage small;
    if (!ReadSmall(in, &small)) return false;
    *zero = small.varints[1] == 0;
    char* to = out_.Reserve(kMaxDurationBytes + 2);
    to[0] = '"';
    const size_t size = FormatDuration(static_cast<int64_t>(small.varints[1]), to + 1);
    to[size + 1] = '"';
    out_.CommitTo(to + size + 2);
    return true;
  }

  bool IntOrString(WireReader in, bool* zero) {
    SmallMessage small;
    if (!ReadSmall(in, &small)) return false;
    const bool is_string = small.varints[1] == 1;
    *zero = !is_string && small.varints[2] == 0;
    if (is_string) {
      String(small.texts[3]);
    } else {
      Varint(FieldType::kInt32, small.varints[2]);
    }
    return true;
  }

  bool RawJson(size_t number, WireReader in, bool* zero) {
    SmallMessage small;
    if (!ReadSmall(in, &small)) return false;
    *zero = small.texts[number].empty();
    if (*zero) return out_.Append("null"), true;
    AppendCompactJson(out_, small.texts[number], JsonEscapes::kAsGo);
    return true;
  }

  bool StringList(WireReader in, bool* zero) {
    constexpr uint32_t kItem = WireKey(1, WireType::kBytes);
    char separator = '[';
    while (NextEntry(kItem, in)) {
      std::string_view text;
      if (!Ok(in.ReadBytes(&text))) return false;
      out_.Append(separator);
      separator = ',';
      String(text);
    }
    *zero = separator == '[';
    if (*zero) out_.Append('[');
    out_.Append(']');
    return !Failed();
  }

  // JSONSchemaPropsOrArray, OrBool and OrStringArray: whichever member is set is the value.
  bool SchemaOr(const MessageDesc& type, WireReader in, int depth) {
    const uint16_t schema = type.FindField("schema");
    const bool or_bool = type.form == MessageForm::kSchemaOrBool;
    FieldPlace places[2] = {};
    if (!FindPlaces(type, in, places)) return false;
    const size_t other = 1u - schema;
    WireReader at(places[other].at, places[other].end);
    if (!or_bool && at.at != nullptr) {
      return List(type.fields[other], WireKey(2, WireType::kBytes), at, depth);
    }
    if (places[schema].at != nullptr) {
      WireReader in_schema(places[schema].at, places[schema].end);
      std::string_view body;
      if (!Ok(in_schema.ReadBytes(&body))) return false;
      return Message(*type.fields[schema].message, WireReader(body), depth + 1);
    }
    if (!or_bool) return out_.Append("null"), true;
    uint64_t allows = 0;
    if (at.at != nullptr && !Ok(at.ReadVarint(&allows))) return false;
    return out_.Append(allows != 0 ? "true" : "false"), true;
  }

  // --- errors

  bool Ok(WireError error) {
    if (error == WireError::kNone) [[likely]] return true;
    return Fail(error);
  }
  bool Fail(WireError error) { return Fail(std::string(WireErrorText(error))); }
  bool Fail(std::string message) {
    if (message_.empty()) message_ = std::move(message);
    return false;
  }
  bool Unusual() {
    unusual_ = true;
    return false;
  }
  bool Failed() const { return !message_.empty(); }

  ByteBuffer& out_;
  const char* input_begin_;
  const char* input_end_;
  std::string scratch_;
  bool unusual_ = false;
  std::string message_;
};

// The road of bytes that the transcoder leaves alone.
Result<void> ThroughTree(std::string_view message, const MessageDesc& type,
                         std::string_view api_version, std::string_view kind, ByteBuffer& out) {
  ProtobufDecodeOptions options;
  options.max_bytes = message.size();  // what is stored was bounded when it came in
  options.kind = kind;
  options.api_version = api_version;
  SKIFF_ASSIGN_OR_RETURN(Document document, DecodeProtobuf(message, &type, options));
  EncodeJson(document.root(), out);
  return {};
}

}  // namespace

Result<void> ProtobufToJson(std::string_view message, const MessageDesc& type,
                            std::string_view api_version, std::string_view kind, ByteBuffer& out) {
  const size_t start = out.size();
  Transcoder transcoder(message, out);
  if (transcoder.Run(message, type, api_version, kind)) return {};
  out.Truncate(start);
  if (transcoder.unusual()) return ThroughTree(message, type, api_version, kind, out);
  return BadRequest("the protobuf bytes of " + std::string(type.name) +
                    " cannot be read: " + transcoder.message());
}

Result<void> StorageToJson(std::string_view stored, ByteBuffer& out) {
  SKIFF_ASSIGN_OR_RETURN(const ProtobufEnvelope envelope, OpenProtobufEnvelope(stored));
  const MessageDesc* type = FindKind(envelope.api_version, envelope.kind);
  if (type == nullptr) {
    return BadRequest("no kind \"" + std::string(envelope.kind) + "\" in version \"" +
                      std::string(envelope.api_version) + "\"");
  }
  return ProtobufToJson(envelope.raw, *type, envelope.api_version, envelope.kind, out);
}

}  // namespace skiff
