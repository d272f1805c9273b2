// How a client wants objects to be deleted: from the body of the request, or from its query.
#pragma once

#include <string_view>

#include "apiserver/rest/behaviour.h"
#include "base/status.h"
#include "object/resource.h"
#include "serving/request/api_request.h"
#include "views/meta/v1.h"

namespace skiff::apiserver {

// kBadRequest for what cannot be read, kInvalid for options that exclude each other.
Result<DeleteOptions> ReadDeleteOptions(serving::ApiRequest& request);
// Of a deletion of what cannot be read: kInvalid if it says more than that.
Result<void> CheckUnreadableDeletion(const DeleteOptions& options);
// 422 for the option where it does not belong.
Status UnreadableDeletionRefused(std::string_view kind, std::string_view group,
                                 std::string_view name, std::string_view why);
// Whoever deletes a job without a word about its pods is told that they stay.
void WarnOfOrphans(const object::ResourceDesc& resource, const DeleteOptions& options,
                   serving::ApiRequest& request);
// The same of options that are part of another object.
Result<DeleteOptions> DeleteOptionsOf(const views::meta_v1::DeleteOptions& options);

}  // namespace skiff::apiserver
