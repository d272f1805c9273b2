// The rules of webhook configurations: which requests go where, and what the webhooks promise.
#pragma once

#include "apiserver/validation/kind_rules.h"

namespace skiff {

extern const KindRules kValidatingWebhookConfigurationRules;
extern const KindRules kMutatingWebhookConfigurationRules;

}  // namespace skiff
