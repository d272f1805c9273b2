// Documents that a server answers with as they are, and the question for one: discovery, OpenAPI,
// the version. They are read only, so any thread may share their bytes.
#pragma once

#include <string>
#include <string_view>

#include "base/shared_bytes.h"

namespace skiff::serving {

// What of a GET matters to a document.
struct DocumentRequest {
  std::string_view path;         // begins with '/'
  std::string_view query = {};   // without the '?'
  std::string_view accept = {};  // the header of that name, as are the next
  std::string_view if_none_match = {};
  std::string_view user_agent = {};
};

// Headers that are empty are not sent; without cache_control the server's usual one is.
struct DocumentResponse {
  int code = 200;  // or 301, 304
  std::string content_type;
  SharedBytes body;
  std::string etag;  // with its quotes
  std::string cache_control;
  std::string vary;
  std::string location;              // of a 301
  bool expires_in_one_year = false;  // an Expires header is due, a year from now
};

// The SHA-512 of the bytes in upper-case hexadecimal, which is what Kubernetes calls a hash in the
// tags and addresses of documents.
std::string ContentHash(std::string_view bytes);

std::string QuotedTag(std::string_view hash);

// Whether an If-None-Match header holds the tag: a list of tags, weak or not, or "*".
bool TagMatches(std::string_view if_none_match, std::string_view tag);

}  // namespace skiff::serving
