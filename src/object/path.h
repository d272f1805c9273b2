// Where in an object a value stands: `spec.containers[0].image`.
//
// While a tree is walked the path is a chain of nodes on the stack, one per level, each knowing
// its parent; text is made only when there is something to report.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace skiff::object {

class PathNode {
 public:
  // The root, which has no text.
  constexpr PathNode() = default;
  constexpr PathNode(const PathNode* parent, std::string_view key) : parent_(parent), key_(key) {}
  constexpr PathNode(const PathNode* parent, uint32_t index)
      : parent_(parent), index_(index), is_index_(true) {}

  void SetIndex(uint32_t index) { index_ = index; }

  // Keys are joined with dots, whatever they contain; items stand in brackets.
  std::string ToString() const {
    std::string out;
    AppendTo(out);
    return out;
  }

 private:
  void AppendTo(std::string& out) const {
    if (parent_ == nullptr) return;
    parent_->AppendTo(out);
    if (is_index_) {
      out += '[';
      out += std::to_string(index_);
      out += ']';
    } else {
      if (!out.empty()) out += '.';
      out += key_;
    }
  }

  const PathNode* parent_ = nullptr;
  std::string_view key_;
  uint32_t index_ = 0;
  bool is_index_ = false;
};

}  // namespace skiff::object
