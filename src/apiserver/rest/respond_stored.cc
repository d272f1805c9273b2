#include "apiserver/rest/respond_stored.h"

#include <utility>

#include "apiserver/rest/object_forms.h"
#include "apiserver/rest/response_cache.h"
#include "apiserver/rest/rest_response.h"
#include "serving/request/respond.h"

namespace skiff::apiserver {

void RespondStored(serving::ApiRequest& request, const Endpoint& endpoint, int code,
                   const SharedBytes& bytes, store::Revision revision, object::Pieces pieces) {
  if (serving::RespondLocally(request, code, [&](serving::LocalResponse& answer) {
        answer.rest().Stored(code, endpoint.SharedView(request),
                             pieces.empty() ? bytes : object::JoinFieldSets(bytes.view(), pieces),
                             revision);
      })) {
    return;
  }
  Result<serving::OutputFormat> format = serving::NegotiateOutput(request, endpoint.object_kind());
  if (!format) return serving::RespondError(request, format.error());
  Result<SharedBytes> body =
      format->form == serving::ObjectForm::kWhole
          ? (code == 200 ? ResponseCache::OfThread().Encode(*endpoint.view, bytes, revision,
                                                            *format, pieces)
                         : endpoint.view->Encode(bytes.view(), revision, *format, pieces))
          : EncodeInForm(request, endpoint, *format, {bytes.view(), revision, pieces});
  if (!body) return serving::RespondError(request, body.error());
  serving::RespondBytes(request, code, format->content_type(), std::move(*body));
}

}  // namespace skiff::apiserver
