// A configuration that somebody applies: whether it fits the schema, and which fields it has.
#pragma once

#include <string>

#include "base/arena.h"
#include "object/fields/field_set.h"
#include "object/fields/shape.h"
#include "object/value.h"

namespace skiff::object {

struct ConfigurationFields {
  // As FieldsOf() (extract.h) has them; of no use if there are faults.
  FieldSet fields;
  // What is wrong with the configuration, as Kubernetes words it: fields that are not declared,
  // values of another kind, items of lists that cannot be told apart. ".data.a: expected string,
  // got ..."; several under "errors:". Empty: nothing is.
  std::string faults;
};

// Of an untyped tree, in one walk. The set points into the tree and the arena.
ConfigurationFields ReadConfigurationFields(Arena& arena, const FieldShape& shape,
                                            const Value& config);

}  // namespace skiff::object
