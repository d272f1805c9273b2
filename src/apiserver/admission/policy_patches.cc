#include "apiserver/admission/policy_patches.h"

#include <utility>
#include <vector>

#include "base/limits.h"
#include "cel/types.h"
#include "object/fields/check.h"
#include "object/fields/merge.h"
#include "object/fields/retype.h"
#include "object/fields/shape.h"
#include "object/json/decode.h"
#include "object/json/encode.h"
#include "object/patch/json_patch.h"
#include "object/scalar/base64.h"
#include "object/scalar/duration.h"

namespace skiff::apiserver {
namespace {

using cel::Kind;
using cel::Val;
using object::Value;

std::unexpected<PatchFault> Fault(std::string message) {
  return std::unexpected(PatchFault{std::move(message)});
}

// Members of a struct that an expression made.
template <typename Call>
void ForEachField(const Val& value, Call call) {
  for (uint32_t i = 0; i < value.raw_size(); ++i) {
    const cel::MapItem& item = value.map_block()->items[i];
    call(item.key.AsText(), item.value);
  }
}

// From values of expressions to untyped ones of documents, as much as a request may bring.
class Converter {
 public:
  explicit Converter(Arena& arena) : arena_(arena) {}

  std::expected<Value, PatchFault> Convert(const Val& value) {
    if (!Takes(sizeof(Value))) return Fault("the value is too large");
    switch (value.kind()) {
      case Kind::kNull:
        return Value();
      case Kind::kBool:
        return Value::Bool(value.AsBool());
      case Kind::kInt:
        return Value::Int(value.AsInt());
      case Kind::kUint:
        return Value::Int(static_cast<int64_t>(value.AsUint()));
      case Kind::kDouble:
        return Value::Double(value.AsDouble());
      case Kind::kString:
        return Text(value.AsText());
      case Kind::kBytes: {
        std::string text;
        object::AppendBase64(value.AsText(), text);
        return Text(text);
      }
      case Kind::kTimestamp: {
        char text[object::kMaxTimeBytes];
        return Text({text, object::FormatTime(value.AsTime(), text)});
      }
      case Kind::kDuration: {
        char text[object::kMaxDurationBytes];
        return Text({text, object::FormatDuration(value.AsInt(), text)});
      }
      case Kind::kList:
        return List(value);
      case Kind::kMap:
        return Map(value);
      case Kind::kStruct:
        return Struct(value);
      case Kind::kOptional:
        if (value.AsOptional() != nullptr) return Convert(*value.AsOptional());
        return Value();
      default:
        return Fault("a value of type " + std::string(cel::TypeNameOf(value)) +
                     " has no form in JSON");
    }
  }

 private:
  bool Takes(size_t bytes) {
    if (bytes > left_) return false;
    left_ -= bytes;
    return true;
  }
  std::expected<Value, PatchFault> Text(std::string_view text) {
    if (!Takes(text.size())) return Fault("the value is too large");
    return Value::String(arena_.Copy(text));
  }
  std::expected<Value, PatchFault> List(const Val& list) {
    Value out = Value::EmptyList();
    for (size_t i = 0; i < cel::ListSize(list); ++i) {
      auto item = Convert(cel::ListAt(arena_, list, i));
      if (!item) return item;
      out.Append(arena_, *item);
    }
    return out;
  }
  std::expected<Value, PatchFault> Map(const Val& map) {
    Value out = Value::EmptyMap();
    for (size_t i = 0; i < cel::MapSize(map); ++i) {
      const cel::MapItem item = cel::MapAt(arena_, map, i);
      if (!item.key.is_string()) return Fault("a key of a map is no string");
      auto value = Convert(item.value);
      if (!value) return value;
      if (!Takes(item.key.AsText().size())) return Fault("the value is too large");
      out.SetEntry(arena_, item.key.AsText(), *value);
    }
    return out;
  }
  std::expected<Value, PatchFault> Struct(const Val& value) {
    Value out = Value::EmptyMap();
    std::expected<Value, PatchFault> result;
    ForEachField(value, [&](std::string_view name, const Val& member) {
      if (!result) return;
      result = Convert(member);
      if (result) out.SetEntry(arena_, name, *result);
    });
    if (!result) return result;
    return out;
  }

