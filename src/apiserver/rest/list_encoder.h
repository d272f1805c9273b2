// Lists as clients get them, made piece by piece: whole objects or other forms of them, as JSON or
// protobuf.
#pragma once

#include <memory>

#include "apiserver/request/output.h"
#include "apiserver/rest/endpoint.h"
#include "base/buffer.h"
#include "base/status.h"
#include "store/cache/list_reply.h"

namespace skiff {

class ListEncoder {
 public:
  virtual ~ListEncoder() = default;
  // Appends until `out` has about `until` bytes; false when the list is complete.
  virtual Result<bool> Append(ByteBuffer& out, size_t until) = 0;
};

Result<std::unique_ptr<ListEncoder>> MakeListEncoder(const ApiRequest& request,
                                                     const Endpoint& endpoint,
                                                     const OutputFormat& format, ListReply reply);

// Answers with the list, streamed unless it is short.
void RespondList(ApiRequest& request, std::unique_ptr<ListEncoder> encoder,
                 const OutputFormat& format);

}  // namespace skiff
