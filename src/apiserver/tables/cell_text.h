// Values as cells show them: labels, selectors, access modes, lists of names.
#pragma once

#include <string_view>

#include "apiserver/tables/cell.h"
#include "object/value.h"

namespace skiff::apiserver {

// A scalar as text; empty when absent. Values below may be null as well.
std::string_view ValueText(const object::Value* value, const CellContext& context);

// `k=v` by key, joined by commas; "<none>" when there are none.
std::string_view LabelsText(const object::Value* labels, const CellContext& context);

// The canonical text of a label selector; "<none>" when it is empty, "<error>" when it is bad.
std::string_view SelectorText(const object::Value* selector, const CellContext& context);

// RWO, ROX, RWX, RWOP, in this order, joined by commas.
std::string_view AccessModesText(const object::Value* modes, const CellContext& context);

// This member of each item, or with an empty name the items themselves, joined by commas.
std::string_view MembersText(const object::Value* items, std::string_view member,
                             const CellContext& context);

}  // namespace skiff::apiserver
