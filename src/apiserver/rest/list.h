// GET of a collection. What is listed is a snapshot; it is encoded piece by piece while it is being
// sent, so that a list takes no more memory than its next piece, however long it is.
#pragma once

#include <memory>

#include "apiserver/rest/endpoint.h"
#include "apiserver/rest/list_encoder.h"
#include "base/clock.h"
#include "serving/request/output.h"

namespace skiff::apiserver {

// Answers the request, at once or later.
void HandleList(serving::ApiRequestPtr request, const Endpoint& endpoint);

// Answers with the list, streamed unless it is short and soon made. A stream that is not complete
// at the request's deadline breaks off.
void RespondList(serving::ApiRequest& request, Clock& clock, std::unique_ptr<ListEncoder> encoder,
                 const serving::OutputFormat& format);

}  // namespace skiff::apiserver
