// OpenAPI documents of other servers, as far as they are part of ours. Whoever asks those servers
// gives them to OpenApi by this interface.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/shared_bytes.h"

namespace skiff::apiserver {

// Of the document of version 2: one group and version of a server.
struct RemoteSwagger {
  std::string fingerprint;  // another whenever the bytes are
  SharedBytes json;         // as ForeignSwagger::PartOf() makes it
};

// A document of version 3: "apis/GROUP/VERSION", and where the server says that it is.
struct RemoteDocument {
  std::string name;
  std::string url;

  bool operator==(const RemoteDocument&) const = default;
};

struct RemoteOpenApiState {
  std::vector<RemoteSwagger> swagger;     // in the order in which they are put together
  std::vector<RemoteDocument> documents;  // each name once
};

class RemoteDocuments {
 public:
  virtual ~RemoteDocuments() = default;
  // Any thread: as they are now; never null.
  virtual std::shared_ptr<const RemoteOpenApiState> state() const = 0;
};

}  // namespace skiff::apiserver
