#include "apiserver/rest/patch_object.h"

#include <utility>

#include "apiserver/convert/normalize.h"
#include "apiserver/rest/errors.h"
#include "apiserver/rest/input.h"
#include "apiserver/rest/write_rules.h"
#include "base/limits.h"
#include "base/strings.h"
#include "object/json/decode.h"
#include "object/json/encode.h"
#include "object/open_kind.h"
#include "object/patch/go_text.h"
#include "object/patch/json_patch.h"
#include "object/patch/merge_patch.h"
#include "object/patch/strategic_merge_patch.h"
#include "serving/request/respond.h"

namespace skiff::apiserver {
namespace {

// Only descriptors say how lists merge strategically.
Result<PatchKind> PatchKindOf(const serving::ApiRequest& request, bool is_open) {
  std::string_view type = request.http.headers.Get("content-type");
  type = TrimSpace(type.substr(0, type.find(';')));
  if (type == "application/json-patch+json") return PatchKind::kJson;
  if (type == "application/merge-patch+json") return PatchKind::kMerge;
  if (type == "application/strategic-merge-patch+json" && !is_open) return PatchKind::kStrategic;
  if (is_open) {
    return Fail(StatusReason::kUnsupportedMediaType,
                "the body of the request was in an unknown format - accepted media types include: "
                "application/json-patch+json, application/merge-patch+json, "
                "application/apply-patch+yaml");
  }
  Status refused(StatusReason::kUnsupportedMediaType, "415: Unsupported Media Type");
  refused.SetSubject({});
  return std::unexpected(std::move(refused));
}

}  // namespace

Result<ObjectPatch> ReadPatch(serving::ApiRequest& request, const object::MessageDesc& type) {
  SKIFF_ASSIGN_OR_RETURN(const PatchKind kind, PatchKindOf(request, type.open != nullptr));
  SKIFF_ASSIGN_OR_RETURN(const FieldValidation mode, FieldValidationOf(request));
  std::vector<object::FieldIssue> issues;
  object::DecodeOptions options;
  if (mode != FieldValidation::kIgnore) options.issues = &issues;
  Result<object::Document> read = object::DecodeJson(request.http.body, nullptr, options);
  if (!read) {
    const bool looked_into = kind != PatchKind::kStrategic && mode != FieldValidation::kIgnore;
    return Fail(read.error().reason(),
                (looked_into ? "error decoding patch: " : "") + JsonFault(read.error()));
  }
  object::Document patch = std::move(*read);
  if (kind == PatchKind::kJson && mode != FieldValidation::kIgnore) {
    for (object::FieldIssue& issue : object::UnknownJsonPatchMembers(patch.root())) {
      issues.push_back(std::move(issue));
    }
  }
  std::vector<std::string> faults;
  for (const object::FieldIssue& issue : issues) {
    faults.push_back((kind == PatchKind::kJson ? "json patch " : "") + issue.ToString());
  }
  return ObjectPatch{kind, mode, std::make_shared<const object::Document>(std::move(patch)),
                     std::move(faults)};
}

namespace {

// The patch applies, but what it makes is no object of the kind. The causes tell what came out.
Status NotAnObject(std::string_view json, const Status& why) {
  return Invalid("", "", "", {InvalidField("patch", object::JsonText(json), why.message())});
}

// Fields that nobody knows or that are there twice, in the patch and in what it makes.
Result<void> ReportFaults(serving::ApiRequest& request, const ObjectPatch& patch,
                          const std::vector<object::FieldIssue>& issues, std::string_view shown) {
  std::vector<std::string> faults = patch.faults;
  for (const object::FieldIssue& issue : issues) faults.push_back(issue.ToString());
  if (faults.empty() || patch.mode == FieldValidation::kIgnore) return {};
  if (patch.mode == FieldValidation::kWarn) {
    for (std::string& fault : faults) request.warnings.push_back(std::move(fault));
    return {};
  }
  std::string all;
  for (const std::string& fault : faults) all += (all.empty() ? "" : ", ") + fault;
  return std::unexpected(NotAnObject(
      shown, Status(StatusReason::kInvalid, "strict decoding error: " + std::move(all))));
}

}  // namespace

Result<object::Document> ApplyPatch(serving::ApiRequest& request, const ObjectPatch& patch,
                                    const object::Value& current, const ExpectedKind& kind,
                                    const DefaultPlans& defaults) {
  ByteBuffer json;
  object::EncodeJson(current, json);
  object::DecodeOptions whole;
  whole.max_bytes = limits::kMaxCountedBytes;
  SKIFF_ASSIGN_OR_RETURN(object::Document tree, object::DecodeJson(json.view(), nullptr, whole));
  switch (patch.kind) {
    case PatchKind::kJson:
      if (Result<void> applied = object::ApplyJsonPatch(patch.body->root(), tree); !applied) {
        // Where Kubernetes refuses a patch for its content, details are there, if empty, and it
        // says no more than the beginning of this.
        Status refused = applied.error();
        if (refused.reason() == StatusReason::kInvalid) {
          refused.SetSubject({});
          refused.SetMessage("the server rejected our request due to an error in our request: " +
                             refused.message());
        }
        return std::unexpected(std::move(refused));
      }
      break;
    case PatchKind::kMerge:
      SKIFF_RETURN_IF_ERROR(object::ApplyMergePatch(patch.body->root(), tree));
      break;
    case PatchKind::kStrategic:
      SKIFF_RETURN_IF_ERROR(object::ApplyStrategicMergePatch(patch.body->root(), kind.type, tree));
      break;
  }
  json.Clear();
  object::EncodeJson(tree.root(), json);
  SKIFF_ASSIGN_OR_RETURN(const object::TypeMeta meta, object::PeekTypeMeta(json.view()));
  const std::string shown = patch.kind == PatchKind::kStrategic ? object::GoText(patch.body->root())
                                                                : std::string(json.view());
  if (const std::string why = ForeignKind(meta.api_version, meta.kind, kind); !why.empty()) {
    return std::unexpected(NotAnObject(shown, Status(StatusReason::kInvalid, why)));
  }
  SKIFF_RETURN_IF_ERROR(CheckKind(meta.api_version, meta.kind, kind));
  std::vector<object::FieldIssue> issues;
  if (patch.mode != FieldValidation::kIgnore) whole.issues = &issues;
  Result<object::Document> object = object::DecodeJson(json.view(), kind.type, whole);
  if (!object) {
    return std::unexpected(NotAnObject(shown, object.error()));
  }
  SKIFF_RETURN_IF_ERROR(object::CoerceOpen(*object, /*stored=*/false, whole.issues));
  if (!object->root().is_object() && !object->root().is_map()) {
    return Fail(StatusReason::kInvalid, "the patch does not result in an object");
  }
  SKIFF_RETURN_IF_ERROR(ReportFaults(request, patch, issues, shown));
  SKIFF_RETURN_IF_ERROR(DefaultAndNormalize(defaults, *object));
  return object;
}

}  // namespace skiff::apiserver
