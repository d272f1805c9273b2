// Whether a recorded case is one: files of cases are written by programs and edited by people, and
// what runs a case reads it without looking twice.
#pragma once

#include <string>

#include "object/value.h"

namespace skiff::cel {

// What is wrong with the form of a record, and with the context whose variables it takes (null:
// none); empty if nothing is.
std::string FaultOfCase(const object::Value& record, const object::Value* context);

}  // namespace skiff::cel
