#include "apiserver/openapi/gnostic.h"

#include <bit>
#include <cassert>
#include <charconv>
#include <cstdint>

#include "apiserver/openapi/gnostic_message.h"
#include "base/arena.h"
#include "object/json/cursor.h"
#include "object/protobuf/wire.h"

namespace skiff::apiserver {
namespace {

// Of our own text it is known that it is JSON, and has no more members than the tables know.
class Converter {
 public:
  Converter(std::string_view json, bool is_ours) : cursor_(json), is_ours_(is_ours) {}

  std::optional<std::string> Run(const GnosticMessage& document) {
    std::string out;
    ConvertMessage(document, out);
    const bool is_well = cursor_.error().message == nullptr && cursor_.AtEnd();
    assert(is_well || !is_ours_);
    if (!is_well) return std::nullopt;
    return out;
  }

 private:
  static void PutVarint(uint64_t value, std::string& out) {
    uint8_t bytes[object::kMaxVarintBytes];
    const uint8_t* const end = object::WriteVarint(bytes, value);
    out.append(reinterpret_cast<const char*>(bytes), static_cast<size_t>(end - bytes));
  }
  static void PutBytes(uint32_t tag, std::string_view bytes, std::string& out) {
    PutVarint(object::WireKey(tag, object::WireType::kBytes), out);
    PutVarint(bytes.size(), out);
    out.append(bytes);
  }
  static void PutBool(uint32_t tag, bool value, std::string& out) {
    PutVarint(object::WireKey(tag, object::WireType::kVarint), out);
    out += value ? '\1' : '\0';
  }

  std::string_view ReadString() {
    std::string_view text;
    cursor_.ReadString(arena_, &text);
    return text;
  }

  // The JSON text of the next value, which is YAML too.
  std::string_view ReadText() {
    cursor_.SkipSpace();
    const size_t start = cursor_.offset();
    cursor_.SkipValue(0);
    return cursor_.TextFrom(start);
  }

  std::string_view PeekText() {
    object::JsonCursor saved = cursor_;
    const std::string_view text = ReadText();
    cursor_ = saved;
    return text;
  }

  // Calls member(name) at each value of the object.
  template <typename F>
  void ReadObject(F member) {
    cursor_.Expect('{', "expected an object");
    if (cursor_.Take('}')) return;
    do {
      const std::string_view name = ReadString();
      cursor_.Expect(':', object::kExpectedColon);
      member(name);
    } while (cursor_.Take(',') && cursor_.error().message == nullptr);
    cursor_.Expect('}', object::kExpectedObjectEnd);
  }

  template <typename F>
  void ReadArray(F item) {
    cursor_.Expect('[', "expected an array");
    if (cursor_.Take(']')) return;
    do {
      item();
    } while (cursor_.Take(',') && cursor_.error().message == nullptr);
    cursor_.Expect(']', object::kExpectedArrayEnd);
  }

  // A message Any, whose second field is YAML.
  static std::string AnyOf(std::string_view json) {
    std::string any;
    PutBytes(2, json, any);
    return any;
  }

  void ConvertNested(uint32_t tag, const GnosticMessage& message, std::string& out) {
    std::string nested;
    ConvertMessage(message, nested);
    PutBytes(tag, nested, out);
  }

  void ConvertMessage(const GnosticMessage& message, std::string& out) {
    switch (message.shape) {
      case GnosticMessage::kFields:
        return ReadObject([&](std::string_view name) { ConvertMember(message, name, out); });
      case GnosticMessage::kMap:
        return ReadObject([&](std::string_view name) {
          std::string pair;
          PutBytes(1, name, pair);
          ConvertNested(2, *message.fields[0].message, pair);
          PutBytes(message.fields[0].tag, pair, out);
        });
      case GnosticMessage::kWrapped:
        return ConvertNested(message.fields[0].tag, *message.fields[0].message, out);
      case GnosticMessage::kReference: {
        const GnosticField& field = message.fields[PeekText().starts_with("{\"$ref\"") ? 1 : 0];
        return ConvertNested(field.tag, *field.message, out);
      }
      case GnosticMessage::kParameter:
        return ConvertParameter(message, out);
      case GnosticMessage::kTypes:
        return PutBytes(1, ReadString(), out);
      case GnosticMessage::kStrings:
        return ReadArray([&] { PutBytes(1, ReadString(), out); });
      case GnosticMessage::kDefault:
        return ConvertDefault(out);
    }
  }

  void ConvertMember(const GnosticMessage& message, std::string_view name, std::string& out) {
    if (name.starts_with("x-") && message.extension_tag != 0) {
      std::string pair;
      PutBytes(1, name, pair);
      PutBytes(2, AnyOf(ReadText()), pair);
      return PutBytes(message.extension_tag, pair, out);
    }
    for (const GnosticField& field : message.fields) {
      if (field.name == name) return ConvertField(field, out);
    }
    assert(!is_ours_ && "a member that the tables do not have");
    ReadText();
  }

  void ConvertField(const GnosticField& field, std::string& out) {
    switch (field.kind) {
      case GnosticField::kString:
        return PutBytes(field.tag, ReadString(), out);
      case GnosticField::kBool: {
        bool value = false;
        cursor_.SkipSpace();
        cursor_.ReadBool(&value);
        return PutBool(field.tag, value, out);
      }
      case GnosticField::kStrings:
        return ReadArray([&] { PutBytes(field.tag, ReadString(), out); });
      case GnosticField::kMessage:
        return ConvertNested(field.tag, *field.message, out);
      case GnosticField::kMessages:
        return ReadArray([&] { ConvertNested(field.tag, *field.message, out); });
      case GnosticField::kAnys:
        return ReadArray([&] { PutBytes(field.tag, AnyOf(ReadText()), out); });
    }
  }

  void ConvertParameter(const GnosticMessage& message, std::string& out) {
    const std::string_view text = PeekText();
    for (const GnosticField& field : message.fields) {
      const std::string place = "\"in\":\"" + std::string(field.name) + "\"";
      if (text.find(place) != std::string_view::npos) {
        return ConvertNested(field.tag, *field.message, out);
      }
    }
    ReadText();
  }

  void ConvertDefault(std::string& out) {
    switch (cursor_.Peek()) {
      case object::JsonKind::kNumber: {
        std::string_view text;
        cursor_.ReadNumber(&text);
        double value = 0;
        std::from_chars(text.data(), text.data() + text.size(), value);
        PutVarint(object::WireKey(1, object::WireType::kFixed64), out);
        const uint64_t bits = std::bit_cast<uint64_t>(value);
        for (int i = 0; i < 8; ++i) out += static_cast<char>(bits >> (8 * i));
        return;
      }
      case object::JsonKind::kBool: {
        bool value = false;
        cursor_.ReadBool(&value);
        return PutBool(2, value, out);
      }
      case object::JsonKind::kString:
        return PutBytes(3, ReadString(), out);
      default:
        ReadText();  // An empty object has no form here.
    }
  }

  object::JsonCursor cursor_;
  const bool is_ours_;
  Arena arena_;
};

}  // namespace

std::optional<std::string> OpenApiV2ToProtobuf(std::string_view json, bool is_ours) {
  return Converter(json, is_ours).Run(kGnosticV2Document);
}

std::optional<std::string> OpenApiV3ToProtobuf(std::string_view json, bool is_ours) {
  return Converter(json, is_ours).Run(kGnosticV3Document);
}

}  // namespace skiff::apiserver
