// What can be done where: the paths of an OpenAPI document and their operations, from the resources
// that are served. Both versions of OpenAPI are written from it.
//
// Of a namespaced resource R with the usual verbs, below /apis/G/V:
//   /R                                       list across namespaces
//   /namespaces/{namespace}/R                list, create, delete a collection
//   /namespaces/{namespace}/R/{name}         read, replace, patch, delete
//   /namespaces/{namespace}/R/{name}/SUB     as the subresource allows; connections by any method
//   /watch/…                                 the older way to watch
// Cluster-wide resources have the same without namespaces.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/discovery/served_resources.h"
#include "object/descriptor.h"

namespace skiff::apiserver {

struct OpenApiParameter {
  enum In : uint8_t { kPath, kQuery };
  std::string_view name;
  In in;
  std::string_view type;  // "string", "integer", "boolean"

  friend bool operator==(const OpenApiParameter&, const OpenApiParameter&) = default;
};

struct OpenApiOperation {
  enum class Body : uint8_t { kNone, kObject, kDeleteOptions, kPatch, kCustomPatch };
  // What an answer may be written in, by groups that occur together.
  enum class Media : uint8_t { kObject, kWatchable, kLog, kAnything, kJson, kKeySet, kCustom };
  // How a request may be written.
  enum class Consumes : uint8_t { kAnything, kObject, kJson, kNothing, kCustom };

  std::string_view method;  // "get"
  std::string id;           // "listCoreV1NamespacedPod"
  std::string tag;          // "core_v1"
  std::string_view action = {};
  // The kind that is acted on; null: none.
  const object::GroupVersionDesc* kind_version = nullptr;
  std::string_view kind = {};
  std::vector<OpenApiParameter> parameters = {};  // by name, queries last
  Body body = Body::kNone;
  const object::MessageDesc* body_type = nullptr;
  std::span<const int> codes = {};
  const object::MessageDesc* answer = nullptr;  // null: a string
  Media media = Media::kObject;
  Consumes consumes = Consumes::kAnything;
};

struct OpenApiPath {
  std::string path;
  std::vector<OpenApiOperation> operations;
};

// The paths of one version of a group, sorted.
std::vector<OpenApiPath> VersionPaths(const ServedVersion& version);
// /apis/G/, with its one operation.
OpenApiPath GroupPath(std::string_view group);
// /api/, /apis/, /version/, and those of the issuer of service account tokens.
std::vector<OpenApiPath> ServerPaths();

// Those of a custom kind, which differ in small things: there are no older ways to watch, and
// objects are JSON or YAML.
std::vector<OpenApiPath> CustomKindPaths(const object::ResourceDesc& resource);

// Parameters that every operation of the path has: they are written once, at the path.
std::vector<OpenApiParameter> CommonParameters(const OpenApiPath& path);

}  // namespace skiff::apiserver
