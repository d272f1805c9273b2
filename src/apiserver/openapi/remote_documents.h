// OpenAPI documents of other servers, as far as they are part of ours. Whoever asks those servers
// gives them to OpenApi by this interface.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/shared_bytes.h"

namespace skiff::apiserver {

// Of the document of version 2: one group and version of a server.
struct RemoteSwagger {
  std::string fingerprint;  // another whenever the bytes are
  SharedBytes json;         // as ForeignSwagger::PartOf() makes it
};

// A document of version 3: "apis/GROUP/VERSION", and where the server says that it is. Of servers
// that have none, what was made of their document of version 2.
struct RemoteDocument {
  std::string name;
  std::string url;
  std::string hash = {};  // of what is here
  SharedBytes json = {};  // empty: the server has it

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

  // A document that is here and not there. Empty: there is none of that name.
  RemoteDocument Find(std::string_view name) const {
    const auto now = state();
    for (const RemoteDocument& each : now->documents) {
      if (each.name == name && !each.json.empty()) return each;
    }
    return {};
  }
};

}  // namespace skiff::apiserver
