// The media types of requests and answers, as both versions of OpenAPI list them.
#pragma once

#include <span>
#include <string_view>

#include "apiserver/openapi/operations.h"

namespace skiff::apiserver {

// In order of preference.
inline std::span<const std::string_view> AnswerMediaTypes(OpenApiOperation::Media media) {
  static constexpr std::string_view kLog[] = {"text/plain", "application/json", "application/yaml",
                                              "application/vnd.kubernetes.protobuf"};
  static constexpr std::string_view kWatchable[] = {
      "application/json", "application/yaml", "application/vnd.kubernetes.protobuf",
      "application/json;stream=watch", "application/vnd.kubernetes.protobuf;stream=watch"};
  static constexpr std::string_view kAnything[] = {"*/*"};
  static constexpr std::string_view kKeySet[] = {"application/jwk-set+json"};
  const std::span<const std::string_view> watchable = kWatchable;
  switch (media) {
    case OpenApiOperation::Media::kObject:
      return watchable.first(3);
    case OpenApiOperation::Media::kWatchable:
      return watchable;
    case OpenApiOperation::Media::kLog:
      return kLog;
    case OpenApiOperation::Media::kAnything:
      return kAnything;
    case OpenApiOperation::Media::kJson:
      return watchable.first(1);
    case OpenApiOperation::Media::kKeySet:
      return kKeySet;
    case OpenApiOperation::Media::kCustom:
      return watchable.first(2);
  }
  return {};
}

inline constexpr std::string_view kPatchMediaTypes[] = {
    "application/json-patch+json", "application/merge-patch+json",
    "application/strategic-merge-patch+json", "application/apply-patch+yaml"};
// Lists of custom kinds have no strategy.
inline constexpr std::string_view kCustomPatchMediaTypes[] = {
    "application/json-patch+json", "application/merge-patch+json", "application/apply-patch+yaml"};

// What Swagger calls consumes; version 3 says it of bodies only.
inline std::span<const std::string_view> RequestMediaTypes(const OpenApiOperation& operation) {
  if (operation.body == OpenApiOperation::Body::kPatch) return kPatchMediaTypes;
  if (operation.body == OpenApiOperation::Body::kCustomPatch) return kCustomPatchMediaTypes;
  switch (operation.consumes) {
    case OpenApiOperation::Consumes::kAnything:
      return AnswerMediaTypes(OpenApiOperation::Media::kAnything);
    case OpenApiOperation::Consumes::kObject:
      return AnswerMediaTypes(OpenApiOperation::Media::kObject);
    case OpenApiOperation::Consumes::kJson:
      return AnswerMediaTypes(OpenApiOperation::Media::kJson);
    case OpenApiOperation::Consumes::kNothing:
      return {};
    case OpenApiOperation::Consumes::kCustom:
      return AnswerMediaTypes(OpenApiOperation::Media::kCustom);
  }
  return {};
}

}  // namespace skiff::apiserver
