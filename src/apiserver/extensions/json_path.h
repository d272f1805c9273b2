// JSONPath as the columns of custom resources are written in: what Kubernetes' client libraries
// understand within one pair of braces.
//
//   .spec.size   .metadata.labels.app\.kubernetes\.io/name   ['a field']   ['a','b']
//   [0]  [-1]  [1:3]  [::2]  [*]  .*  ..name
//   [?(@.type=="Ready")]  [?(@.count>2)]  [?(@.name)]
//
// A path is compiled once; any thread may then follow it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "object/value.h"

namespace skiff::apiserver {

class JsonPath {
 public:
  // Fails with a bad request on what it does not understand.
  static Result<JsonPath> Parse(std::string_view text);

  // The first value that the path leads to; null: there is none. The document is not copied.
  const object::Value* First(const object::Value& root) const;

 private:
  enum class Op : uint8_t {
    kExists,
    kEqual,
    kNotEqual,
    kLess,
    kLessEqual,
    kGreater,
    kGreaterEqual
  };
  // One side of a comparison: a path from the item, or a constant.
  struct Operand {
    std::shared_ptr<const JsonPath> path;
    std::string text;
    std::optional<double> number;
    std::optional<bool> truth;
  };
  struct Step {
    enum Kind : uint8_t { kFields, kIndexes, kSlice, kAll, kDescend, kFilter };
    Kind kind;
    std::vector<std::string> names = {};  // of kFields
    std::vector<int64_t> indexes = {};    // of kIndexes
    std::optional<int64_t> from = {};     // of kSlice
    std::optional<int64_t> to = {};
    int64_t every = 1;
    Op op = Op::kExists;  // of kFilter
    Operand left = {};
    Operand right = {};
  };
  class Parser;

  static void Follow(const Step& step, const object::Value& at,
                     std::vector<const object::Value*>& out);
  static bool Holds(const Step& filter, const object::Value& item);

  std::vector<Step> steps_;
};

}  // namespace skiff::apiserver
