// Answers GETs of OpenAPI documents.
//
//   /openapi/v2          everything, as Swagger 2.0
//   /openapi/v3          where the documents of version 3 are, each with a hash of its contents
//   /openapi/v3/PATH     one of them: api/v1, apis/apps/v1, apis/apps, version, …
//
// Kinds that are defined at run time are in documents of their own group-versions, and with all
// others in that of version 2. Of these, hashes come from what the definitions are known by: the
// index of thousands of them costs no more than their names.
//
// What other servers have is in the index and in the document of version 2. Their documents of
// version 3 are not here: requests for them are passed on.
//
// Documents are JSON or, for those who ask, protobuf messages of gnostic's. A request for a version
// 3 document that names the hash may be cached for good; one with another hash is sent to the right
// one. Nothing is built before it is asked for, and only hashes are kept: making a document takes a
// few milliseconds, and clients that have it already are told so by its tag. Any thread.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "apiserver/discovery/served_resources.h"
#include "apiserver/openapi/custom_kinds.h"
#include "apiserver/openapi/descriptions.h"
#include "apiserver/openapi/remote_documents.h"
#include "base/buffer.h"
#include "serving/request/document.h"

namespace skiff::apiserver {

class OpenApi {
 public:
  // `server_version` is shown in the documents: "v1.36.4". `served` are the built-in resources;
  // `custom` and `remote`, which may be null and outlive this, have those that are defined at run
  // time and those of other servers.
  OpenApi(std::shared_ptr<const ServedResources> served, std::string server_version,
          const CustomKinds* custom = nullptr, const RemoteDocuments* remote = nullptr);

  // Nothing if there is no such document. A client that takes no form of it gets an empty 406.
  std::optional<serving::DocumentResponse> Answer(const serving::DocumentRequest& request) const;

 private:
  struct Family;

  std::optional<serving::DocumentResponse> AnswerDocument(const serving::DocumentRequest& request,
                                                          const Family& family,
                                                          std::string_view name) const;
  serving::DocumentResponse AnswerIndex() const;

  // False if there is no document of that name: "apis/apps/v1", or "" for the one of version 2.
  bool Write(std::string_view name, Descriptions& descriptions, ByteBuffer& out) const;
  bool WriteBuiltin(std::string_view name, Descriptions& descriptions, ByteBuffer& out) const;
  void WriteV2(bool with_custom, Descriptions& descriptions, ByteBuffer& out) const;
  // With what other servers have.
  void WriteMergedV2(Descriptions& descriptions, ByteBuffer& out) const;
  bool WriteGroup(std::string_view group, Descriptions& descriptions, ByteBuffer& out) const;
  bool WriteVersion(std::string_view group, std::string_view version, Descriptions& descriptions,
                    ByteBuffer& out) const;
  // Empty if there is no such document. If the document had to be written for it, `json` has it.
  std::string HashOf(std::string_view name, Descriptions& descriptions, ByteBuffer& json) const;
  std::string OwnHashOf(std::string_view name, Descriptions& descriptions, ByteBuffer& json) const;
  std::string BuiltinHashOf(std::string_view name, Descriptions& descriptions,
                            ByteBuffer& json) const;
  std::string HashOf(const CustomGroupVersion& version) const;

  const std::shared_ptr<const ServedResources> served_;
  const std::string server_version_;
  const CustomKinds* const custom_;
  const RemoteDocuments* const remote_;
  mutable std::mutex mutex_;
  mutable std::map<std::string, std::string, std::less<>> hashes_;  // of built-in documents
};

}  // namespace skiff::apiserver
