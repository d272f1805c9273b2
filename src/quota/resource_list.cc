#include "quota/resource_list.h"

#include <utility>

namespace skiff::quota {

ResourceList ToResourceList(const object::MapView<std::string_view>& map) {
  ResourceList out;
  for (const auto& [name, text] : map) {
    if (Result<object::Quantity> quantity = object::Quantity::Parse(text)) {
      out.emplace_hint(out.end(), name, std::move(*quantity));
    }
  }
  return out;
}

ResourceNames NamesOf(const ResourceList& list) {
  ResourceNames out;
  for (const auto& [name, quantity] : list) out.insert(name);
  return out;
}

ResourceList Masked(const ResourceList& list, const ResourceNames& names) {
  ResourceList out;
  for (const auto& [name, quantity] : list) {
    if (names.contains(name)) out.emplace(name, quantity);
  }
  return out;
}

void AddTo(ResourceList& list, const ResourceList& more) {
  for (const auto& [name, quantity] : more) {
    const auto [at, added] = list.emplace(name, quantity);
    if (!added) at->second.Add(quantity);
  }
}

void RaiseTo(ResourceList& list, const ResourceList& other) {
  for (const auto& [name, quantity] : other) {
    const auto [at, added] = list.emplace(name, quantity);
    if (!added && quantity > at->second) at->second = quantity;
  }
}

ResourceList IncreaseFrom(const ResourceList& b, const ResourceList& a) {
  ResourceList out;
  for (const auto& [name, quantity] : a) {
    object::Quantity increase = quantity;
    if (const auto before = b.find(name); before != b.end()) increase.Sub(before->second);
    out.emplace(name, increase.Sign() > 0 ? std::move(increase) : object::Quantity());
  }
  for (const auto& [name, quantity] : b) out.try_emplace(name);
  return out;
}

void RemoveZeros(ResourceList& list) {
  std::erase_if(list, [](const auto& entry) { return entry.second.IsZero(); });
}

bool SameAmounts(const ResourceList& a, const ResourceList& b) { return a == b; }

std::string Describe(const ResourceList& list) {
  std::string out;
  for (const auto& [name, quantity] : list) {
    if (!out.empty()) out += ',';
    out += name + "=" + quantity.ToString();
  }
  return out;
}

std::string Describe(const ResourceNames& names) {
  std::string out;
  for (const std::string& name : names) {
    if (!out.empty()) out += ',';
    out += name;
  }
  return out;
}

}  // namespace skiff::quota
