#include "apiserver/rest/input.h"

#include <algorithm>
#include <utility>

#include "apiserver/convert/normalize.h"
#include "apiserver/rest/errors.h"
#include "apiserver/rest/object_meta.h"
#include "base/hex.h"
#include "base/strings.h"
#include "object/json/cursor.h"
#include "object/json/decode.h"
#include "object/json/encode.h"
#include "object/json/json_text.h"
#include "object/open_kind.h"
#include "object/protobuf/envelope.h"
#include "object/yaml/to_json.h"

namespace skiff::apiserver {
namespace {

std::string JoinIssues(const std::vector<object::FieldIssue>& issues) {
  std::string out;
  for (const object::FieldIssue& issue : issues) {
    if (!out.empty()) out += ", ";
    out += issue.ToString();
  }
  return out;
}

std::string_view VersionOf(std::string_view api_version) {
  const size_t slash = api_version.find('/');
  return slash == std::string_view::npos ? api_version : api_version.substr(slash + 1);
}

Status CannotRead(const ExpectedKind& expected, const Status& why) {
  std::string version(expected.type->group_version->version);
  Status out(why.reason(), std::string(expected.kind) + " in version \"" + version +
                               "\" cannot be handled as a " + std::string(expected.kind) + ": " +
                               why.ToString());
  return out;
}

// The beginning of a body that nobody can read, in hexadecimal where it does not look like JSON.
std::string Summary(std::string_view body) {
  constexpr size_t kShownBytes = 30;
  if (body.empty()) return "<empty>";
  const std::string_view shown = body.substr(0, kShownBytes);
  const std::string rest = shown.size() < body.size() ? " ..." : "";
  return (body[0] == '{' ? std::string(shown) : HexOf(shown)) + rest;
}

std::unexpected<Status> Unrecognized(const ExpectedKind& expected, std::string_view body,
                                     const std::string& why) {
  return BadRequest("the object provided is unrecognized (must be of type " +
                    std::string(expected.kind) + "): " + why + " (" + Summary(body) + ")");
}

// Objects of open kinds have no type that would say what they are: they must do so themselves. One
// of another kind can be read, and is found invalid.
Result<void> CheckOpenKind(std::string_view json, const object::TypeMeta& meta,
                           const ExpectedKind& expected) {
  if (meta.kind.empty()) {
    return Unrecognized(expected, json, "Object 'Kind' is missing in '" + std::string(json) + "'");
  }
  if (meta.api_version == expected.api_version) return {};
  return BadRequest("the API version in the data (" + meta.api_version +
                    ") does not match the expected API version (" +
                    std::string(expected.api_version) + ")");
}

Result<void> CheckIsOfKind(object::Document& object, const ExpectedKind& expected) {
  if (object.kind() == expected.kind) return {};
  return std::unexpected(Invalid(object.kind(), expected.type->group_version->group,
                                 MetaOf(object).name(),
                                 {InvalidField("kind", object::JsonText(object.kind()),
                                               "must be " + std::string(expected.kind))}));
}

Result<object::Document> ReadJson(std::string_view json, const ExpectedKind& expected,
                                  const object::TextPositions* positions,
                                  std::vector<object::FieldIssue>* issues) {
  const bool is_open = expected.type->open != nullptr;
  if (TrimSpace(json) == "null" && !is_open) return object::Document::OfType(expected.type);
  const Result<object::TypeMeta> meta = object::PeekTypeMeta(json);
  if (!meta) return Unrecognized(expected, json, kNoTypeMeta + JsonFault(meta.error()));
  if (std::ranges::count(meta->api_version, '/') > 1) {
    return Unrecognized(expected, json,
                        "unexpected GroupVersion string: " + std::string(meta->api_version));
  }
  SKIFF_RETURN_IF_ERROR(is_open ? CheckOpenKind(json, *meta, expected)
                                : CheckKind(meta->api_version, meta->kind, expected));
  object::DecodeOptions options;
  options.issues = issues;
  options.positions = positions;
  Result<object::Document> object = object::DecodeJson(json, expected.type, options);
  if (!object && !object::IsValidJson(json)) {
    return Unrecognized(expected, json, kNoTypeMeta + JsonFault(object.error()));
  }
  if (!object) return std::unexpected(CannotRead(expected, object.error()));
  if (!object->root().is_object() && !object->root().is_map()) {
    return BadRequest("the body of the request is no object");
  }
  if (is_open) SKIFF_RETURN_IF_ERROR(CheckIsOfKind(*object, expected));
  SKIFF_RETURN_IF_ERROR(object::CoerceOpen(*object, /*stored=*/false, issues));
  return object;
}

Result<object::Document> ReadProtobuf(std::string_view body, const ExpectedKind& expected) {
  const Result<object::ProtobufEnvelope> envelope = object::OpenProtobufEnvelope(body);
  if (!envelope) return std::unexpected(CannotRead(expected, envelope.error()));
  SKIFF_RETURN_IF_ERROR(CheckKind(envelope->api_version, envelope->kind, expected));
  if (!expected.type->in_protobuf) {
    return Fail(StatusReason::kUnsupportedMediaType, "objects of this kind have no protobuf form");
  }
  Result<object::Document> object = object::DecodeProtobuf(envelope->raw, expected.type);
  if (!object) return std::unexpected(CannotRead(expected, object.error()));
  return object;
}

// A body that was handed over as it is, and not as bytes. One without a type is read as its JSON.
Result<object::Document> TakeDocument(const object::Document& body, const ExpectedKind& expected) {
  if (body.type() == expected.type) {
    SKIFF_RETURN_IF_ERROR(CheckKind(body.api_version(), body.kind(), expected));
    return body.Copy();
  }
  ByteBuffer json;
  object::EncodeJson(body.root(), json);
  return ReadJson(json.view(), expected, nullptr, nullptr);
}

}  // namespace

std::string JsonFault(const Status& status) {
  return status.message() == object::kUnexpectedEnd ? std::string(status.message())
                                                    : status.ToString();
}

Result<void> Report(serving::ApiRequest& request, FieldValidation mode, std::string_view what,
                    const std::vector<object::FieldIssue>& issues) {
  if (issues.empty() || mode == FieldValidation::kIgnore) return {};
  if (mode == FieldValidation::kStrict) {
    return BadRequest(std::string(what) + "strict decoding error: " + JoinIssues(issues));
  }
  for (const object::FieldIssue& issue : issues) request.warnings.push_back(issue.ToString());
  return {};
}

Result<BodyMedia> BodyMediaOf(const serving::ApiRequest& request) {
  std::string_view type = request.http.headers.Get("content-type");
  type = TrimSpace(type.substr(0, type.find(';')));
  if (type.empty() || type == "application/json") return BodyMedia::kJson;
  if (type == "application/yaml") return BodyMedia::kYaml;
  if (type == "application/vnd.kubernetes.protobuf") return BodyMedia::kProtobuf;
  return Fail(StatusReason::kUnsupportedMediaType,
              "the body of the request was in an unknown format - accepted media types include: "
              "application/json, application/yaml, application/vnd.kubernetes.protobuf");
}

std::string ForeignKind(std::string_view api_version, std::string_view kind,
                        const ExpectedKind& expected) {
  if (kind.empty()) kind = expected.kind;
  if (api_version.empty()) api_version = expected.api_version;
  if (kind == expected.kind && api_version == expected.api_version) return {};
  if (object::FindKind(api_version, kind) == nullptr) {
    return "no kind " + Quoted(kind) + " is registered for version " + Quoted(api_version) +
           " in scheme \"pkg/api/legacyscheme/scheme.go:30\"";
  }
  if (kind == expected.kind) return {};
  // Kubernetes has a type of its own for each kind, in a package that is called like the group.
  std::string_view package = expected.api_version;
  package = package.substr(0, std::min(package.find('/'), package.size()));
  package = package.substr(0, package.find('.'));
  if (expected.api_version.find('/') == std::string_view::npos) package = "core";
  return "converting (" + std::string(VersionOf(api_version)) + "." + std::string(kind) + ") to (" +
         std::string(package) + "." + std::string(expected.kind) + "): unknown conversion";
}

Result<void> CheckKind(std::string_view api_version, std::string_view kind,
                       const ExpectedKind& expected) {
  if (const std::string why = ForeignKind(api_version, kind, expected); !why.empty()) {
    const std::string_view given = api_version.empty() ? expected.api_version : api_version;
    return BadRequest(std::string(kind.empty() ? expected.kind : kind) + " in version " +
                      Quoted(VersionOf(given)) + " cannot be handled as a " +
                      std::string(expected.kind) + ": " + why);
  }
  if (!api_version.empty() && api_version != expected.api_version) {
    return std::unexpected(Status(StatusReason::kBadRequest,
                                  "the API version in the data (" + std::string(api_version) +
                                      ") does not match the expected API version (" +
                                      std::string(expected.api_version) + ")"));
  }
  return {};
}

Result<object::Document> ReadBody(serving::ApiRequest& request, const ExpectedKind& expected,
                                  const DefaultPlans& defaults) {
  SKIFF_ASSIGN_OR_RETURN(const BodyMedia media, BodyMediaOf(request));
  SKIFF_ASSIGN_OR_RETURN(const FieldValidation mode, FieldValidationOf(request));
  std::vector<object::FieldIssue> issues;
  std::vector<object::FieldIssue>* wanted = mode == FieldValidation::kIgnore ? nullptr : &issues;
  Result<object::Document> object;
  if (request.body != nullptr) {
    object = TakeDocument(*request.body, expected);
  } else if (media == BodyMedia::kJson) {
    object = ReadJson(request.http.body, expected, nullptr, wanted);
  } else if (media == BodyMedia::kYaml) {
    object::YamlOptions options;
    options.issues = wanted;
    const Result<object::YamlJson> yaml = object::YamlToJson(request.http.body, options);
    if (!yaml && yaml.error().reason() != StatusReason::kBadRequest) {
      return std::unexpected(CannotRead(expected, yaml.error()));
    }
    if (!yaml) return Unrecognized(expected, request.http.body, "yaml: " + yaml.error().ToString());
    object = ReadJson(yaml->json(), expected, &*yaml, wanted);
  } else {
    object = ReadProtobuf(request.http.body, expected);
  }
  if (!object) return object;
  const std::string what = std::string(expected.kind) + " in version \"" +
                           std::string(expected.type->group_version->version) +
                           "\" cannot be handled as a " + std::string(expected.kind) + ": ";
  SKIFF_RETURN_IF_ERROR(Report(request, mode, what, issues));
  object::Value& root = object->root();
  root.Set(object->arena(), "kind", object::Value::String(expected.kind));
  root.Set(object->arena(), "apiVersion", object::Value::String(expected.api_version));
  SKIFF_RETURN_IF_ERROR(DefaultAndNormalize(defaults, *object));
  return object;
}

}  // namespace skiff::apiserver
