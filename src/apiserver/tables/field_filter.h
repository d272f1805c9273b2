// Which fields of a kind are of interest, and an object's protobuf bytes cut down to them.
//
// A row of a table shows a dozen values of an object that has hundreds. The filter passes over the
// bytes once, skips by its length whatever nobody asked for, and copies the rest; the ordinary
// decoder then makes a small document of what is left. The fields that are kept stay as they were,
// in their order, so all that is true of them in the whole document is true in the small one.
//
// Paths are those of api/README.md: `.spec.containers.name` leads through lists and into each of
// their items, a number in brackets is ignored, and so is what follows the name of a map, which is
// kept with all its entries. `#` behind a path keeps of a list or map only how many entries it has,
// and of a message only that it is there.
//
// Built once per kind; afterwards any thread may use it.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "base/buffer.h"
#include "base/status.h"
#include "object/descriptor.h"
#include "object/protobuf/wire.h"

namespace skiff::apiserver {

class FieldFilter {
 public:
  explicit FieldFilter(const object::MessageDesc* type) : type_(type) {}

  // Fails when the kind has no such field.
  Result<void> Keep(std::string_view path);

  // Appends what is kept of the message, which has no envelope. False if the bytes are broken.
  [[nodiscard]] bool Apply(std::string_view message, ByteBuffer& out) const;

 private:
  struct Node {
    bool whole = false;                              // the value as it is
    std::vector<std::unique_ptr<Node>> fields = {};  // by tag; null: skipped

    Node& At(uint32_t tag);
  };

  static Result<void> KeepIn(Node& node, const object::MessageDesc& type, std::string_view path,
                             bool count_only);
  static void KeepEnd(Node& node, const object::FieldDesc& field, bool count_only);
  static bool Copy(object::WireReader in, const Node& node, int depth, ByteBuffer& out);

  const object::MessageDesc* type_;
  Node root_;
};

}  // namespace skiff::apiserver
