#include "apiserver/rest/respond_stored.h"

#include <utility>

#include "apiserver/rest/object_forms.h"
#include "apiserver/rest/response_cache.h"
#include "apiserver/rest/rest_response.h"
#include "serving/request/respond.h"

namespace skiff {

void RespondStored(ApiRequest& request, const Endpoint& endpoint, int code,
                   const SharedBytes& bytes, Revision revision) {
  if (RespondLocally(request, code, [&](LocalResponse& answer) {
        answer.rest().Stored(code, endpoint.view, bytes, revision);
      })) {
    return;
  }
  Result<OutputFormat> format = NegotiateOutput(request, ResponseKind::kObject);
  if (!format) return RespondError(request, format.error());
  Result<SharedBytes> body =
      format->form == ObjectForm::kWhole
          ? (code == 200
                 ? ResponseCache::OfThread().Encode(*endpoint.view, bytes, revision, *format)
                 : endpoint.view->Encode(bytes.view(), revision, *format))
          : EncodeInForm(request, endpoint, *format, bytes.view(), revision);
  if (!body) return RespondError(request, body.error());
  RespondBytes(request, code, format->content_type(), std::move(*body));
}

}  // namespace skiff
