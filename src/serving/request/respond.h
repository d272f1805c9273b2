// Answers to requests, with the headers that every answer of the API server has.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/buffer.h"
#include "base/shared_bytes.h"
#include "base/status.h"
#include "object/value.h"
#include "serving/request/api_request.h"
#include "serving/request/output.h"

namespace skiff::serving {

// Bytes that are complete. `extra` are further headers.
void RespondBytes(ApiRequest& request, int code, std::string_view content_type, SharedBytes body,
                  net::HttpHeaders extra = {});
inline void RespondText(ApiRequest& request, int code, std::string_view text) {
  RespondBytes(request, code, "text/plain; charset=utf-8", SharedBytes(text));
}
// What is made while it is sent. Large is what is worth compressing, if the client can take that;
// events of a watch are not.
enum class StreamSize : uint8_t { kLarge, kEvents };
void RespondStream(ApiRequest& request, int code, std::string_view content_type, StreamSize size,
                   std::unique_ptr<net::BodySource> source);
// The answer of another server, with its headers and its body as they are.
void RespondForwarded(ApiRequest& request, net::HttpResponse response);
// What another protocol goes on with.
void RespondUpgrade(ApiRequest& request, net::HttpResponse response);

// Answers a request that was made within the process by give(LocalResponse&), unless somebody was
// quicker. False: it came over HTTP.
bool TakeLocalResponse(ApiRequest& request, int code);
template <typename GiveTo>
bool RespondLocally(ApiRequest& request, int code, GiveTo give) {
  if (request.local == nullptr) return false;
  if (TakeLocalResponse(request, code)) give(*request.local);
  return true;
}

// A JSON text that begins an answer, in the encoding that was asked for: pretty, or as YAML.
// Protobuf is not made of JSON.
Result<SharedBytes> FinishJson(ByteBuffer compact_json, const OutputFormat& format);

// A typed object in the encoding that was asked for.
Result<SharedBytes> EncodeObject(const object::Value& object, const OutputFormat& format);
void RespondObject(ApiRequest& request, int code, const object::Value& object);
// A Status that says no more than that it was done.
void RespondDone(ApiRequest& request, int code);

// A Status, with Retry-After and the like.
void RespondError(ApiRequest& request, const Status& status);

// Plain text with code 500, for what fails before it is known what is asked for.
void RespondInternalError(ApiRequest& request, std::string_view why);

// What http.ServeMux says of paths that nobody knows.
void RespondUnknownPath(ApiRequest& request);

}  // namespace skiff::serving
