#include "apiserver/rest/input.h"

#include <utility>

#include "apiserver/convert/normalize.h"
#include "apiserver/defaults/defaults.h"
#include "apiserver/rest/errors.h"
#include "base/strings.h"
#include "object/json/decode.h"
#include "object/json/encode.h"
#include "object/protobuf/envelope.h"
#include "object/yaml/to_json.h"

namespace skiff {
namespace {

std::string JoinIssues(const std::vector<FieldIssue>& issues) {
  std::string out;
  for (const FieldIssue& issue : issues) {
    if (!out.empty()) out += ", ";
    out += issue.ToString();
  }
  return out;
}

Status WrongKind(std::string_view api_version, std::string_view kind,
                 const ExpectedKind& expected) {
  return Status(StatusReason::kBadRequest, "the object provided is unrecognized (must be of type " +
                                               std::string(expected.kind) + "): it is of kind " +
                                               Quoted(kind) + " in " + Quoted(api_version));
}

Status CannotRead(const ExpectedKind& expected, const Status& why) {
  std::string version(expected.type->group_version->version);
  Status out(why.reason(), std::string(expected.kind) + " in version \"" + version +
                               "\" cannot be handled as a " + std::string(expected.kind) + ": " +
                               why.ToString());
  return out;
}

Result<Document> ReadJson(std::string_view json, const ExpectedKind& expected,
                          const TextPositions* positions, std::vector<FieldIssue>* issues) {
  if (TrimSpace(json) == "null") return Document::OfType(expected.type);
  const Result<TypeMeta> meta = PeekTypeMeta(json);
  if (!meta) return std::unexpected(CannotRead(expected, meta.error()));
  SKIFF_RETURN_IF_ERROR(CheckKind(meta->api_version, meta->kind, expected));
  DecodeOptions options;
  options.issues = issues;
  options.positions = positions;
  Result<Document> object = DecodeJson(json, expected.type, options);
  if (!object) return std::unexpected(CannotRead(expected, object.error()));
  if (!object->root().is_object()) {
    return BadRequest("the body of the request is no object");
  }
  return object;
}

Result<Document> ReadProtobuf(std::string_view body, const ExpectedKind& expected) {
  const Result<ProtobufEnvelope> envelope = OpenProtobufEnvelope(body);
  if (!envelope) return std::unexpected(CannotRead(expected, envelope.error()));
  SKIFF_RETURN_IF_ERROR(CheckKind(envelope->api_version, envelope->kind, expected));
  if (!expected.type->in_protobuf) {
    return Fail(StatusReason::kUnsupportedMediaType, "objects of this kind have no protobuf form");
  }
  Result<Document> object = DecodeProtobuf(envelope->raw, expected.type);
  if (!object) return std::unexpected(CannotRead(expected, object.error()));
  return object;
}

// A body that was handed over as it is, and not as bytes. One without a type is read as its JSON.
Result<Document> TakeDocument(const Document& body, const ExpectedKind& expected) {
  if (body.type() == expected.type) {
    SKIFF_RETURN_IF_ERROR(CheckKind(body.api_version(), body.kind(), expected));
    return body.Copy();
  }
  ByteBuffer json;
  EncodeJson(body.root(), json);
  return ReadJson(json.view(), expected, nullptr, nullptr);
}

}  // namespace

Result<FieldValidation> FieldValidationOf(const ApiRequest& request) {
  const std::string_view given = request.query.Get("fieldValidation");
  if (given.empty() || given == "Warn") return FieldValidation::kWarn;
  if (given == "Ignore") return FieldValidation::kIgnore;
  if (given == "Strict") return FieldValidation::kStrict;
  return std::unexpected(Invalid("CreateOptions", "meta.k8s.io", "",
                                 {{"FieldValueNotSupported",
                                   "Unsupported value: " + JsonText(given) +
                                       ": supported values: \"\", \"Ignore\", \"Strict\", \"Warn\"",
                                   "fieldValidation"}}));
}

Result<void> Report(ApiRequest& request, FieldValidation mode, std::string_view what,
                    const std::vector<FieldIssue>& issues) {
  if (issues.empty() || mode == FieldValidation::kIgnore) return {};
  if (mode == FieldValidation::kStrict) {
    return BadRequest(std::string(what) + "strict decoding error: " + JoinIssues(issues));
  }
  for (const FieldIssue& issue : issues) request.warnings.push_back(issue.ToString());
  return {};
}

Result<BodyMedia> BodyMediaOf(const ApiRequest& request) {
  std::string_view type = request.http.headers.Get("content-type");
  type = TrimSpace(type.substr(0, type.find(';')));
  if (type.empty() || type == "application/json") return BodyMedia::kJson;
  if (type == "application/yaml") return BodyMedia::kYaml;
  if (type == "application/vnd.kubernetes.protobuf") return BodyMedia::kProtobuf;
  return Fail(StatusReason::kUnsupportedMediaType,
              "the body of the request was in an unknown format - accepted media types include: "
              "application/json, application/yaml, application/vnd.kubernetes.protobuf");
}

Result<void> CheckKind(std::string_view api_version, std::string_view kind,
                       const ExpectedKind& expected) {
  if (!kind.empty() && kind != expected.kind) {
    return std::unexpected(WrongKind(api_version, kind, expected));
  }
  if (!api_version.empty() && api_version != expected.api_version) {
    return std::unexpected(Status(StatusReason::kBadRequest,
                                  "the API version in the data (" + std::string(api_version) +
                                      ") does not match the expected API version (" +
                                      std::string(expected.api_version) + ")"));
  }
  return {};
}

Result<void> Settle(Document& object) {
  ApplyDefaults(object);
  return Normalize(object);
}

Result<Document> ReadBody(ApiRequest& request, const ExpectedKind& expected) {
  SKIFF_ASSIGN_OR_RETURN(const BodyMedia media, BodyMediaOf(request));
  SKIFF_ASSIGN_OR_RETURN(const FieldValidation mode, FieldValidationOf(request));
  std::vector<FieldIssue> issues;
  std::vector<FieldIssue>* wanted = mode == FieldValidation::kIgnore ? nullptr : &issues;
  Result<Document> object;
  if (request.body != nullptr) {
    object = TakeDocument(*request.body, expected);
  } else if (media == BodyMedia::kJson) {
    object = ReadJson(request.http.body, expected, nullptr, wanted);
  } else if (media == BodyMedia::kYaml) {
    YamlOptions options;
    options.issues = wanted;
    const Result<YamlJson> yaml = YamlToJson(request.http.body, options);
    if (!yaml) return std::unexpected(CannotRead(expected, yaml.error()));
    object = ReadJson(yaml->json(), expected, &*yaml, wanted);
  } else {
    object = ReadProtobuf(request.http.body, expected);
  }
  if (!object) return object;
  const std::string what = std::string(expected.kind) + " in version \"" +
                           std::string(expected.type->group_version->version) +
                           "\" cannot be handled as a " + std::string(expected.kind) + ": ";
  SKIFF_RETURN_IF_ERROR(Report(request, mode, what, issues));
  Value& root = object->root();
  root.Set(object->arena(), "kind", Value::String(expected.kind));
  root.Set(object->arena(), "apiVersion", Value::String(expected.api_version));
  SKIFF_RETURN_IF_ERROR(Settle(*object));
  return object;
}

}  // namespace skiff
