#include <utility>

#include "apiserver/rest/endpoint.h"
#include "apiserver/rest/errors.h"
#include "apiserver/rest/hot_answers.h"
#include "apiserver/rest/local_answer.h"
#include "apiserver/rest/object_forms.h"
#include "serving/request/respond.h"

namespace skiff {

void RespondStored(ApiRequest& request, const Endpoint& endpoint, int code,
                   const SharedBytes& bytes, Revision revision) {
  if (RespondLocally(request, code, [&](LocalAnswer& answer) {
        answer.rest().Stored(code, endpoint.view, bytes, revision);
      })) {
    return;
  }
  Result<OutputFormat> format = NegotiateOutput(request, Answered::kObject);
  if (!format) return RespondError(request, format.error());
  Result<SharedBytes> body =
      format->form == ObjectForm::kWhole
          ? (code == 200 ? HotAnswers::OfThread().Encode(*endpoint.view, bytes, revision, *format)
                         : endpoint.view->Encode(bytes.view(), revision, *format))
          : EncodeInForm(request, endpoint, *format, bytes.view(), revision);
  if (!body) return RespondError(request, body.error());
  RespondBytes(request, code, format->content_type(), std::move(*body));
}

void HandleGet(ApiRequestPtr request, const Endpoint& endpoint) {
  if (const auto format = NegotiateOutput(*request, Answered::kObject); !format) {
    return RespondError(*request, format.error());
  }
  CacheGetRequest get{request->info.name_space, request->info.name,
                      std::string(request->query.Get("resourceVersion"))};
  if (!endpoint.resource->namespaced) get.name_space.clear();
  endpoint.storage->cache().Get(std::move(get), [request = std::move(request),
                                                 &endpoint](Result<CacheGetReply> reply) mutable {
    if (!reply) return RespondError(*request, reply.error());
    if (!reply->entry) {
      return RespondError(*request, NotFound(*endpoint.resource, request->info.name));
    }
    if (const auto readable = endpoint.storage->CheckReadable(*reply->entry); !readable) {
      return RespondError(*request, readable.error());
    }
    RespondStored(*request, endpoint, 200, reply->entry->value(), reply->entry->revision());
  });
}

}  // namespace skiff
