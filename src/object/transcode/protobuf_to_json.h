// Protobuf → JSON in one go, without a tree between: how stored objects become answers.
//
// The bytes are walked beside the descriptor tables and JSON is written as they pass. Where the
// order of tags and the order of JSON agree, one pass does; where they differ, a first pass over a
// message notes where each field stands. Bytes that are broken or in an unusual order go through a
// Document. The result is byte for byte what decoding to a Document and encoding that gives.
//
// Raw JSON inside the bytes (RawExtension, managed fields) is trusted to be valid, because the
// decoders check it before anything is stored.
#pragma once

#include <string_view>

#include "base/buffer.h"
#include "base/status.h"
#include "object/descriptor.h"
#include "object/protobuf/embedded_kinds.h"
#include "object/protobuf/shared_fields.h"

namespace skiff::object {

// Appends the object. `kind` and `api_version` come first when they are not empty: items of lists
// have none. On an error, what was appended is taken back.
Result<void> ProtobufToJson(std::string_view message, const MessageDesc& type,
                            std::string_view api_version, std::string_view kind, ByteBuffer& out,
                            EmbeddedKinds embedded = EmbeddedKinds::kAsTheyAre);

// The same for an object as it is stored, which gets this resourceVersion in place of its own, if
// it has one, on its way; of an empty one, none. Field sets may have been cut out of it. Kinds
// inside of it are named.
Result<void> StoredToJson(std::string_view message, std::string_view resource_version,
                          const MessageDesc& type, std::string_view api_version,
                          std::string_view kind, ByteBuffer& out, Pieces pieces = {});

// The same for stored bytes: the envelope names the type.
Result<void> StorageToJson(std::string_view stored, ByteBuffer& out);

}  // namespace skiff::object
