// Puts OpenAPI documents of version 2 of several servers together, as Kubernetes does: of each
// server the paths of the groups and versions that it is registered for, with the definitions and
// parameters that these need. A path that is there already stays. A definition that has the name of
// another one and says something else gets a name of its own: NAME_v2, NAME_v3, …; one that says
// the same is shared, and then stands for the kinds of both.
//
// Nothing of others is trusted: what is not such a document is an error, and their JSON is written
// anew before it is taken in.
#pragma once

#include <span>
#include <string_view>
#include <utility>

#include "base/buffer.h"
#include "base/shared_bytes.h"
#include "base/status.h"
#include "object/value.h"

namespace skiff::apiserver {

// A document of another server.
class ForeignSwagger {
 public:
  static Result<ForeignSwagger> Read(std::string_view json);
  // What of it belongs to paths with this beginning; empty: nothing.
  SharedBytes PartOf(std::string_view path_prefix) const;

 private:
  explicit ForeignSwagger(object::Document document) : document_(std::move(document)) {}

  object::Document document_;
};

// `own` is our document, and the parts are those of others.
void MergeSwagger(std::string_view own, std::span<const SharedBytes> parts, ByteBuffer& out);

}  // namespace skiff::apiserver
