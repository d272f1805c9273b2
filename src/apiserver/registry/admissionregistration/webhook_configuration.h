// The rules of webhook configurations: which requests go where, and what the webhooks promise.
#pragma once

#include "apiserver/validation/kind_rules.h"

namespace skiff::apiserver {

extern const KindRules kValidatingWebhookConfigurationRules;
extern const KindRules kMutatingWebhookConfigurationRules;

}  // namespace skiff::apiserver
