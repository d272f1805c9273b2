// Objects in other forms than whole: their metadata alone, or as rows of a table.
#pragma once

#include <memory>
#include <string_view>

#include "apiserver/rest/endpoint.h"
#include "apiserver/rest/list_encoder.h"
#include "apiserver/rest/watch_encoder.h"
#include "apiserver/tables/object_bytes.h"
#include "base/shared_bytes.h"
#include "base/status.h"
#include "serving/request/output.h"
#include "store/store.h"

namespace skiff::apiserver {

// Lists and watches in these forms.
Result<std::unique_ptr<ListWriter>> MakeFormListWriter(const serving::ApiRequest& request,
                                                       const Endpoint& endpoint,
                                                       const serving::OutputFormat& format);
Result<std::unique_ptr<WatchEncoder>> MakeFormWatchEncoder(const serving::ApiRequest& request,
                                                           const Endpoint& endpoint,
                                                           const serving::OutputFormat& format);

// One object, as the body of an answer.
Result<SharedBytes> EncodeInForm(const serving::ApiRequest& request, const Endpoint& endpoint,
                                 const serving::OutputFormat& format, const ObjectBytes& object);

}  // namespace skiff::apiserver
