// find() and findAll(), and patterns that were compiled before.
#pragma once

#include <span>
#include <string_view>

#include "cel/declarations.h"
#include "cel/values/regex.h"

namespace skiff::cel {

std::span<const OverloadRow> RegexFunctions();

// matches(), find() and findAll() with a pattern that was compiled before.
Val InvokeRegex(Evaluation& evaluation, const Regex& regex, std::string_view function,
                std::span<const Val> args);

}  // namespace skiff::cel
