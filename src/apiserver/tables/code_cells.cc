#include "apiserver/tables/code_cells.h"

#include "object/scalar/time.h"

namespace skiff::apiserver {
namespace {

// The default columns show a time where others show an age.
Cell CreatedAt(const CellContext& context) {
  const object::Value* const time = context.object.FindPath({"metadata", "creationTimestamp"});
  char text[object::kMaxTimeBytes];
  const size_t size =
      object::FormatTime(time == nullptr ? object::kZeroTimestamp : time->AsTime(), text);
  return Cell::Text(context.arena.Copy({text, size}));
}

constexpr std::string_view kCreatedAt[] = {".metadata.creationTimestamp"};
constexpr CodeCell kCommonCells[] = {{"created-at", CreatedAt, kCreatedAt}};

}  // namespace

const CodeCell* FindCodeCell(std::string_view name) {
  for (const auto& cells :
       {std::span<const CodeCell>(kCommonCells), PodCells(), WorkloadCells(), NetworkCells(),
        NodeAndStorageCells(), AutoscalingCells(), PolicyCells(), DeviceCells()}) {
    for (const CodeCell& cell : cells) {
      if (cell.name == name) return &cell;
    }
  }
  return nullptr;
}

}  // namespace skiff::apiserver
