// Values as YAML, byte for byte as `kubectl get -o yaml` prints them.
//
// That is the style of sigs.k8s.io/yaml: lists are not indented under their key, lines of more
// than 80 columns are folded at spaces, keys stand in natural order (a2 before a10), and a string
// is quoted only where it would otherwise be read as something else.
//
// Deviations, each where that library prints what it cannot read back or fails: the key `<<` is
// quoted; characters that YAML does not allow (U+007F and others) are escaped. And two oddities of
// it are not repeated: a string that begins with a byte order mark keeps its other characters
// unescaped, and one that ends with U+2028 or U+2029 gets libyaml's indentation before its closing
// quote. In keys, every character beyond ASCII sorts as a letter.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/buffer.h"
#include "base/status.h"
#include "object/value.h"

namespace skiff::object {

// The value must be untyped: null, booleans, numbers, strings, lists and maps only.
void AppendYaml(ByteBuffer& out, const Value& value);

// The order in which keys are printed.
bool YamlKeyLess(std::string_view a, std::string_view b);

class YamlEmitter;

// A list whose compact JSON comes in pieces, cut anywhere, as the YAML of the whole: no more of it
// is held than what surrounds the items, and one of these until its end has come.
//
//   {"kind":"PodList","apiVersion":"v1","metadata":{},"items":[{…},{…}]}
//
// One thread at a time.
class YamlListWriter {
 public:
  // The member whose items are many. It comes last in the JSON, wherever YAML has it.
  explicit YamlListWriter(std::string_view member);
  ~YamlListWriter();

  // kInternalError when the text is no such list.
  Result<void> Append(ByteBuffer& out, std::string_view json);
  // After the last piece.
  Result<void> Finish(ByteBuffer& out);

 private:
  enum class Place : uint8_t { kHead, kItems, kTail };

  // What stands between two strings. `text_` has all that came before it.
  Result<void> OnMark(char mark);
  Result<void> BeginItems();
  Result<void> EmitItem();
  void EndItems();

  const std::string member_;  // with its quotes and the colon
  const std::unique_ptr<YamlEmitter> emitter_;
  Place place_ = Place::kHead;
  // Of what surrounds the items, up to them; then of the item at hand; then of what follows them.
  std::string text_;
  Document head_;                         // all but the items
  std::vector<const MapEntry*> entries_;  // of it, in the order of YAML
  size_t next_entry_ = 0;
  bool item_emitted_ = false;  // the last one, whose end was seen before what follows it
  int depth_ = 0;
  bool in_string_ = false;
  bool escaped_ = false;  // the last byte was the backslash before another one
};

}  // namespace skiff::object
