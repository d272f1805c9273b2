// The head of an HTTP/1.1 answer, and chunks of its body.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "base/buffer.h"
#include "net/http.h"

namespace skiff::net {

// "Not Found" for 404; "" for codes without a name.
std::string_view HttpPhrase(int code);

struct Http1HeadOptions {
  bool is_1_0 = false;
  bool keep_alive = true;
  bool upgrade = false;
  bool chunked = false;
  std::optional<size_t> content_length;
};

// Names are written as Go writes them: Content-Type. Fields whose bytes would break the head are
// left out, and so are those of the framing, which belong to the server.
void AppendHttp1Head(const HttpResponse& response, const Http1HeadOptions& options,
                     std::string_view date, ByteBuffer& out);

// A chunk is written in place: room for its size, its bytes by whoever has them, then FinishChunk()
// with where the room began.
void ReserveChunkHead(ByteBuffer& out);
void FinishChunk(ByteBuffer& out, size_t start);

// Whether the server itself decides about the field: content-length, connection, date, ...
bool IsFramingField(std::string_view name);

}  // namespace skiff::net
