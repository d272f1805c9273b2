// What the server answered within the process, on its way to the executor of who asked: there it
// becomes a reply, and what is stored is decoded.
#pragma once

#include <variant>

#include "apiserver/in_process/shared_documents.h"
#include "apiserver/rest/object_output.h"
#include "base/shared_bytes.h"
#include "base/status.h"
#include "client/client.h"
#include "net/http.h"
#include "object/value.h"
#include "store/cache/list_reply.h"
#include "store/store.h"

namespace skiff::apiserver {

struct GivenObject {
  int code;
  object::Document object;
};
struct StoredObject {
  int code;
  ObjectViewPtr view;
  SharedBytes bytes;
  store::Revision revision;
};
struct StoredList {
  ObjectViewPtr view;
  store::ListReply reply;
};
// The last is what the server says before it knows who asks how: plain text, or a timeout.
using LocalReply = std::variant<Status, GivenObject, StoredObject, StoredList, net::HttpResponse>;

Result<client::ClientReply> ReplyOf(LocalReply reply, DocumentForm form,
                                    SharedDocuments& documents);

// The error that an answer of HTTP tells, as a Status or in plain text.
Status StatusOf(const net::HttpResponse& response);

}  // namespace skiff::apiserver
