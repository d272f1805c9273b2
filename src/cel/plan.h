// The form of an expression that is evaluated: a compact tree.
//
// A chain of selects and indices is one node, as cel-go's attributes are, since its costs and the
// meaning of optional values go with the chain as a whole.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cel/ast.h"
#include "cel/cost_tracker.h"
#include "cel/environment.h"
#include "cel/opaque.h"
#include "cel/values/regex.h"

namespace skiff::cel {

enum class NodeKind : uint8_t {
  kConstant,
  kAttribute,
  kCall,
  kAnd,
  kOr,
  kTernary,
  kEqual,
  kNotEqual,
  kInSet,  // in a constant list
  kNotStrictlyFalse,
  kOptionalOr,
  kOptionalOrValue,
  kList,
  kMap,
  kStruct,
  kFold,
};

struct Node;

struct Qualifier {
  Val key = {};                 // constant, or
  const Node* index = nullptr;  // computed
  bool optional = false;
};

struct FoldNode {
  const Node* range;
  const Node* init;
  const Node* condition;
  const Node* step;
  const Node* result;
  uint32_t accu_slot;
  uint32_t iter_slot;
  uint32_t iter2_slot;
  bool two_variables;
};

struct Node {
  enum class Root : uint8_t { kVariable, kLocal, kOperand };

  NodeKind kind;
  bool charge = true;          // an attribute that costs 1 besides its qualifiers
  bool test_only = false;      // has()
  bool stop_at_error = false;  // a call that does not look at arguments behind an error
  Root root = Root::kOperand;
  uint32_t slot = 0;
  Val value = {};                          // a constant; a set as a map
  std::span<const Node* const> args = {};  // arguments, items, keys and values
  std::span<const Qualifier> qualifiers = {};
  std::span<const bool> optionals = {};
  std::span<const std::string_view> fields = {};
  const FunctionDecl* function = nullptr;
  const Overload* overload = nullptr;  // null: the one that goes with the arguments
  CallCost cost = nullptr;
  const Regex* regex = nullptr;
  const StructDecl* struct_decl = nullptr;
  const FoldNode* fold = nullptr;
};

struct Plan {
  const Node* root = nullptr;
  uint32_t locals = 0;
  std::vector<std::string> variables;
  std::deque<Regex> regexes;
  std::vector<std::unique_ptr<OpaqueBase>> owned;
};

// Empty, or why there is no plan.
std::string MakePlan(const Expr& root, const Environment& environment, Arena& arena, Plan& plan);

}  // namespace skiff::cel
