// Functions and their overloads, as tables declare them.
#pragma once

#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cel/types.h"
#include "cel/value.h"

namespace skiff::cel {

class Evaluation;
struct FunctionDecl;

// Computes a call. Arguments are of the overload's types, and none is an error.
using Impl = Val (*)(Evaluation& evaluation, std::span<const Val> args);
// Whether a function that has one implementation for all its overloads applies to its first
// argument.
using Applies = bool (*)(const Val& first);

struct Overload {
  std::string_view id;
  std::vector<const Type*> args;  // with the receiver
  const Type* result = nullptr;
  bool member = false;
  std::vector<std::string_view> type_params;
  Impl impl = nullptr;
  const FunctionDecl* function = nullptr;
};

struct FunctionDecl {
  std::string name;
  std::deque<Overload> overloads;
  // For all overloads alike: operators. Null: each overload has its own.
  Impl impl = nullptr;
  Applies applies = nullptr;
};

// One line of a library's table.
struct OverloadRow {
  std::string_view function;
  std::string_view id;
  // "(string, int) -> bool", or "string.(int) -> bool" with a receiver.
  std::string_view signature;
  Impl impl = nullptr;
};
// A function that has one implementation for all its overloads.
struct SharedImpl {
  std::string_view function;
  Impl impl;
  Applies applies;
};

}  // namespace skiff::cel
