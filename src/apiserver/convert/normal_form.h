// What objects of a kind become by being read, beyond their defaults (normalize.h says what). The
// rules stand with their kinds, in src/apiserver/registry/<group>/<kind>_normal_form.cc.
#pragma once

#include <initializer_list>
#include <span>
#include <string_view>

#include "base/arena.h"
#include "base/status.h"
#include "object/value.h"

namespace skiff::apiserver {

struct NormalForm {
  const object::MessageDesc* (*type)();
  // Doing so again changes nothing. Fails with a bad request.
  Result<void> (*normalize)(object::Value& object, Arena& arena);
  // Whether that would change nothing, by the bytes of the object; false also when that is not
  // certain. Null: never certain.
  bool (*is_normal)(std::string_view message);
};

// Null: objects of the type are as they are.
using FindNormalForm = const NormalForm* (*)(const object::MessageDesc* type);

// For the whole process from now on. Called when a server starts, before anything is read.
void SetNormalForms(FindNormalForm find);
const NormalForm* NormalFormOf(const object::MessageDesc* type);

// --- for the forms themselves

// The member of nested objects, or null.
object::Value* FindNested(object::Value& object, std::initializer_list<std::string_view> names);
object::Value* AnnotationsOf(object::Value& object);
void DropAnnotations(object::Value& object, std::span<const std::string_view> names);

}  // namespace skiff::apiserver
