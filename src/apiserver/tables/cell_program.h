// A column's cell, from the notation of api/README.md to something that is run on an object.
//
// A program is a list of alternatives, of which the first that is set is shown. Compiled once per
// kind; afterwards any thread may run it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/tables/cell.h"
#include "apiserver/tables/cell_path.h"
#include "apiserver/tables/code_cells.h"
#include "apiserver/tables/field_filter.h"
#include "base/status.h"
#include "object/descriptor.h"

namespace skiff::apiserver {

class CellProgram {
 public:
  // `kind` and what it refers to must outlive the program.
  static Result<CellProgram> Compile(std::string_view notation, const object::MessageDesc* kind);

  // Never unset: what nothing sets is empty text, or the zero of int() and bool().
  Cell Run(const CellContext& context) const;
  // Asks the filter for all that Run() looks at.
  Result<void> KeepFields(FieldFilter& filter) const;

 private:
  enum class Op : uint8_t {
    kConstant,
    kText,
    kInt,
    kBool,
    kAge,
    kDuration,
    kLength,
    kRatio,
    kJoin,
    kTrim,
    kLabels,
    kSelector,
    kNames,
    kImages,
    kAccessModes,
    kCode,
  };
  struct Part {
    Op op;
    std::vector<CellPath> paths = {};
    Cell constant = {};
    std::shared_ptr<const std::string> text = {};  // of a constant; copies of a part share it
    const CodeCell* code = nullptr;
  };

  static Result<Part> CompilePart(std::string_view notation, const object::MessageDesc* kind);
  static Result<Part> CompileCall(std::string_view name, std::string_view arguments,
                                  const object::MessageDesc* kind);
  static Result<void> AddPaths(std::string_view arguments, std::string_view separator,
                               const object::MessageDesc* kind, Part* part);
  static Cell RunPart(const Part& part, const CellContext& context);
  static Cell RunOnValue(const Part& part, CellPath::Found found, const CellContext& context);

  std::vector<Part> parts_;
};

}  // namespace skiff::apiserver
