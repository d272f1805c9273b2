#include "cel/types.h"

#include <array>

#include "cel/opaque.h"

namespace skiff::cel {
namespace types {

const Type kDyn{.kind = TypeKind::kDyn, .name = "dyn"};
const Type kAny{.kind = TypeKind::kAny, .name = "google.protobuf.Any"};
const Type kBool{.kind = TypeKind::kBool, .name = "bool"};
const Type kInt{.kind = TypeKind::kInt, .name = "int"};
const Type kUint{.kind = TypeKind::kUint, .name = "uint"};
const Type kDouble{.kind = TypeKind::kDouble, .name = "double"};
const Type kString{.kind = TypeKind::kString, .name = "string"};
const Type kBytes{.kind = TypeKind::kBytes, .name = "bytes"};
const Type kNull{.kind = TypeKind::kNull, .name = "null_type"};
const Type kTimestamp{.kind = TypeKind::kTimestamp, .name = "google.protobuf.Timestamp"};
const Type kDuration{.kind = TypeKind::kDuration, .name = "google.protobuf.Duration"};
const Type kError{.kind = TypeKind::kError, .name = "error"};
const Type kTypeType{.kind = TypeKind::kType, .name = "type"};

namespace {
const std::array<const Type*, 2> kDynDyn{&kDyn, &kDyn};
}  // namespace
const Type kListDyn{.kind = TypeKind::kList, .name = "list", .params = std::span(kDynDyn).first(1)};
const Type kMapDyn{.kind = TypeKind::kMap, .name = "map", .params = kDynDyn};
const Type kOptionalDyn{
    .kind = TypeKind::kOpaque, .name = "optional_type", .params = std::span(kDynDyn).first(1)};

}  // namespace types

const Type* StructDecl::Field(std::string_view name) const {
  if (const auto found = fields.find(name); found != fields.end()) return found->second;
  if (find != nullptr) {
    if (const Type* made = find(name)) return fields.emplace(name, made).first->second;
  }
  return any_field ? other_fields : nullptr;
}

const Type* Types::Make(Type type) {
  type.name = arena_.Copy(type.name);
  if (!type.params.empty()) {
    const Type** params = arena_.AllocateArray<const Type*>(type.params.size());
    std::copy(type.params.begin(), type.params.end(), params);
    type.params = {params, type.params.size()};
  }
  return new (arena_.Allocate(sizeof(Type), alignof(Type))) Type(type);
}

const Type* Types::List(const Type* item) {
  const std::array params{item};
  return Make({.kind = TypeKind::kList, .name = "list", .params = params});
}
const Type* Types::Map(const Type* key, const Type* value) {
  const std::array params{key, value};
  return Make({.kind = TypeKind::kMap, .name = "map", .params = params});
}
const Type* Types::Optional(const Type* value) {
  const std::array params{value};
  return Opaque("optional_type", params);
}
const Type* Types::OfType(const Type* type) {
  const std::array params{type};
  return Make({.kind = TypeKind::kType, .name = "type", .params = params});
}
const Type* Types::Param(std::string_view name) {
  return Make({.kind = TypeKind::kTypeParam, .name = name});
}
const Type* Types::Opaque(std::string_view name, std::span<const Type* const> params) {
  return Make({.kind = TypeKind::kOpaque, .name = name, .params = params});
}

StructDecl& Types::Struct(std::string_view name) {
  StructDecl& decl = structs_.emplace_back();
  decl.type = Make({.kind = TypeKind::kStruct, .name = name, .decl = &decl});
  named_[std::string(name)] = decl.type;
  return decl;
}

const Type* Types::Parse(std::string_view text) {
  size_t at = 0;
  const Type* type = ParseAt(text, at);
  return at == text.size() ? type : nullptr;
}

const Type* Types::ParseAt(std::string_view text, size_t& at) {
  static const std::array<std::pair<std::string_view, const Type*>, 17> kNames{{
      {"dyn", &types::kDyn},
      {"any", &types::kAny},
      {"bool", &types::kBool},
      {"int", &types::kInt},
      {"uint", &types::kUint},
      {"double", &types::kDouble},
      {"string", &types::kString},
      {"bytes", &types::kBytes},
      {"null", &types::kNull},
      {"null_type", &types::kNull},
      {"timestamp", &types::kTimestamp},
      {"duration", &types::kDuration},
      {"google.protobuf.Timestamp", &types::kTimestamp},
      {"google.protobuf.Duration", &types::kDuration},
      {"google.protobuf.Any", &types::kAny},
      {"type", &types::kTypeType},
      {"error", &types::kError},
  }};
  while (at < text.size() && text[at] == ' ') ++at;
  if (at < text.size() && text[at] == '<') {
    const size_t end = text.find('>', at);
    if (end == std::string_view::npos) return nullptr;
    const std::string_view name = text.substr(at + 1, end - at - 1);
    at = end + 1;
    return Param(name);
  }
  const size_t end = std::min(text.find_first_of("(), ", at), text.size());
  const std::string_view name = text.substr(at, end - at);
  at = end;
  std::vector<const Type*> params;
  if (at < text.size() && text[at] == '(') {
    do {
      ++at;
      const Type* param = ParseAt(text, at);
      if (param == nullptr) return nullptr;
      params.push_back(param);
    } while (at < text.size() && text[at] == ',');
    if (at >= text.size() || text[at] != ')') return nullptr;
    ++at;
  }
  if (name == "list" && params.size() == 1) return List(params[0]);
  if (name == "map" && params.size() == 2) return Map(params[0], params[1]);
  if ((name == "optional" || name == "optional_type") && params.size() == 1) {
    return Optional(params[0]);
  }
  if (name == "type" && params.size() == 1) return OfType(params[0]);
  if (!params.empty() || name.empty()) return nullptr;
  for (const auto& [known, type] : kNames) {
    if (known == name) return type;
  }
  if (const Type* library = LibraryType(name)) return library;
  if (const auto found = named_.find(name); found != named_.end()) return found->second;
  return Struct(name).type;
}

bool SameType(const Type& a, const Type& b) {
  if (&a == &b) return true;
  if (a.kind != b.kind || a.name != b.name || a.params.size() != b.params.size()) return false;
  for (size_t i = 0; i < a.params.size(); ++i) {
    if (!SameType(*a.params[i], *b.params[i])) return false;
  }
  return a.wrapper == b.wrapper;
}

namespace {

std::string WithParams(const Type& type, std::string (*format)(const Type&)) {
  std::string out(type.name);
  if (type.params.empty()) return out;
  out += '(';
  for (size_t i = 0; i < type.params.size(); ++i) {
    if (i > 0) out += ", ";
    out += format(*type.params[i]);
  }
  return out + ')';
}

}  // namespace

std::string FormatType(const Type& type) {
  if (type.wrapper) return "wrapper(" + std::string(type.name) + ")";
  switch (type.kind) {
    case TypeKind::kAny:
      return "any";
    case TypeKind::kDuration:
      return "duration";
    case TypeKind::kTimestamp:
      return "timestamp";
    case TypeKind::kNull:
      return "null";
    case TypeKind::kError:
      return "!error!";
    default:
      return WithParams(type, FormatType);
  }
}

std::string TypeText(const Type& type) {
  if (type.wrapper) return "wrapper(" + std::string(type.name) + ")";
  return WithParams(type, TypeText);
}

}  // namespace skiff::cel
