// The parameters of lists and watches, read from the query.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "apiserver/rest/endpoint.h"
#include "base/status.h"
#include "serving/request/api_request.h"
#include "store/cache/selection.h"

namespace skiff::apiserver {

struct ListOptions {
  store::SelectionRequest selection = {};
  std::string resource_version = {};
  std::string resource_version_match = {};
  std::string continue_token = {};
  int64_t limit = 0;
  std::optional<int64_t> timeout_seconds = {};
  std::optional<bool> send_initial_events = {};
  bool allow_watch_bookmarks = false;
};

// kBadRequest when objects cannot be selected by that field, in the words that Kubernetes has for
// the kind.
Result<void> CheckFieldLabel(const object::ResourceDesc& resource, std::string_view label);

// kBadRequest for what cannot be read: numbers, selectors, fields that cannot be selected by.
Result<ListOptions> ReadListOptions(const serving::ApiRequest& request, const Endpoint& endpoint);

}  // namespace skiff::apiserver
