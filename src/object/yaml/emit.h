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

#include "base/buffer.h"
#include "object/value.h"

namespace skiff {

// The value must be untyped: null, booleans, numbers, strings, lists and maps only.
void AppendYaml(ByteBuffer& out, const Value& value);

// The order in which keys are printed.
bool YamlKeyLess(std::string_view a, std::string_view b);

}  // namespace skiff
