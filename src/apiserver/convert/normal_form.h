// What objects of a kind become by being read, beyond their defaults (normalize.h says what). The
// rules stand with their kinds, in src/apiserver/registry/<group>/<kind>_normal_form.cc.
#pragma once

#include <initializer_list>
#include <span>
#include <string_view>

#include "base/arena.h"
#include "base/status.h"
#include "object/value.h"

namespace skiff {

struct NormalForm {
  const MessageDesc* (*type)();
  // Doing so again changes nothing. Fails with a bad request.
  Result<void> (*normalize)(Value& object, Arena& arena);
  // Whether that would change nothing, by the bytes of the object; false also when that is not
  // certain. Null: never certain.
  bool (*is_normal)(std::string_view message);
};

// Null: objects of the type are as they are.
using FindNormalForm = const NormalForm* (*)(const MessageDesc* type);

// For the whole process from now on. Called when a server starts, before anything is read.
void SetNormalForms(FindNormalForm find);
const NormalForm* NormalFormOf(const MessageDesc* type);

// --- for the forms themselves

// The member of nested objects, or null.
Value* FindNested(Value& object, std::initializer_list<std::string_view> names);
Value* AnnotationsOf(Value& object);
void DropAnnotations(Value& object, std::span<const std::string_view> names);

}  // namespace skiff
