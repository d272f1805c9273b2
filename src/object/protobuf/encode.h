// Documents into protobuf messages, byte for byte as Kubernetes writes them.
//
// Fields stand in the order of their tags. Scalars, strings and messages that are not pointers are
// written even when they are zero; pointers and bytes when they are present; lists one field per
// item, never packed; maps one field per key in ascending order. kind and apiVersion are not part
// of a message but of the envelope around it, see envelope.h.
//
// The message is written backwards into a buffer and then copied: see reverse_buffer.h for why.
// Against measuring first it saves a second walk over the tree, for one copy of the result.
#pragma once

#include <string>

#include "object/protobuf/reverse_buffer.h"
#include "object/value.h"

namespace skiff::object {

// Appends. `object` is a typed object.
void EncodeProtobuf(const Value& object, std::string* out);

// Writes the message in front of what the buffer holds.
void EncodeProtobuf(const Value& object, ReverseBuffer& out);

}  // namespace skiff::object
