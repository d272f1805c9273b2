// One cell of a table, and what it is computed from.
//
// A cell is text, a number or a boolean, or unset: then the next alternative of its column's
// notation has its turn, and without one the cell is empty text.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

#include "base/arena.h"
#include "object/scalar/time.h"
#include "object/value.h"

namespace skiff::apiserver {

struct Cell {
  enum class Kind : uint8_t { kUnset, kText, kInt, kBool };

  Kind kind = Kind::kUnset;
  std::string_view text = {};
  int64_t number = 0;

  static Cell Unset() { return {}; }
  // The text must live as long as the row: in the object, in the context's arena or for ever.
  static Cell Text(std::string_view text) { return {.kind = Kind::kText, .text = text}; }
  static Cell Int(int64_t number) { return {.kind = Kind::kInt, .number = number}; }
  static Cell Bool(bool value) { return {.kind = Kind::kBool, .number = value}; }
};

// What the cells of one row share. Texts that are put together live in the arena.
struct CellContext {
  const object::Value&
      object;  // of the columns' kind; perhaps only the fields that the columns name
  object::Timestamp now;
  Arena& arena;

  std::string_view Join(std::initializer_list<std::string_view> parts) const;
  Cell Text(const std::string& text) const { return Cell::Text(arena.Copy(text)); }
  Cell Concat(std::initializer_list<std::string_view> parts) const {
    return Cell::Text(Join(parts));
  }
  std::string_view Number(int64_t number) const;
  // Since the time, or "<unknown>" if it is zero.
  std::string_view Age(object::Timestamp time) const;
  std::string_view HumanDuration(int64_t nanoseconds) const;
};

}  // namespace skiff::apiserver
