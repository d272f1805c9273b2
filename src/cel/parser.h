// CEL text to a tree: cel-go's grammar and limits, with macros expanded.
#pragma once

#include <string_view>
#include <vector>

#include "base/arena.h"
#include "cel/ast.h"
#include "cel/source.h"

namespace skiff::cel {

inline constexpr int kMaxRecursionDepth = 250;
inline constexpr size_t kMaxCodePoints = 100'000;

struct ParseOptions {
  bool bind_macro = false;  // cel.bind(), of device selectors
};

// The root lies in `arena`. With issues it must not be used.
Expr* Parse(const Source& source, const ParseOptions& options, Arena& arena,
            std::vector<Issue>& issues);

}  // namespace skiff::cel
