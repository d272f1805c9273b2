#include "apiserver/extensions/schema/metadata_words.h"

#include <algorithm>

#include "base/go_quoted.h"
#include "base/strings.h"
#include "object/descriptor.h"
#include "object/json/encode.h"
#include "object/scalar/time.h"
#include "views/meta/v1.h"

namespace skiff::apiserver {
namespace {

std::string KindInWords(const object::Value& value) {
  switch (value.tag()) {
    case object::Tag::kBool:
      return "bool";
    case object::Tag::kString:
      return "string";
    case object::Tag::kList:
      return "array";
    case object::Tag::kMap:
      return "object";
    default:
      return "number";
  }
}

// What Go calls the type of one value of the field.
std::string GoTypeOf(const object::FieldDesc& field) {
  switch (field.type) {
    case object::FieldType::kBool:
      return "bool";
    case object::FieldType::kInt32:
      return "int32";
    case object::FieldType::kInt64:
      return "int64";
    case object::FieldType::kMessage:
      return "v1." + std::string(field.message->name);
    default:
      if (field.name() == "uid") return "types.UID";
      return field.name() == "operation" ? "v1.ManagedFieldsOperationType" : "string";
  }
}

class MetadataReader {
 public:
  // The first problem, in the order of the fields' names.
  std::string Read(const object::MessageDesc& type, const object::Value& object,
                   const std::string& path) const {
    for (const object::MapEntry& entry : object.entries()) {
      const uint16_t index = type.FindField(entry.key);
      if (index == object::MessageDesc::kNoField || entry.value.is_null()) continue;
      const object::FieldDesc& field = type.fields[index];
      const Spot spot{type, field, path.empty() ? entry.key : path + "." + std::string(entry.key)};
      std::string problem = ReadField(spot, entry.value);
      if (!problem.empty()) return problem;
    }
    return {};
  }

 private:
  struct Spot {
    Spot(const object::MessageDesc& of, const object::FieldDesc& is, std::string_view at)
        : owner(of), field(is), path(at) {}
    const object::MessageDesc& owner;
    const object::FieldDesc& field;
    std::string path;
  };

  static std::string Mismatch(const Spot& spot, const std::string& given, const std::string& type) {
    return "json: cannot unmarshal " + given + " into Go struct field " +
           std::string(spot.owner.name) + "." + spot.path + " of type " + type;
  }

  std::string ReadField(const Spot& spot, const object::Value& value) const {
    const std::string type = GoTypeOf(spot.field);
    if (spot.field.cardinality == object::Cardinality::kList) {
      if (!value.is_list()) return Mismatch(spot, KindInWords(value), "[]" + type);
      for (const object::Value& item : value.items()) {
        std::string problem = ReadOne(spot, item, type);
        if (!problem.empty()) return problem;
      }
      return {};
    }
    if (spot.field.cardinality == object::Cardinality::kMap) {
      if (!value.is_map()) return Mismatch(spot, KindInWords(value), "map[string]" + type);
      for (const object::MapEntry& entry : value.entries()) {
        std::string problem = ReadOne(spot, entry.value, type);
        if (!problem.empty()) return problem;
      }
      return {};
    }
    return ReadOne(spot, value, type);
  }

  std::string ReadOne(const Spot& spot, const object::Value& value, const std::string& type) const {
    if (value.is_null()) return {};
    const std::string given = KindInWords(value);
    switch (spot.field.type) {
      case object::FieldType::kMessage:
        if (!value.is_map()) return Mismatch(spot, given, type);
        return Read(*spot.field.message, value, spot.path);
      case object::FieldType::kBool:
        return given == "bool" ? "" : Mismatch(spot, given, type);
      case object::FieldType::kInt32:
      case object::FieldType::kInt64:
        if (value.tag() == object::Tag::kInt) return {};
        return Mismatch(spot, given == "number" ? "number " + object::EncodeJson(value) : given,
                        type);
      case object::FieldType::kString:
        return value.is_string() ? "" : Mismatch(spot, given, type);
      case object::FieldType::kTime:
      case object::FieldType::kMicroTime:
        if (!value.is_string()) {
          return "json: cannot unmarshal " + given + " into Go value of type string";
        }
        return object::ParseTime(value.AsText()) ? "" : GoProblemOfTime(value.AsText());
      default:
        return {};
    }
  }
};

}  // namespace

std::string GoProblemOfMetadata(const object::Value& metadata) {
  const object::MessageDesc& type = *views::meta_v1::ObjectMeta::Type();
  if (metadata.is_null()) return {};
  if (!metadata.is_map()) {
    return "json: cannot unmarshal " + KindInWords(metadata) + " into Go value of type v1." +
           std::string(type.name);
  }
  return MetadataReader().Read(type, metadata, "");
}

std::string GoProblemOfTime(std::string_view text) {
  constexpr std::string_view kLayout = "2006-01-02T15:04:05Z07:00";
  const std::string begin = "parsing time " + GoQuoted(text);
  const std::string as = begin + " as " + GoQuoted(kLayout) + ": cannot parse ";
  std::string_view rest = text;
  std::string_view layout = kLayout;
  for (const std::string_view part :
       {"2006", "-", "01", "-", "02", "T", "15", ":", "04", ":", "05"}) {
    const bool is_number = IsDigit(part[0]);
    const bool fits = rest.size() >= part.size() &&
                      (is_number ? std::ranges::all_of(rest.substr(0, part.size()), IsDigit)
                                 : rest.starts_with(part));
    if (!fits) return as + GoQuoted(rest) + " as " + GoQuoted(part);
    const std::string_view number = rest.substr(0, part.size());
    if (part == "01" && (number < "01" || number > "12")) return begin + ": month out of range";
    if (part == "02" && (number < "01" || number > "31")) return begin + ": day out of range";
    if (part == "15" && number > "23") return begin + ": hour out of range";
    if (part == "04" && number > "59") return begin + ": minute out of range";
    if (part == "05" && number > "59") return begin + ": second out of range";
    rest.remove_prefix(part.size());
    layout.remove_prefix(part.size());
  }
  if (rest.starts_with("Z")) return begin + ": extra text: " + GoQuoted(rest.substr(1));
  if (rest.empty() || rest.size() < 6) return as + GoQuoted(rest) + " as " + GoQuoted(layout);
  return begin + ": day out of range";
}

}  // namespace skiff::apiserver
