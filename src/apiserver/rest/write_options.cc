#include "apiserver/rest/write_options.h"

#include <string>
#include <string_view>
#include <vector>

#include "apiserver/managed_fields/manager_name.h"
#include "apiserver/rest/errors.h"
#include "apiserver/rest/field_tracking.h"
#include "apiserver/rest/server_side_apply.h"

namespace skiff::apiserver {
namespace {

std::string_view KindOfOptions(const serving::ApiRequest& request) {
  if (request.info.verb == "update") return "UpdateOptions";
  return request.info.verb == "patch" ? "PatchOptions" : "CreateOptions";
}

Status InvalidOptions(const serving::ApiRequest& request, std::vector<StatusCause> causes) {
  return Invalid(KindOfOptions(request), "meta.k8s.io", "", std::move(causes));
}

bool IsKnownValidation(std::string_view mode) {
  return mode.empty() || mode == "Ignore" || mode == "Warn" || mode == "Strict";
}

StatusCause UnknownValidation(std::string_view mode) {
  return {"FieldValueNotSupported",
          "Unsupported value: " + object::JsonText(mode) +
              ": supported values: \"\", \"Ignore\", \"Strict\", \"Warn\"",
          "fieldValidation"};
}

void CheckForce(const serving::ApiRequest& request, std::vector<StatusCause>& causes) {
  if (request.info.verb != "patch") return;
  if (IsApply(request)) {
    if (!request.query.Get("fieldManager").empty()) return;
    causes.push_back(RequiredField("fieldManager", "is required for apply patch"));
  } else if (!request.query.All("force").empty()) {
    causes.push_back(ForbiddenField("force", "may not be specified for non-apply patch"));
  }
}

}  // namespace

std::vector<StatusCause> DryRunFaults(const std::vector<std::string_view>& given) {
  std::string list;
  bool known = true;
  for (const std::string_view each : given) {
    known &= each == "All";
    list += (list.empty() ? "" : ",") + object::JsonText(each);
  }
  if (known) return {};
  return {{"FieldValueNotSupported", "Unsupported value: [" + list + "]: supported values: \"All\"",
           "dryRun"}};
}

Result<bool> CheckWriteOptions(const serving::ApiRequest& request) {
  std::vector<StatusCause> causes;
  CheckForce(request, causes);
  for (StatusCause& cause : FieldManagerFaults(request.query.Get("fieldManager"))) {
    causes.push_back(std::move(cause));
  }
  const std::vector<std::string_view> dry_run = request.query.All("dryRun");
  for (StatusCause& cause : DryRunFaults(dry_run)) causes.push_back(std::move(cause));
  const std::string_view validation = request.query.Get("fieldValidation");
  if (!IsKnownValidation(validation)) causes.push_back(UnknownValidation(validation));
  if (!causes.empty()) return std::unexpected(InvalidOptions(request, std::move(causes)));
  return !dry_run.empty();
}

Result<FieldValidation> FieldValidationOf(const serving::ApiRequest& request) {
  const std::string_view mode = request.query.Get("fieldValidation");
  if (!IsKnownValidation(mode)) {
    return std::unexpected(InvalidOptions(request, {UnknownValidation(mode)}));
  }
  if (mode == "Ignore") return FieldValidation::kIgnore;
  return mode == "Strict" ? FieldValidation::kStrict : FieldValidation::kWarn;
}

}  // namespace skiff::apiserver
