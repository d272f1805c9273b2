#include "apiserver/rest/applied_configuration.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "apiserver/managed_fields/apply_configuration.h"
#include "apiserver/rest/errors.h"
#include "apiserver/rest/field_tracking.h"
#include "apiserver/rest/write_options.h"
#include "base/strings.h"
#include "object/json/decode.h"
#include "object/yaml/to_json.h"

namespace skiff::apiserver {
namespace {

std::vector<std::string> DuplicatesOf(std::vector<object::FieldIssue> issues) {
  // In the order of the text.
  std::ranges::stable_sort(issues, {},
                           [](const object::FieldIssue& each) { return each.position.line; });
  std::vector<std::string> out;
  for (const object::FieldIssue& issue : issues) {
    if (issue.kind != object::FieldIssue::kDuplicate) continue;
    const std::string_view path = issue.path;
    const size_t dot = path.rfind('.');
    out.push_back("line " + std::to_string(issue.position.line) + ": key " +
                  Quoted(dot == std::string_view::npos ? path : path.substr(dot + 1)) +
                  " already set in map");
  }
  return out;
}

std::unexpected<Status> Unreadable(std::string_view why) {
  return BadRequest("error decoding YAML: " + std::string(why));
}

std::unexpected<Status> UnreadableYaml(const Status& why) {
  std::string place;
  if (why.position().line != 0) place = "line " + std::to_string(why.position().line) + ": ";
  return Unreadable("error converting YAML to JSON: yaml: " + place + why.message());
}

std::string_view GoKind(const object::Value& value) {
  if (value.is_list()) return "array";
  if (value.is_string()) return "string";
  return value.tag() == object::Tag::kBool ? "bool" : "number";
}

}  // namespace

bool IsForced(const serving::ApiRequest& request) { return request.query.IsTrue("force"); }

Result<AppliedConfiguration> ReadConfiguration(const serving::ApiRequest& request) {
  const std::string_view body = request.http.body;
  std::vector<object::FieldIssue> issues;
  object::DecodeOptions options;
  options.issues = &issues;
  options.borrow_text = true;
  Result<object::Document> config;
  const std::string_view start = TrimSpace(body);
  if (!start.empty() && start[0] == '{') config = object::DecodeJson(body, nullptr, options);
  // JSON is the form that clients send; all else is YAML, and so is what only looks like JSON.
  if (!config || !config->root().is_map()) {
    issues.clear();
    object::YamlOptions yaml_options;
    yaml_options.issues = &issues;
    const Result<object::YamlJson> yaml = object::YamlToJson(body, yaml_options);
    if (!yaml) return UnreadableYaml(yaml.error());
    config = object::DecodeJson(yaml->json(), nullptr);
    if (!config) return UnreadableYaml(config.error());
  }
  if (config->root().is_null()) config->root() = object::Value::EmptyMap();
  if (!config->root().is_map()) {
    return Unreadable("error unmarshaling JSON: while decoding JSON: json: cannot unmarshal " +
                      std::string(GoKind(config->root())) +
                      " into Go value of type map[string]interface {}");
  }
  return AppliedConfiguration{std::move(*config), DuplicatesOf(issues)};
}

Result<void> ReportDuplicates(serving::ApiRequest& request, const AppliedConfiguration& applied) {
  if (applied.duplicates.empty()) return {};
  SKIFF_ASSIGN_OR_RETURN(const FieldValidation mode, FieldValidationOf(request));
  if (mode == FieldValidation::kIgnore) return {};
  if (mode == FieldValidation::kStrict) {
    std::string all;
    for (const std::string& each : applied.duplicates) all += "\n  " + each;
    return BadRequest(
        "error strict decoding YAML: error converting YAML to JSON: yaml: unmarshal errors:" + all);
  }
  for (const std::string& each : applied.duplicates) request.warnings.push_back(each);
  return {};
}

MakeNew MakeApplied(serving::ApiRequest& request, const Endpoint& endpoint,
                    std::shared_ptr<RememberedConversions> conversions) {
  // Read when it is first needed: an apply that is known to change nothing never needs it.
  return [&request, &endpoint, conversions = std::move(conversions), warned = request.warnings,
          read = std::optional<AppliedConfiguration>()](
             object::Document* current) mutable -> Result<object::Document> {
    request.warnings = warned;
    if (!read) {
      SKIFF_ASSIGN_OR_RETURN(read, ReadConfiguration(request));
    }
    const RequestWriter writer(request, endpoint, conversions.get());
    const object::Document nothing = object::Document::OfType(endpoint.resource->kind);
    SKIFF_ASSIGN_OR_RETURN(object::Document object,
                           ApplyConfiguration(endpoint.context->defaults, writer.get(),
                                              current != nullptr ? *current : nothing, read->config,
                                              IsForced(request)));
    SKIFF_RETURN_IF_ERROR(ReportDuplicates(request, *read));
    return object;
  };
}

}  // namespace skiff::apiserver
