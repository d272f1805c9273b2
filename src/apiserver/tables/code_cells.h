// The cells that the notation calls code(NAME): those whose rule is more than a path.
//
// What each shows is said in the comments of the columns in api/. Every cell names the paths that
// it reads (field_filter.h), because it may be run on a document that has no others.
#pragma once

#include <span>
#include <string_view>

#include "apiserver/tables/cell.h"

namespace skiff::apiserver {

struct CodeCell {
  std::string_view name;
  Cell (*run)(const CellContext& context);
  std::span<const std::string_view> paths;
};

// Null when there is none of this name.
const CodeCell* FindCodeCell(std::string_view name);

// By subject; code_cells.cc puts them together.
std::span<const CodeCell> PodCells();
std::span<const CodeCell> WorkloadCells();
std::span<const CodeCell> NetworkCells();
std::span<const CodeCell> NodeAndStorageCells();
std::span<const CodeCell> AutoscalingCells();
std::span<const CodeCell> PolicyCells();
std::span<const CodeCell> DeviceCells();

}  // namespace skiff::apiserver
