// Objects in other forms than whole: their metadata alone, or as rows of a table.
#pragma once

#include <memory>
#include <string_view>

#include "apiserver/rest/endpoint.h"
#include "apiserver/rest/list_encoder.h"
#include "apiserver/rest/watch_encoder.h"
#include "base/shared_bytes.h"
#include "base/status.h"
#include "serving/request/output.h"
#include "store/store.h"

namespace skiff {

// Lists and watches in these forms.
Result<std::unique_ptr<ListWriter>> MakeFormListWriter(const ApiRequest& request,
                                                       const Endpoint& endpoint,
                                                       const OutputFormat& format);
Result<std::unique_ptr<WatchEncoder>> MakeFormWatchEncoder(const ApiRequest& request,
                                                           const Endpoint& endpoint,
                                                           const OutputFormat& format);

// One object, as the body of an answer.
Result<SharedBytes> EncodeInForm(const ApiRequest& request, const Endpoint& endpoint,
                                 const OutputFormat& format, std::string_view stored,
                                 Revision revision);

}  // namespace skiff
