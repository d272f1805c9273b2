// Whether a set of fields in its text form has certain members, told without reading all of it.
#pragma once

#include <string_view>

#include "object/fields/field_set.h"

namespace skiff::object {

// True if every member of `part` is a member of the set that the FieldsV1 text says. False if one
// is not, if the text is none, and where telling would take more than a glance: many steps.
bool TextContains(std::string_view fields_v1, const FieldSet& part);

}  // namespace skiff::object
