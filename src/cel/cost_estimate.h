// What an expression can cost, before it is run: Kubernetes' numbers, by which it accepts or
// refuses rules.
//
// Sizes of variables come from a SizeSource, such as that of a schema; what nobody knows can be
// anything.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "cel/program.h"

namespace skiff::cel {

struct SchemaType;

// From least to most. Sums and products stop at the largest number.
struct CostRange {
  uint64_t min = 0;
  uint64_t max = 0;
  friend bool operator==(const CostRange&, const CostRange&) = default;
};
using SizeRange = CostRange;

class SizeSource {
 public:
  virtual ~SizeSource() = default;
  // The size of what a path leads to: a variable, then names of fields, @items, @keys, @values or
  // @indices. Nothing: not known.
  virtual std::optional<SizeRange> SizeOf(std::span<const std::string> path) const = 0;
};

// Sizes by a schema, whatever the name of the variable, as Kubernetes has it.
class SchemaSizes final : public SizeSource {
 public:
  explicit SchemaSizes(const SchemaType& root) : root_(root) {}
  std::optional<SizeRange> SizeOf(std::span<const std::string> path) const override;

 private:
  const SchemaType& root_;
};

CostRange EstimateCost(const Program& program, const SizeSource* sizes = nullptr);

}  // namespace skiff::cel
