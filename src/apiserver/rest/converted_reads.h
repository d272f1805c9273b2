// Gets and lists of objects that somebody else converts (convert/object_converter.h): what is read
// from the cache is made into the version of the request before it is shown.
//
// Labels are those that objects have at rest, and fields those of the version of the request, since
// each version may have its own.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "apiserver/convert/object_converter.h"
#include "apiserver/rest/endpoint.h"
#include "base/shared_bytes.h"
#include "base/status.h"
#include "serving/request/api_request.h"
#include "store/cache/entry.h"
#include "store/cache/list_reply.h"
#include "store/cache/selection.h"

namespace skiff::apiserver {

// Where a request is handled. It keeps the request.
ObjectConverter::Post PostTo(std::shared_ptr<serving::ApiRequest> request);

// For a request that is about such objects, to have them converted in the middle of something;
// null: it is not. It does not outlive the request.
std::shared_ptr<RememberedConversions> ConversionsFor(serving::ApiRequest& request,
                                                      const Endpoint& endpoint);

// What is selected by fields that only the version of the request has: it is looked for among the
// converted objects, and `selection` asks for the rest. Nothing where there are none.
std::optional<store::SelectionRequest> TakeConvertedFields(const Endpoint& endpoint,
                                                           store::SelectionRequest& selection);
Result<std::shared_ptr<const store::Selection>> BindSelection(ResourceStorage& storage,
                                                              store::SelectionRequest request);

// The entry with what its object has become.
Result<store::EntryRef> ConvertedEntry(ResourceStorage& storage, const store::CacheEntry& entry,
                                       SharedBytes converted);

// `done` gets the object in the version of the endpoint, where the request is handled, unless that
// could not be had: then the request is answered.
void ConvertOne(std::shared_ptr<serving::ApiRequest> request, const Endpoint& endpoint,
                SharedBytes stored, ObjectConverter::Memory memory,
                std::move_only_function<void(SharedBytes)> done);

// The same of a list, whose page stays what it is, but for objects that `fields` leaves out. A
// bounded number of objects is converted at a time, and all of them are before the answer begins,
// so that what cannot be converted is an error and not a list that breaks off.
void ConvertList(std::shared_ptr<serving::ApiRequest> request, const Endpoint& endpoint,
                 store::ListReply reply, std::optional<store::SelectionRequest> fields,
                 std::move_only_function<void(store::ListReply)> done);

}  // namespace skiff::apiserver
