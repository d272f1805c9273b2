#include "apiserver/admission/config_file.h"

#include <algorithm>
#include <filesystem>
#include <initializer_list>
#include <utility>

#include "apiserver/admission/plugin.h"
#include "base/limits.h"
#include "base/read_file.h"
#include "object/json/decode.h"
#include "object/json/encode.h"
#include "object/yaml/to_json.h"

namespace skiff::apiserver {
namespace {

constexpr std::string_view kKind = "AdmissionConfiguration";
// The second is what its first version was called.
constexpr std::string_view kApiVersions[] = {
    "apiserver.config.k8s.io/v1", "apiserver.k8s.io/v1alpha1", "apiserver.config.k8s.io/v1alpha1"};

Status InFile(const std::string& path, const Status& fault) {
  return Status(StatusReason::kBadRequest, path + ": " + fault.ToString());
}

Result<object::YamlJson> ReadYaml(const std::string& path) {
  SKIFF_ASSIGN_OR_RETURN(const std::string text,
                         ReadFileUpTo(path, limits::kMaxAdmissionConfigBytes));
  std::vector<object::FieldIssue> issues;
  Result<object::YamlJson> json = object::YamlToJson(text, {.issues = &issues});
  if (!json) return std::unexpected(InFile(path, json.error()));
  if (!issues.empty()) return BadRequest(path + ": " + issues.front().ToString());
  return json;
}

bool IsKnownVersion(std::string_view api_version) {
  for (const std::string_view each : kApiVersions) {
    if (api_version == each) return true;
  }
  return false;
}

bool IsPlugin(std::string_view name) {
  for (const PluginDesc& each : AllAdmissionPlugins()) {
    if (each.name == name) return true;
  }
  return false;
}

std::string_view TextOf(const object::Value& object, std::string_view name) {
  const object::Value* found = object.Find(name);
  return found != nullptr && found->is_string() ? found->AsText() : std::string_view();
}

Result<void> CheckKeys(const object::Value& map, std::initializer_list<std::string_view> known,
                       const std::string& where) {
  for (const object::MapEntry& entry : map.entries()) {
    if (std::ranges::find(known, entry.key) == known.end()) {
      return BadRequest(where + "unknown field \"" + std::string(entry.key) + "\"");
    }
  }
  return {};
}

// One entry of `plugins`.
Result<PluginConfig> ReadPlugin(const std::string& file, const object::Value& entry) {
  if (!entry.is_map()) return BadRequest("expected name, path and configuration of a plugin");
  SKIFF_RETURN_IF_ERROR(CheckKeys(entry, {"name", "path", "configuration"}, ""));
  PluginConfig out{.name = std::string(TextOf(entry, "name")), .json = {}, .source = file};
  if (!IsPlugin(out.name)) {
    return BadRequest("\"" + out.name + "\" is no admission plugin");
  }
  const object::Value* inline_config = entry.Find("configuration");
  const std::string_view path = TextOf(entry, "path");
  if (inline_config != nullptr && !inline_config->is_null()) {
    out.json = object::EncodeJson(*inline_config);
    return out;
  }
  if (path.empty()) return out;
  std::filesystem::path beside(path);
  if (beside.is_relative()) beside = std::filesystem::path(file).parent_path() / beside;
  out.source = beside.string();
  SKIFF_ASSIGN_OR_RETURN(const object::YamlJson json, ReadYaml(out.source));
  out.json = json.json();
  return out;
}

}  // namespace

const PluginConfig* PluginConfigs::Find(std::string_view name) const {
  for (const PluginConfig& each : plugins) {
    if (each.name == name && !each.json.empty()) return &each;
  }
  return nullptr;
}

Result<PluginConfigs> ReadAdmissionConfig(const std::string& path) {
  SKIFF_ASSIGN_OR_RETURN(const object::YamlJson json, ReadYaml(path));
  const Result<object::TypeMeta> type = object::PeekTypeMeta(json.json());
  if (!type || type->kind != kKind || !IsKnownVersion(type->api_version)) {
    return BadRequest(path + ": not an AdmissionConfiguration of " + std::string(kApiVersions[0]));
  }
  object::DecodeOptions options;
  options.positions = &json;
  const Result<object::Document> document = object::DecodeJson(json.json(), nullptr, options);
  if (!document) return std::unexpected(InFile(path, document.error()));
  SKIFF_RETURN_IF_ERROR(
      CheckKeys(document->root(), {"apiVersion", "kind", "plugins"}, path + ": "));
  PluginConfigs out;
  const object::Value* plugins = document->root().Find("plugins");
  if (plugins == nullptr || plugins->is_null()) return out;
  if (!plugins->is_list()) return BadRequest(path + ": plugins: expected a list");
  for (size_t i = 0; i < plugins->size(); ++i) {
    Result<PluginConfig> plugin = ReadPlugin(path, plugins->items()[i]);
    if (!plugin) {
      return BadRequest(path + ": plugins[" + std::to_string(i) +
                        "]: " + plugin.error().ToString());
    }
    if (out.Find(plugin->name) != nullptr) {
      return BadRequest(path + ": plugins[" + std::to_string(i) + "]: " + plugin->name +
                        " is there twice");
    }
    out.plugins.push_back(std::move(*plugin));
  }
  return out;
}

Result<object::Document> DecodePluginConfig(std::string_view json, std::string_view api_version,
                                            std::string_view kind) {
  SKIFF_ASSIGN_OR_RETURN(const object::TypeMeta type, object::PeekTypeMeta(json));
  if (type.api_version != api_version || type.kind != kind) {
    return BadRequest("expected " + std::string(api_version) + " " + std::string(kind) + ", got " +
                      type.api_version + " " + type.kind);
  }
  std::vector<object::FieldIssue> issues;
  object::DecodeOptions options;
  options.issues = &issues;
  SKIFF_ASSIGN_OR_RETURN(object::Document out,
                         object::DecodeJson(json, object::FindKind(api_version, kind), options));
  if (!issues.empty()) return BadRequest(issues.front().ToString());
  return out;
}

}  // namespace skiff::apiserver
