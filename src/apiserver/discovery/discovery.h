// Answers GETs of discovery: /api, /api/V, /apis, /apis/G and /apis/G/V, with or without a slash at
// the end, in JSON, YAML and protobuf. /api and /apis also answer with aggregated discovery
// (as=APIGroupDiscoveryList;g=apidiscovery.k8s.io;v=v2) to those who ask for it, with an ETag.
//
// Nothing is built before it is asked for; JSON and protobuf are then kept, some 150 KB if every
// document has been read. Any thread. When what is served changes, here or by other servers, a new
// Discovery takes the place of this one.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "apiserver/discovery/registrations.h"
#include "apiserver/discovery/served_resources.h"
#include "base/buffer.h"
#include "base/status.h"
#include "serving/request/document.h"
#include "serving/request/negotiate.h"

namespace skiff::apiserver {

class Discovery {
 public:
  // `server_address` is "host:port" for clients that look for the server under another address.
  // `registered`, which may be null, is what APIServices add.
  Discovery(std::shared_ptr<const ServedResources> served, std::string server_address,
            std::shared_ptr<const RegisteredVersions> registered = {});

  // Nothing if the path is not one of discovery, or of a group or version that is not served. Fails
  // with 406 if the client takes none of the media types.
  Result<std::optional<serving::DocumentResponse>> Answer(
      const serving::DocumentRequest& request) const;

 private:
  struct Target;
  struct Kept {
    SharedBytes json;
    SharedBytes protobuf;
    std::string hash;  // of aggregated documents, else empty
  };

  std::optional<Target> TargetOf(std::string_view path) const;
  void WriteJson(const Target& target, ByteBuffer& out) const;
  // The document in this media type, made now or before.
  Kept Get(const Target& target, std::string_view media_type) const;
  Result<serving::DocumentResponse> AnswerTarget(const Target& target,
                                                 const serving::Negotiated& form,
                                                 const serving::DocumentRequest& request) const;

  const std::shared_ptr<const ServedResources> served_;
  const std::string server_address_;
  const std::shared_ptr<const RegisteredVersions> registered_;  // never null
  mutable std::mutex mutex_;
  mutable std::map<std::string, Kept> kept_;  // as many as there are documents
};

}  // namespace skiff::apiserver
