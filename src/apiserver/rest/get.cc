#include "apiserver/rest/get.h"

#include <utility>

#include "apiserver/rest/converted_reads.h"
#include "apiserver/rest/endpoint.h"
#include "apiserver/rest/errors.h"
#include "apiserver/rest/object_forms.h"
#include "apiserver/rest/respond_stored.h"
#include "apiserver/rest/response_cache.h"
#include "apiserver/rest/rest_response.h"
#include "serving/request/respond.h"

namespace skiff::apiserver {

void HandleGet(serving::ApiRequestPtr request, const Endpoint& endpoint) {
  if (const auto format = serving::NegotiateOutput(*request, endpoint.object_kind()); !format) {
    return serving::RespondError(*request, format.error());
  }
  store::CacheGetRequest get{request->info.name_space, request->info.name,
                             std::string(request->query.Get("resourceVersion"))};
  if (!endpoint.resource->namespaced) get.name_space.clear();
  endpoint.storage->cache().Get(std::move(get), [request = std::move(request), &endpoint](
                                                    Result<store::CacheGetReply> reply) mutable {
    if (!reply) return serving::RespondError(*request, reply.error());
    if (!reply->entry) {
      return serving::RespondError(*request, NotFound(*endpoint.resource, request->info.name));
    }
    if (const auto readable = endpoint.storage->CheckReadable(*reply->entry); !readable) {
      return serving::RespondError(*request, readable.error());
    }
    if (endpoint.converter() == nullptr) {
      return RespondStored(*request, endpoint, 200, reply->entry->kept(),
                           reply->entry->revision(), reply->entry->pieces());
    }
    // The newest object is shown as its webhook converts it now.
    const auto memory = request->query.Get("resourceVersion").empty()
                            ? ObjectConverter::Memory::kIsNotAsked
                            : ObjectConverter::Memory::kAnswers;
    std::shared_ptr<serving::ApiRequest> shared = std::move(request);
    ConvertOne(shared, endpoint, reply->entry->value(), memory,
               [shared, &endpoint, revision = reply->entry->revision()](SharedBytes converted) {
                 RespondStored(*shared, endpoint, 200, converted, revision);
               });
  });
}

}  // namespace skiff::apiserver
