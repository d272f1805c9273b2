#include "apiserver/rest/server_side_apply.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "apiserver/managed_fields/apply_configuration.h"
#include "apiserver/managed_fields/field_manager.h"
#include "apiserver/rest/endpoint.h"
#include "apiserver/rest/errors.h"
#include "apiserver/rest/field_tracking.h"
#include "apiserver/rest/input.h"
#include "apiserver/rest/update_object.h"
#include "base/strings.h"
#include "object/json/decode.h"
#include "object/yaml/to_json.h"
#include "serving/request/respond.h"

namespace skiff {
namespace {

std::vector<std::string> DuplicatesOf(std::vector<FieldIssue> issues) {
  // In the order of the text.
  std::ranges::stable_sort(issues, {}, [](const FieldIssue& each) { return each.position.line; });
  std::vector<std::string> out;
  for (const FieldIssue& issue : issues) {
    if (issue.kind != FieldIssue::kDuplicate) continue;
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

std::string_view GoKind(const Value& value) {
  if (value.is_list()) return "array";
  if (value.is_string()) return "string";
  return value.tag() == Tag::kBool ? "bool" : "number";
}

}  // namespace

bool IsApply(const ApiRequest& request) {
  std::string_view type = request.http.headers.Get("content-type");
  return TrimSpace(type.substr(0, type.find(';'))) == "application/apply-patch+yaml";
}

bool IsForced(const ApiRequest& request) { return request.query.IsTrue("force"); }

Result<AppliedConfiguration> ReadConfiguration(const ApiRequest& request) {
  const std::string_view body = request.http.body;
  std::vector<FieldIssue> issues;
  DecodeOptions options;
  options.issues = &issues;
  options.borrow_text = true;
  Result<Document> config;
  const std::string_view start = TrimSpace(body);
  if (!start.empty() && start[0] == '{') config = DecodeJson(body, nullptr, options);
  // JSON is the form that clients send; all else is YAML, and so is what only looks like JSON.
  if (!config || !config->root().is_map()) {
    issues.clear();
    YamlOptions yaml_options;
    yaml_options.issues = &issues;
    const Result<YamlJson> yaml = YamlToJson(body, yaml_options);
    if (!yaml) return UnreadableYaml(yaml.error());
    config = DecodeJson(yaml->json(), nullptr);
    if (!config) return UnreadableYaml(config.error());
  }
  if (config->root().is_null()) config->root() = Value::EmptyMap();
  if (!config->root().is_map()) {
    return Unreadable("error unmarshaling JSON: while decoding JSON: json: cannot unmarshal " +
                      std::string(GoKind(config->root())) +
                      " into Go value of type map[string]interface {}");
  }
  return AppliedConfiguration{std::move(*config), DuplicatesOf(issues)};
}

Result<void> ReportDuplicates(ApiRequest& request, const AppliedConfiguration& applied) {
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

void HandleApply(ApiRequestPtr request, const Endpoint& endpoint, bool dry_run) {
  ApiRequest& ref = *request;
  Update update{.request = std::move(request), .endpoint = endpoint, .make_new = {}};
  update.dry_run = dry_run;
  update.may_be_unconditional = endpoint.storage->desc().unconditional_update;
  update.uid_is_precondition = false;
  update.may_create = endpoint.subresource == nullptr;
  update.applies = true;
  update.tracks_fields = true;
  update.known_as = NoopApplyCache::DigestOf(ref.http.path, ref.query, ref.http.body);
  // Read when it is first needed: an apply that is known to change nothing never needs it.
  update.make_new = [&ref, &endpoint, warned = ref.warnings,
                     read = std::optional<AppliedConfiguration>()](
                        Document* current) mutable -> Result<Document> {
    ref.warnings = warned;
    if (!read) {
      SKIFF_ASSIGN_OR_RETURN(read, ReadConfiguration(ref));
    }
    const RequestWriter writer(ref, endpoint);
    const Document nothing = Document::OfType(endpoint.resource->kind);
    SKIFF_ASSIGN_OR_RETURN(
        Document object,
        ApplyConfiguration(endpoint.context->defaults, writer.get(),
                           current != nullptr ? *current : nothing, read->config, IsForced(ref)));
    SKIFF_RETURN_IF_ERROR(ReportDuplicates(ref, *read));
    return object;
  };
  RunUpdate(std::move(update));
}

}  // namespace skiff
