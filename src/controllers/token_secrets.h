// Secrets that hold the token of a service account, as the loops that see to them know them.
#pragma once

#include <string_view>

#include "client/informer.h"

namespace skiff::controllers {

inline constexpr std::string_view kAccountNameAnnotation = "kubernetes.io/service-account.name";
inline constexpr std::string_view kAccountUidAnnotation = "kubernetes.io/service-account.uid";

// Those of their type and no others.
inline client::Informer& TokenSecrets(client::InformerSet& informers) {
  return informers.For(client::BuiltIn("", "v1", "secrets"),
                       {.field_selector = "type=kubernetes.io/service-account-token"});
}

}  // namespace skiff::controllers
