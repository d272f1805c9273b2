// Document → JSON text, byte for byte as Kubernetes writes it: fields in the order of the schema,
// map keys sorted, zero values left out or written by the rules of each field (value.h says what
// absence means), Go's escaping.
#pragma once

#include <string>

#include "base/buffer.h"
#include "object/value.h"

namespace skiff::object {

void EncodeJson(const Value& value, ByteBuffer& out);

// The compact form; with `indent` > 0 each member and item on a line of its own, as kubectl shows
// JSON. Empty objects and arrays stay on one line.
std::string EncodeJson(const Value& value, int indent = 0);

// Compact JSON spread over lines.
void AppendPrettyJson(ByteBuffer& out, std::string_view compact_json, int indent);

// The same for a text that comes in pieces, cut anywhere. It holds nothing back but the line break
// behind a bracket that the next byte may close.
class PrettyJsonWriter {
 public:
  explicit PrettyJsonWriter(int indent) : indent_(indent) {}
  void Append(ByteBuffer& out, std::string_view piece);

 private:
  size_t AppendString(ByteBuffer& out, std::string_view rest);

  const int indent_;
  int depth_ = 0;
  bool in_string_ = false;
  bool escaped_ = false;  // the last byte was the backslash before another one
  bool opened_ = false;   // the last byte was an opening bracket
};

// One scalar, or raw JSON, as EncodeJson writes it.
void AppendJsonScalar(ByteBuffer& out, const Value& value);

}  // namespace skiff::object
