#include "apiserver/rest/delete_options.h"

#include <utility>
#include <vector>

#include "apiserver/rest/errors.h"
#include "apiserver/rest/input.h"
#include "base/strings.h"
#include "object/json/decode.h"
#include "object/protobuf/envelope.h"
#include "object/yaml/to_json.h"

namespace skiff::apiserver {
namespace {

constexpr const char* kIgnoreReadError = "ignoreStoreReadErrorWithClusterBreakingPotential";

constexpr std::string_view kPropagations[] = {"Foreground", "Background", "Orphan"};

// Any group may have the kind DeleteOptions, and the body may leave it out.
Result<void> CheckOptionsKind(std::string_view kind, std::string_view api_version) {
  if (kind.empty() || kind == "DeleteOptions") return {};
  return BadRequest("no kind " + Quoted(kind) + " is registered for version " +
                    Quoted(api_version) +
                    " in scheme "
                    "\"k8s.io/apimachinery/pkg/apis/meta/internalversion/scheme/register.go:27\"");
}

Result<object::Document> ReadOptionsBody(const serving::ApiRequest& request) {
  if (request.body != nullptr) return request.body->Copy();
  const object::MessageDesc* type = views::meta_v1::DeleteOptions::Type();
  SKIFF_ASSIGN_OR_RETURN(const BodyMedia media, BodyMediaOf(request));
  if (media == BodyMedia::kProtobuf) {
    SKIFF_ASSIGN_OR_RETURN(const object::ProtobufEnvelope envelope,
                           object::OpenProtobufEnvelope(request.http.body));
    SKIFF_RETURN_IF_ERROR(CheckOptionsKind(envelope.kind, envelope.api_version));
    return object::DecodeProtobuf(envelope.raw, type);
  }
  std::string json = request.http.body;
  if (media == BodyMedia::kYaml) {
    SKIFF_ASSIGN_OR_RETURN(const object::YamlJson yaml, object::YamlToJson(request.http.body));
    json = yaml.json();
  }
  const Result<object::TypeMeta> meta = object::PeekTypeMeta(json);
  if (!meta) return BadRequest(kNoTypeMeta + JsonFault(meta.error()));
  SKIFF_RETURN_IF_ERROR(CheckOptionsKind(meta->kind, meta->api_version));
  return object::DecodeJson(json, type);
}

void Take(const views::meta_v1::DeleteOptions& options, DeleteOptions& out,
          std::vector<std::string>& dry_run) {
  out.grace_period_seconds = options.grace_period_seconds();
  out.uid = options.preconditions().uid().value_or("");
  out.resource_version = options.preconditions().resource_version().value_or("");
  out.propagation = options.propagation_policy().value_or("");
  out.orphan_dependents = options.orphan_dependents();
  out.unreadable =
      options.ignore_store_read_error_with_cluster_breaking_potential().value_or(false);
  for (const std::string_view each : options.dry_run()) dry_run.emplace_back(each);
}

Result<void> TakeBody(const serving::ApiRequest& request, DeleteOptions& out,
                      std::vector<std::string>& dry_run) {
  SKIFF_ASSIGN_OR_RETURN(const object::Document body, ReadOptionsBody(request));
  if (body.root().is_object()) Take(views::meta_v1::DeleteOptions(body), out, dry_run);
  return {};
}

Result<void> TakeQuery(const serving::ApiRequest& request, DeleteOptions& out,
                       std::vector<std::string>& dry_run) {
  SKIFF_ASSIGN_OR_RETURN(out.grace_period_seconds, request.query.OptionalInt("gracePeriodSeconds"));
  out.propagation = request.query.Get("propagationPolicy");
  out.orphan_dependents = request.query.OptionalBool("orphanDependents");
  out.unreadable = request.query.OptionalBool(kIgnoreReadError).value_or(false);
  for (const std::string_view each : request.query.All("dryRun")) dry_run.emplace_back(each);
  return {};
}

Result<void> Check(const DeleteOptions& options, const std::vector<std::string>& dry_run) {
  std::vector<StatusCause> causes;
  if (!options.propagation.empty() && options.orphan_dependents) {
    causes.push_back(InvalidField("propagationPolicy", object::JsonText(options.propagation),
                                  "orphanDependents and deletionPropagation cannot be both set"));
  }
  bool known = options.propagation.empty();
  for (const std::string_view each : kPropagations) known |= options.propagation == each;
  if (!known) {
    causes.push_back({"FieldValueNotSupported",
                      "Unsupported value: " + object::JsonText(options.propagation) +
                          ": supported values: \"Foreground\", \"Background\", \"Orphan\", \"nil\"",
                      "propagationPolicy"});
  }
  for (StatusCause& cause : DryRunFaults({dry_run.begin(), dry_run.end()})) {
    causes.push_back(std::move(cause));
  }
  if (causes.empty()) return {};
  return std::unexpected(Invalid("DeleteOptions", "meta.k8s.io", "", std::move(causes)));
}

}  // namespace

Status UnreadableDeletionRefused(std::string_view kind, std::string_view group,
                                 std::string_view name, std::string_view why) {
  return Invalid(kind, group, name, {InvalidField(kIgnoreReadError, "true", why)});
}

Result<void> CheckUnreadableDeletion(const DeleteOptions& options) {
  const std::pair<bool, std::string_view> given[] = {
      {options.dry_run, "dryRun"},
      {!options.propagation.empty(), "propagationPolicy"},
      {options.orphan_dependents.has_value(), "orphanDependents"},
      {options.grace_period_seconds.has_value(), "gracePeriodSeconds"},
      {!options.uid.empty() || !options.resource_version.empty(), "preconditions"}};
  std::vector<StatusCause> causes;
  for (const auto& [is_given, name] : given) {
    if (!is_given) continue;
    causes.push_back(InvalidField(kIgnoreReadError, "true",
                                  "cannot be set together with ." + std::string(name)));
  }
  if (causes.empty()) return {};
  return std::unexpected(Invalid("DeleteOptions", "meta.k8s.io", "", std::move(causes)));
}

Result<DeleteOptions> DeleteOptionsOf(const views::meta_v1::DeleteOptions& options) {
  DeleteOptions out;
  std::vector<std::string> dry_run;
  Take(options, out, dry_run);
  SKIFF_RETURN_IF_ERROR(Check(out, dry_run));
  out.dry_run = !dry_run.empty();
  return out;
}

Result<DeleteOptions> ReadDeleteOptions(serving::ApiRequest& request) {
  DeleteOptions out;
  std::vector<std::string> dry_run;
  if (request.body == nullptr && request.http.body.empty()) {
    SKIFF_RETURN_IF_ERROR(TakeQuery(request, out, dry_run));
  } else {
    SKIFF_RETURN_IF_ERROR(TakeBody(request, out, dry_run));
    if (dry_run.empty()) {
      for (const std::string_view each : request.query.All("dryRun")) dry_run.emplace_back(each);
    }
  }
  SKIFF_RETURN_IF_ERROR(Check(out, dry_run));
  out.dry_run = !dry_run.empty();
  return out;
}

void WarnOfOrphans(const object::ResourceDesc& resource, const DeleteOptions& options,
                   serving::ApiRequest& request) {
  if (resource.name != "jobs" || resource.version->desc->group != "batch") return;
  if (!options.propagation.empty() || options.orphan_dependents) return;
  request.warnings.push_back(
      "child pods are preserved by default when jobs are deleted; set "
      "propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress "
      "this warning");
}

}  // namespace skiff::apiserver
