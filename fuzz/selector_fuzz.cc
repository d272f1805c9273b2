// Selectors: whatever parses has a canonical text that parses to the same selector, and matching by
// symbols gives the same answer as matching by text, whether the selector is bound before or after
// the labels are interned.
//
// The first line is the selector, read once as a label and once as a field selector; each further
// line is a label or field, name=value.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "object/selector/field_selector.h"
#include "object/selector/label_selector.h"
#include "object/selector/label_set.h"

namespace {

using namespace skiff;

void Require(bool condition) {
  if (!condition) std::abort();
}

std::map<std::string_view, std::string_view> ReadPairs(std::string_view text) {
  std::map<std::string_view, std::string_view> pairs;
  while (!text.empty() && pairs.size() < 100) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    const size_t equals = std::min(line.find('='), line.size());
    pairs.emplace(line.substr(0, equals), line.substr(std::min(equals + 1, line.size())));
  }
  return pairs;
}

void CheckLabels(std::string_view text, const std::map<std::string_view, std::string_view>& pairs) {
  const auto selector = object::LabelSelector::Parse(text);
  if (!selector) return;
  const auto again = object::LabelSelector::Parse(selector->ToString());
  Require(again.has_value() && *again == *selector);

  Arena arena;
  object::Value map = object::Value::EmptyMap();
  std::vector<object::LabelSet::Label> labels;
  for (const auto& [key, value] : pairs) {
    map.SetEntry(arena, key, object::Value::String(value));
    labels.push_back({key, value});
  }
  const bool expected = selector->Matches(&map);
  object::SymbolTable table;
  {
    const object::BoundSelector before(table, *selector);
    const object::LabelSet set(table, labels);
    Require(before.Matches(set) == expected);
  }
  {
    const object::LabelSet set = object::LabelSet::FromValue(table, &map);
    const object::BoundSelector after(table, *again);
    Require(after.Matches(set) == expected);
  }
  Require(table.symbol_count() == 0 && table.label_set_count() == 0);
}

void CheckFields(std::string_view text, const std::map<std::string_view, std::string_view>& pairs) {
  const auto selector = object::FieldSelector::Parse(text);
  if (!selector) return;
  // `==` sorts before `=` and prints as `=`, so it is the second canonical text that is stable.
  const auto second = object::FieldSelector::Parse(selector->ToString());
  Require(second.has_value() && second->terms().size() == selector->terms().size());
  const auto third = object::FieldSelector::Parse(second->ToString());
  Require(third.has_value() && *third == *second);

  std::vector<object::FieldSelector::Field> fields;
  for (const auto& [name, value] : pairs) fields.push_back({name, value});
  Require(selector->Matches(fields) == second->Matches(fields));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const std::string_view text = input.substr(0, input.find('\n'));
  const auto pairs = ReadPairs(input.substr(std::min(size, text.size() + 1)));
  CheckLabels(text, pairs);
  CheckFields(text, pairs);
  return 0;
}
