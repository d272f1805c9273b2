// Where a webhook is: a URL, or a service of the cluster.
#pragma once

#include <optional>
#include <string_view>

#include "apiserver/validation/field_errors.h"

namespace skiff::apiserver {

// https, a host, and a path; nothing else.
void ValidateWebhookUrl(std::string_view url, std::string_view field, FieldErrors& errors);

struct WebhookService {
  std::string_view name_space;
  std::string_view name;
  std::optional<std::string_view> path;
  int32_t port = 0;
};
// Reports below the place.
void ValidateWebhookService(const WebhookService& service, FieldErrors& errors);

}  // namespace skiff::apiserver
