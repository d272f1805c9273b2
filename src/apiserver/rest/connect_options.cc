#include "apiserver/rest/connect_options.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace skiff::apiserver {
namespace {

// A whole number of 16 bits without a sign. The messages are those of Kubernetes.
Result<object::Value> PortOf(std::string_view text) {
  const auto fault = [text](std::string_view what) {
    return BadRequest("cannot convert to []int32: strconv.ParseUint: parsing \"" +
                      std::string(text) + "\": " + std::string(what));
  };
  const bool is_number =
      !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
  if (!is_number) return fault("invalid syntax");
  uint16_t port = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  if (error != std::errc()) return fault("value out of range");
  return object::Value::Int(port);
}

Result<void> AddPorts(std::string_view text, Arena& arena, object::Value& list) {
  while (true) {
    const size_t comma = text.find(',');
    SKIFF_ASSIGN_OR_RETURN(const object::Value port, PortOf(text.substr(0, comma)));
    list.Append(arena, port);
    if (comma == std::string_view::npos) return {};
    text.remove_prefix(comma + 1);
  }
}

// What follows the subresource in the URL, with the slash at its end that joining its parts loses.
std::string PathOf(const serving::RequestInfo& info) {
  std::string path;
  for (const std::string& part : info.rest) path += "/" + part;
  if (info.path.ends_with('/') && !path.ends_with('/')) path += '/';
  return path;
}

Result<object::Value> ListOf(const object::FieldDesc& field,
                             const std::vector<std::string_view>& texts, Arena& arena) {
  object::Value list = object::Value::EmptyList();
  for (const std::string_view text : texts) {
    if (field.type == object::FieldType::kString) {
      list.Append(arena, object::Value::String(text).CopyInto(arena));
    } else if (field.type == object::FieldType::kInt32) {
      SKIFF_RETURN_IF_ERROR(AddPorts(text, arena, list));
    }
  }
  return list;
}

}  // namespace

Result<object::Document> ConnectOptionsOf(const serving::RequestInfo& info,
                                          const serving::QueryParameters& query,
                                          const object::MessageDesc* type) {
  object::Document out = object::Document::OfType(type);
  for (const object::FieldDesc& field : type->fields) {
    const std::string_view name = field.name();
    if (name == "kind" || name == "apiVersion") continue;
    if (name == "path") {
      const std::string path = PathOf(info);
      if (path.empty()) continue;
      out.root().Set(out.arena(), name, object::Value::String(path).CopyInto(out.arena()));
      continue;
    }
    const std::vector<std::string_view> texts = query.All(name);
    if (texts.empty()) continue;
    if (field.cardinality != object::Cardinality::kSingle) {
      SKIFF_ASSIGN_OR_RETURN(const object::Value list, ListOf(field, texts, out.arena()));
      out.root().Set(out.arena(), name, list);
    } else if (field.type == object::FieldType::kBool) {
      out.root().Set(out.arena(), name, object::Value::Bool(query.IsTrue(name)));
    } else if (field.type == object::FieldType::kString) {
      out.root().Set(out.arena(), name, object::Value::String(texts[0]).CopyInto(out.arena()));
    }
  }
  return out;
}

}  // namespace skiff::apiserver
