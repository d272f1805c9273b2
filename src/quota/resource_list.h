// Amounts of resources by name: what is requested, limited, used, or allowed by a quota.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "object/scalar/quantity.h"
#include "object/view.h"

namespace skiff::quota {

// By name, in the order in which messages show them.
using ResourceList = std::map<std::string, object::Quantity, std::less<>>;
using ResourceNames = std::set<std::string, std::less<>>;

// Of a map of the API, whose quantities have been validated; what is none is left out.
ResourceList ToResourceList(const object::MapView<std::string_view>& map);

ResourceNames NamesOf(const ResourceList& list);
// What there is of `list` for these names.
ResourceList Masked(const ResourceList& list, const ResourceNames& names);
void AddTo(ResourceList& list, const ResourceList& more);
// The greater of each.
void RaiseTo(ResourceList& list, const ResourceList& other);
// a - b with nothing below zero, for the names of both.
ResourceList IncreaseFrom(const ResourceList& b, const ResourceList& a);
void RemoveZeros(ResourceList& list);
bool SameAmounts(const ResourceList& a, const ResourceList& b);

// "cpu=1,pods=2", and "cpu,pods".
std::string Describe(const ResourceList& list);
std::string Describe(const ResourceNames& names);

}  // namespace skiff::quota
