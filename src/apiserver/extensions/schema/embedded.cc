#include "apiserver/extensions/schema/embedded.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "apiserver/extensions/schema/metadata_words.h"
#include "apiserver/extensions/schema/value_faults.h"
#include "apiserver/validation/common.h"
#include "base/strings.h"
#include "object/json/decode.h"
#include "object/json/encode.h"
#include "object/scalar/names.h"
#include "views/meta/v1.h"

namespace skiff::apiserver {
namespace {

using views::meta_v1::ObjectMeta;

Result<object::Document> TypedMetadata(const object::Value& metadata,
                                       std::vector<object::FieldIssue>* issues) {
  Result<object::Document> typed =
      object::DecodeJson(object::EncodeJson(metadata), ObjectMeta::Type(), {.issues = issues});
  if (typed) return typed;
  const std::string words = GoProblemOfMetadata(metadata);
  return words.empty() ? std::move(typed) : BadRequest(words);
}

// Those fields that can be read one by one.
object::Value ReadableFields(const object::Value& metadata, Arena& arena) {
  object::Value out = object::Value::EmptyMap();
  for (const object::MapEntry& entry : metadata.entries()) {
    const object::Value alone = object::Value::Map(arena, {&entry, 1});
    if (TypedMetadata(alone, nullptr)) out.SetEntry(arena, entry.key, entry.value);
  }
  return out;
}

class EmbeddedCoercer {
 public:
  EmbeddedCoercer(Arena& arena, const EmbeddedResourceOptions& options)
      : arena_(arena), options_(options) {}

  Result<void> Coerce(const SchemaNode& schema, bool is_resource, object::Value& value,
                      const std::string& path) {
    if (!is_resource && !schema.is(SchemaNode::kResources)) return {};
    if (value.is_list() && schema.items != nullptr) {
      for (size_t i = 0; i < value.size(); ++i) {
        const std::string at = path + "[" + std::to_string(i) + "]";
        SKIFF_RETURN_IF_ERROR(Coerce(*schema.items, false, value.items()[i], at));
      }
    }
    if (!value.is_map()) return {};
    if (is_resource || schema.is(SchemaNode::kEmbedded)) {
      SKIFF_RETURN_IF_ERROR(CoerceMeta(value, path));
    }
    for (object::MapEntry& entry : value.entries()) {
      const SchemaNode* property = schema.FindProperty(entry.key);
      const SchemaNode* field = property != nullptr ? property : schema.additional;
      if (field == nullptr || !field->is(SchemaNode::kResources)) continue;
      const std::string at =
          property != nullptr ? Below(path, entry.key) : path + "[" + std::string(entry.key) + "]";
      SKIFF_RETURN_IF_ERROR(Coerce(*field, false, entry.value, at));
    }
    return {};
  }

 private:
  static std::string Below(const std::string& path, std::string_view name) {
    return path.empty() ? std::string(name) : path + "." + std::string(name);
  }

  Result<void> CoerceMeta(object::Value& object, const std::string& path) {
    for (const std::string_view name : {"apiVersion", "kind"}) {
      const object::Value* text = object.Find(name);
      if (text == nullptr || text->is_string()) continue;
      if (!options_.drop_invalid) return Refuse(Below(path, name), *text, "must be a string");
      object.Erase(name);
    }
    object::Value* metadata = object.Find("metadata");
    if (metadata == nullptr) return {};
    const std::string at = Below(path, "metadata");
    std::vector<object::FieldIssue> issues;
    Result<object::Document> typed = TypedMetadata(*metadata, &issues);
    if (!typed && options_.drop_invalid && metadata->is_map()) {
      issues.clear();
      typed = TypedMetadata(ReadableFields(*metadata, arena_), &issues);
    }
    if (!typed) {
      if (options_.drop_invalid) return {};
      return Refuse(at, *metadata, typed.error().message());
    }
    for (const object::FieldIssue& issue : issues) {
      object::AddFieldIssue(options_.issues, issue.kind, at + "." + issue.path, {});
    }
    const Result<object::Document> plain =
        object::DecodeJson(object::EncodeJson(typed->root()), nullptr);
    if (!plain || !plain->root().is_map()) return {};
    *metadata = plain->root().CopyInto(arena_);
    const object::Value* created = metadata->Find("creationTimestamp");
    if (created != nullptr && created->is_null()) metadata->Erase("creationTimestamp");
    return {};
  }

  static Result<void> Refuse(const std::string& path, const object::Value& value,
                             std::string_view why) {
    const std::string message = "Invalid value: " + GoShown(value) + ": " + std::string(why);
    Status status(StatusReason::kBadRequest, path + ": " + message);
    status.AddCause({"FieldValueInvalid", message, path});
    return std::unexpected(std::move(status));
  }

