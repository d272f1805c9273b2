// JSON → protobuf in one go, without a tree between: how requests become stored bytes.
//
// Fields are encoded as they come and put into the order of their tags when their message ends;
// what is not set gets the zero that Kubernetes writes. Accepts, refuses and reports exactly what
// DecodeJson does, and writes exactly what EncodeProtobuf writes of its document.
#pragma once

#include <string_view>

#include "base/buffer.h"
#include "base/status.h"
#include "object/descriptor.h"
#include "object/json/decode.h"

namespace skiff::object {

// Appends the message, without an envelope; `type` must have a protobuf form. On an error, what
// was appended is taken back.
Result<void> JsonToProtobuf(std::string_view json, const MessageDesc& type, ByteBuffer& out,
                            const DecodeOptions& options = {});

// The same with the envelope around it, the type named by the text's own kind and apiVersion.
Result<void> JsonToStorage(std::string_view json, ByteBuffer& out,
                           const DecodeOptions& options = {});

}  // namespace skiff::object
