// The tables of custom resources: the columns of a version's definition (additionalPrinterColumns),
// whose cells are JSONPaths into the object in that version.
#pragma once

#include <memory>

#include "apiserver/extensions/definition.h"
#include "apiserver/rest/object_output.h"
#include "apiserver/tables/table_writer.h"
#include "base/status.h"

namespace skiff::apiserver {

// Name, and then the version's columns, or Age if it has none. The view is that of the version;
// both outlive the columns.
Result<std::shared_ptr<const TableColumns>> MakeCustomColumns(const CustomVersion& version,
                                                              const ObjectView& view);

}  // namespace skiff::apiserver