  Arena& arena_;
  const EmbeddedResourceOptions& options_;
};

void ValidateApiVersion(const object::Value& value, FieldErrors& errors) {
  if (!value.is_string())
    return errors.Invalid("apiVersion", ShownValue(value), "must be a string");
  const std::string_view text = value.AsText();
  if (text.empty()) return errors.Invalid("apiVersion", text, "must not be empty");
  if (std::ranges::count(text, '/') < 2) return;
  errors.Invalid("apiVersion", text, "unexpected GroupVersion string: " + std::string(text));
}

void ValidateKind(const object::Value& value, FieldErrors& errors) {
  if (!value.is_string()) return errors.Invalid("kind", ShownValue(value), "must be a string");
  const std::string_view text = value.AsText();
  if (text.empty()) return errors.Invalid("kind", text, "must not be empty");
  std::string problems;
  for (const std::string& problem : object::CheckDns1035Label(AsciiLower(text))) {
    if (!problems.empty()) problems += ',';
    problems += problem;
  }
  if (problems.empty()) return;
  errors.Invalid("kind", text,
                 "may have mixed case, but should otherwise match: " + std::string(problems));
}

void ValidateMeta(const object::Value& value, FieldErrors& errors) {
  const Result<object::Document> document = TypedMetadata(value, nullptr);
  if (!document) {
    return errors.Invalid("metadata", ShownValue(value), document.error().message());
  }
  const auto at = errors.At("metadata");
  const ObjectMeta meta(&document->root());
  if (!meta.generate_name().empty()) {
    errors.Invalid("generateName", meta.generate_name(),
                   object::CheckPathSegmentPrefix(meta.generate_name()));
  }
  if (!meta.name().empty()) {
    errors.Invalid("name", meta.name(), object::CheckPathSegmentName(meta.name()));
  }
  if (!meta.namespace_().empty()) {
    ValidateFormat(kDnsLabelFormat, meta.namespace_(), "namespace", errors);
  }
  ValidateLabels(meta.labels(), "labels", errors);
  ValidateAnnotations(meta.annotations(), "annotations", errors);
  for (const std::string_view finalizer : meta.finalizers()) {
    errors.Invalid("finalizers", finalizer, object::CheckQualifiedName(finalizer));
  }
}

void ValidateResource(const object::Value& object, FieldErrors& errors) {
  const object::Value* api_version = object.Find("apiVersion");
  const object::Value* kind = object.Find("kind");
  if (api_version == nullptr) errors.Required("apiVersion");
  if (kind == nullptr) errors.Required("kind");
  if (api_version != nullptr) ValidateApiVersion(*api_version, errors);
  if (kind != nullptr) ValidateKind(*kind, errors);
  if (const object::Value* metadata = object.Find("metadata")) ValidateMeta(*metadata, errors);
}

}  // namespace

Result<void> CoerceEmbedded(const SchemaNode& schema, bool is_resource, object::Value& value,
                            Arena& arena, const EmbeddedResourceOptions& options) {
  std::vector<object::FieldIssue> found;
  EmbeddedResourceOptions collecting = options;
  if (options.issues != nullptr) collecting.issues = &found;
  SKIFF_RETURN_IF_ERROR(EmbeddedCoercer(arena, collecting).Coerce(schema, is_resource, value, ""));
  std::ranges::sort(found, {}, &object::FieldIssue::path);
  for (object::FieldIssue& issue : found) {
    object::AddFieldIssue(options.issues, issue.kind, std::move(issue.path), issue.position);
  }
  return {};
}

void ValidateEmbedded(const SchemaNode& schema, bool is_resource, const object::Value& value,
                      FieldErrors& errors) {
  if (!is_resource && !schema.is(SchemaNode::kResources)) return;
  if (value.is_list() && schema.items != nullptr) {
    for (size_t i = 0; i < value.size(); ++i) {
      const auto at = errors.At("", i);
      ValidateEmbedded(*schema.items, false, value.items()[i], errors);
    }
  }
  if (!value.is_map()) return;
  if (is_resource || schema.is(SchemaNode::kEmbedded)) ValidateResource(value, errors);
  for (const object::MapEntry& entry : value.entries()) {
    if (const SchemaNode* property = schema.FindProperty(entry.key)) {
      const auto at = errors.At(entry.key);
      ValidateEmbedded(*property, false, entry.value, errors);
    } else if (schema.additional != nullptr) {
      const auto at = errors.AtKey("", entry.key);
      ValidateEmbedded(*schema.additional, false, entry.value, errors);
    }
  }
}

}  // namespace skiff::apiserver
