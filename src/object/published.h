// What only OpenAPI asks of the schema: names of types, defaults that are shown though they are
// more than a zero value, unions, and what types and fields mean. Everything else that OpenAPI
// shows is in the descriptors.
//
// As with these, the tables are constants that tools/schema writes at build time.
#pragma once

#include <span>
#include <string_view>

#include "object/descriptor.h"

namespace skiff::object {

struct PublishedDefault {
  std::string_view message;
  std::string_view field;
  std::string_view json;
};

// At most one of the members is set; the discriminator, if there is one, says which.
struct PublishedUnion {
  std::string_view message;
  std::string_view discriminator;
  std::span<const std::string_view> members;
};

struct PublishedVersion {
  const GroupVersionDesc* desc;
  std::string_view prefix;  // "io.k8s.api.core.v1": the types' names are below it
  bool spoken;              // by API servers and webhooks, now or once; else it is for files
  std::span<const PublishedDefault> defaults;
  std::span<const PublishedUnion> unions;
  std::string_view descriptions;  // gzip of lines, see tools/schema/emit_openapi.py; may be empty
};

// By path.
std::span<const PublishedVersion> PublishedVersions();

// Null for a group-version that is not of the schema, such as a custom resource's.
const PublishedVersion* FindPublished(const GroupVersionDesc* desc);

}  // namespace skiff::object
