// Messages of protobuf as JSON and back, in the mapping that protobuf defines: numbers of 64 bits
// are strings, bytes are base64, enums are names; fields that have no value are left out. Names of
// fields are written as in the .proto file, and read in that form or in camel case. What a message
// does not have is skipped.
#pragma once

#include <string>
#include <string_view>

#include "base/buffer.h"
#include "base/status.h"
#include "store/etcd_server/proto_schema.h"

namespace skiff::store {

// `json` is an object, or empty. The bytes are those of the message.
Result<std::string> JsonToProto(std::string_view json, const ProtoMessage& message,
                                size_t max_bytes);
// InternalError if the bytes are not a message.
Result<void> ProtoToJson(std::string_view bytes, const ProtoMessage& message, ByteBuffer& out);

}  // namespace skiff::store
