#include "apiserver/in_process/local_reply.h"

#include <string>
#include <utility>

#include "apiserver/tables/object_bytes.h"
#include "base/strings.h"
#include "object/json/decode.h"

namespace skiff::apiserver {
namespace {

StatusReason ReasonOf(int code) {
  for (int i = 0; i <= static_cast<int>(StatusReason::kInternalError); ++i) {
    const auto reason = static_cast<StatusReason>(i);
    if (reason != StatusReason::kUnknown && StatusReasonCode(reason) == code) return reason;
  }
  return StatusReason::kUnknown;
}

std::string TextOf(const object::Value& tree, std::string_view name) {
  const object::Value* found = tree.is_map() ? tree.Find(name) : nullptr;
  return found != nullptr && found->is_string() ? std::string(found->AsText()) : std::string();
}

Result<client::ClientReply> Reply(Status why, DocumentForm, SharedDocuments&) {
  return std::unexpected(std::move(why));
}

Result<client::ClientReply> Reply(GivenObject given, DocumentForm, SharedDocuments&) {
  client::ClientReply out{.code = given.code};
  if (given.object.kind() != "Status") {
    out.object = std::make_shared<const object::Document>(std::move(given.object));
  }
  return out;
}

Result<client::ClientReply> Reply(StoredObject stored, DocumentForm form,
                                  SharedDocuments& documents) {
  client::ClientReply out{.code = stored.code};
  SKIFF_ASSIGN_OR_RETURN(out.object,
                         documents.Get(stored.view.get(), form, stored.bytes, stored.revision));
  return out;
}

Result<client::ClientReply> Reply(StoredList list, DocumentForm form, SharedDocuments& documents) {
  client::ClientReply out;
  out.resource_version = RevisionText(list.reply.revision()).view();
  out.continue_token = list.reply.page().continue_token;
  for (store::ListCursor at = list.reply.Entries(); const store::CacheEntry* entry = at.Next();) {
    SKIFF_ASSIGN_OR_RETURN(client::ObjectPtr item,
                           documents.Get(list.view.get(), form, *entry, entry->revision()));
    out.items.push_back(std::move(item));
  }
  return out;
}

Result<client::ClientReply> Reply(net::HttpResponse response, DocumentForm, SharedDocuments&) {
  if (response.code >= 400) return std::unexpected(StatusOf(response));
  return Fail(StatusReason::kNotAcceptable, "this is answered with text, and not with an object");
}

}  // namespace

Result<client::ClientReply> ReplyOf(LocalReply reply, DocumentForm form,
                                    SharedDocuments& documents) {
  return std::visit([&](auto& each) { return Reply(std::move(each), form, documents); }, reply);
}

Status StatusOf(const net::HttpResponse& response) {
  const StatusReason reason = ReasonOf(response.code);
  const std::string_view text = TrimSpace(response.body.view());
  if (const Result<object::Document> tree = object::DecodeJson(text, nullptr); tree) {
    return Status(reason, TextOf(tree->root(), "message"));
  }
  return Status(reason, std::string(text));
}

}  // namespace skiff::apiserver
