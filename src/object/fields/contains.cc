#include "object/fields/contains.h"

#include "base/buffer.h"
#include "object/fields/fields_v1.h"
#include "object/json/cursor.h"

namespace skiff::object {
namespace {

// As many steps of one level are looked for, each in every key of the text.
constexpr size_t kMaxSteps = 8;
constexpr int kMaxDepth = 32;

class Looker {
 public:
  explicit Looker(std::string_view text) : cursor_(text) {}

  // What is behind the last member that is looked for does not matter.
  bool Holds(const FieldSet& part) {
    missing_ = CountMembers(part);
    if (missing_ != 0) Look(part, false, 0);
    return missing_ == 0 && !has_duplicates_;
  }

 private:
  static constexpr std::string_view kSelf = "\".\":";

  static size_t CountMembers(const FieldSet& set) {
    size_t count = 0;
    for (const FieldNode& node : set.nodes()) {
      count += (node.member ? 1 : 0) + CountMembers(node.children);
    }
    return count;
  }

  // Looks through the object of steps at the cursor for the members of `part` and, if asked, for
  // the one that the step to here is. False ends the search: all are found, or one is not there.
  bool Look(const FieldSet& part, bool member, int depth) {
    if (part.nodes().size() > kMaxSteps || depth > kMaxDepth) return false;
    if (!cursor_.Take('{')) return false;
    if (cursor_.Take('}')) {
      if (member) --missing_;
      return part.empty() && missing_ != 0;
    }
    unsigned found = 0;  // a bit for each node
    do {
      const size_t start = cursor_.offset();
      if (cursor_.Peek() != JsonKind::kString || !cursor_.SkipValue(depth) || !cursor_.Take(':')) {
        return false;
      }
      const std::string_view key = cursor_.TextFrom(start);
      if (member && key == kSelf) {
        member = false;
        if (--missing_ == 0) return false;
      }
      if (const FieldNode* node = FindStep(part, key); node != nullptr) {
        const unsigned bit = 1U << static_cast<unsigned>(node - part.nodes().data());
        has_duplicates_ = has_duplicates_ || (found & bit) != 0;
        found |= bit;
        if (has_duplicates_ || !Look(node->children, node->member, depth + 1)) return false;
      } else if (!cursor_.SkipValue(depth)) {
        return false;
      }
    } while (cursor_.Take(','));
    return cursor_.Take('}') && found == (1U << part.nodes().size()) - 1 && !member;
  }

  const FieldNode* FindStep(const FieldSet& part, std::string_view key) {
    for (const FieldNode& node : part.nodes()) {
      if (IsStep(node.element, key)) return &node;
    }
    return nullptr;
  }

  // A name that the text has to escape is not looked for.
  bool IsStep(const PathElement& element, std::string_view key) {
    if (element.is_field()) {
      constexpr size_t kAround = std::string_view("\"f:\":").size();
      return key.size() == element.name().size() + kAround && key.starts_with("\"f:") &&
             key.substr(3, element.name().size()) == element.name();
    }
    step_.Clear();
    AppendFieldStep(step_, element, scratch_);
    return step_.view() == key;
  }

  JsonCursor cursor_;
  size_t missing_ = 0;           // members that are still looked for
  bool has_duplicates_ = false;  // a step that is there twice, as in no text of ours
  ByteBuffer step_;
  ByteBuffer scratch_;
};

}  // namespace

bool TextContains(std::string_view fields_v1, const FieldSet& part) {
  return Looker(fields_v1).Holds(part);
}

}  // namespace skiff::object