  Arena& arena_;
  size_t left_ = limits::kMaxDocumentBytes;
};

// The names of the types of objects say where each of them stands: that has to be so.
void CheckTypeNames(Arena& arena, const Val& value, const std::string& path, std::string& faults) {
  if (value.kind() == Kind::kStruct) {
    const std::string_view name = value.struct_type()->name;
    if (name != path) {
      if (!faults.empty()) faults += '\n';
      faults += "unexpected type name \"" + std::string(name) + "\", expected \"" + path +
                "\", which matches field name path from root Object type";
    }
    ForEachField(value, [&](std::string_view field, const Val& member) {
      CheckTypeNames(arena, member, path + "." + std::string(field), faults);
    });
  } else if (value.kind() == Kind::kList && !value.in_document()) {
    for (size_t i = 0; i < cel::ListSize(value); ++i) {
      CheckTypeNames(arena, cel::ListAt(arena, value, i), path, faults);
    }
  } else if (value.kind() == Kind::kMap && !value.in_document()) {
    for (size_t i = 0; i < cel::MapSize(value); ++i) {
      CheckTypeNames(arena, cel::MapAt(arena, value, i).value, path, faults);
    }
  }
}

std::string TypeNameFaults(Arena& arena, const Val& value) {
  std::string faults;
  CheckTypeNames(arena, value, std::string(value.struct_type()->name), faults);
  return faults.empty() ? faults : "type mismatch: " + faults;
}

// The operations as a list of maps.
std::expected<Value, PatchFault> Operations(Arena& arena, const Val& patches) {
  Converter converter(arena);
  Value out = Value::EmptyList();
  for (size_t i = 0; i < cel::ListSize(patches); ++i) {
    const Val patch = cel::ListAt(arena, patches, i);
    Value operation = Value::EmptyMap();
    for (const char* name : {"op", "path"}) {
      operation.SetEntry(arena, name, Value::String(""));
    }
    std::string fault;
    ForEachField(patch, [&](std::string_view name, const Val& member) {
      if (name == "value" && member.kind() == Kind::kStruct && fault.empty()) {
        fault = TypeNameFaults(arena, member);
      }
      auto value = converter.Convert(member);
      if (!value) {
        if (fault.empty()) fault = std::move(value.error().message);
      } else if (name != "from" || !value->AsText().empty()) {
        operation.SetEntry(arena, name, *value);
      }
    });
    if (!fault.empty()) return Fault(std::move(fault));
    out.Append(arena, operation);
  }
  return out;
}

// Paths of lists, maps and structs that the configuration has and that are owned as a whole.
void FindAtomics(const object::FieldShape& shape, const Value& value, const std::string& path,
                 std::vector<std::string>& out) {
  using ShapeKind = object::FieldShape::Kind;
  const bool is_struct = shape.kind() == ShapeKind::kStruct;
  if (value.is_map() && (is_struct || shape.kind() == ShapeKind::kMap)) {
    if (shape.atomic()) out.push_back(path);
    if (!is_struct) return;
    for (const object::MapEntry& entry : value.entries()) {
      const object::FieldDesc* field = shape.FindField(entry.key);
      if (field == nullptr) continue;
      FindAtomics(object::FieldShape::OfField(*field), entry.value,
                  path + "." + std::string(entry.key), out);
    }
  } else if (value.is_list() && shape.kind() == ShapeKind::kList) {
    if (shape.atomic()) out.push_back(path);
    for (size_t i = 0; i < value.size(); ++i) {
      FindAtomics(shape.Element(), value.items()[i], path + "[" + std::to_string(i) + "]", out);
    }
  }
}

// An object of the type again, with no field that it does not have.
std::expected<object::Document, PatchFault> Decoded(std::string_view json,
                                                    const object::MessageDesc* type) {
  std::vector<object::FieldIssue> issues;
  object::DecodeOptions options;
  options.issues = &issues;
  Result<object::Document> decoded = object::DecodeJson(json, type, options);
  std::string why;
  if (!decoded) {
    why = decoded.error().message();
  } else {
    for (const object::FieldIssue& issue : issues)
      why += (why.empty() ? "" : ", ") + issue.ToString();
    if (why.empty()) return std::move(*decoded);
    why = "strict decoding error: " + why;
  }
  return std::unexpected(PatchFault{"Internal error occurred: " + why, true});
}

}  // namespace

std::expected<object::Document, PatchFault> ApplyPolicyPatches(Arena& arena, const Val& patches,
                                                               const object::Document& object) {
  auto operations = Operations(arena, patches);
  if (!operations) return std::unexpected(std::move(operations).error());
  ByteBuffer json;
  object::EncodeJson(object.root(), json);
  Result<object::Document> tree = object::DecodeJson(json.view(), nullptr);
  if (!tree) return Fault("failed to create JSON patch: " + tree.error().message());
  Result<void> applied = object::ApplyJsonPatch(*operations, *tree);
  if (!applied) {
    if (object::IsFailedTest(applied.error())) return object.Copy();
    return Fault("JSON Patch: " + applied.error().message());
  }
  json.Clear();
  object::EncodeJson(tree->root(), json);
  return Decoded(json.view(), object.type());
}

std::expected<object::Document, PatchFault> ApplyPolicyObject(Arena& arena, const Val& value,
                                                              const object::Document& object) {
  if (std::string faults = TypeNameFaults(arena, value); !faults.empty()) {
    return Fault(std::move(faults));
  }
  auto converted = Converter(arena).Convert(value);
  if (!converted) return std::unexpected(std::move(converted).error());
  Value& config = *converted;
  if (object.type()->is_kind) {
    config.SetEntry(arena, "apiVersion", Value::String(object.api_version()));
    config.SetEntry(arena, "kind", Value::String(object.kind()));
  }
  const object::FieldShape shape = object::FieldShape::OfMessage(object.type());
  const object::ConfigurationFields fields = object::ReadConfigurationFields(arena, shape, config);
  if (!fields.faults.empty()) {
    return Fault("error applying patch: failed to convert patch object to typed object: " +
                 fields.faults);
  }
  std::vector<std::string> atomics;
  FindAtomics(shape, config, "", atomics);
  if (!atomics.empty()) {
    std::string all;
    for (const std::string& path : atomics) all += (all.empty() ? "" : ", ") + path;
    return Fault(
        "error applying patch: invalid ApplyConfiguration: may not mutate atomic arrays, maps or "
        "structs: " +
        all);
  }
  const object::MergedValue merged =
      object::MergeConfiguration(arena, shape, object.root(), config);
  if (!merged.changed) return object.Copy();
  Result<object::Document> typed = object::Retype(object.type(), merged.value);
  if (!typed) {
    return Fault("error applying patch: failed to convert typed object to object: " +
                 typed.error().message());
  }
  return std::move(*typed);
}

}  // namespace skiff::apiserver
