// Answers of API servers as clients know them: objects, lists, and the Status of what went wrong.
//
// An answer says by its Content-Type how it is written. Objects of a resource that is built in have
// its type; others are trees without one. Items of lists become objects of their own, with their
// kind and apiVersion, which servers leave out there.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/status.h"
#include "client/client.h"

namespace skiff::client {

struct ApiResponse {
  int code = 0;
  std::string content_type = {};
  std::string body = {};
  std::string etag = {};
  // Of the header Retry-After; nothing when there is none or it is no number.
  std::optional<int> retry_after_seconds = {};
  // What this side knows about why it was refused; becomes part of the message.
  std::string advice = {};
};

enum class ApiMedia : uint8_t { kJson, kProtobuf, kOther };
ApiMedia MediaOf(std::string_view content_type);

// What a failed request was told. Whatever does not come from an API server (a proxy's page, say)
// becomes a Status of the code, without the text.
Status DecodeStatus(const ApiResponse& answer);
// Of a document of the kind Status; `code` where it has none.
Status StatusOf(const object::Value& document, int code);

// Of a 2xx answer.
Result<ClientReply> DecodeReply(const ClientCall& call, const ApiResponse& answer);

// One object of a watch or of an answer. With `metadata_only`, a PartialObjectMetadata.
Result<object::Document> DecodeObject(const ApiResource& resource, bool metadata_only,
                                      ApiMedia media, std::string_view bytes);

}  // namespace skiff::client
