// Kinds that are defined at run time: what can be asked of one beyond its descriptor.
//
// An object of such a kind is a document whose root is a map. It may hold any fields; kind,
// apiVersion and metadata are typed as in all objects, and the descriptor of the kind
// (MessageDesc::open) names these three. Everything else is untyped JSON, to which the definition's
// schema is applied. So codecs, metadata, patches, owners, labels and caches work as for built-in
// kinds, and only the few places that walk a descriptor's fields ask here.
//
// One for each version of a definition. Immutable, so any thread may use it; it lives as long as
// the definition, which whoever holds a document of the kind keeps alive.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "object/field_issue.h"
#include "object/value.h"

namespace skiff::object {

class FieldShape;
struct ResourceDesc;

// Where the numbers of a scale stand in an object: ".spec.replicas".
struct ScalePaths {
  std::string_view spec_replicas;
  std::string_view status_replicas;
  std::string_view label_selector;  // empty: there is none
};

class OpenKind {
 public:
  virtual ~OpenKind() = default;

  // What decoding into a type does for others: what the schema does not have goes, and nulls that
  // may not be. `issues` gets what went; null: nobody asks. `stored`: the object was read from the
  // store, and what is wrong with it is mended rather than refused.
  virtual Result<void> Coerce(Document& object, bool stored,
                              std::vector<FieldIssue>* issues) const = 0;
  // What a writer left out.
  virtual void Default(Document& object) const = 0;
  // An object of another version of the same kind as one of this version, not yet with defaults.
  virtual Result<Document> ConvertFrom(const Document& object) const = 0;
  // The same kind in another version; null if the definition has no such version.
  virtual const MessageDesc* InVersion(std::string_view api_version) const = 0;
  // The resource in the versions that are served, in the order of the definition.
  virtual std::span<const ResourceDesc* const> Served() const = 0;
  // Whether lists of this version can be selected by the field, besides name and namespace. The
  // places of the fields of all versions are those of the hub.
  virtual bool IsSelectable(std::string_view field) const = 0;
  // How server-side apply sees a whole object (fields/shape.h).
  virtual FieldShape Shape() const = 0;
  // Null: objects have no scale.
  virtual const ScalePaths* Scale() const = 0;
};

// What decoding an object does beyond reading it: nothing unless its kind is open.
inline Result<void> CoerceOpen(Document& object, bool stored, std::vector<FieldIssue>* issues) {
  if (object.type() == nullptr || object.type()->open == nullptr) return {};
  return object.type()->open->Coerce(object, stored, issues);
}

}  // namespace skiff::object
