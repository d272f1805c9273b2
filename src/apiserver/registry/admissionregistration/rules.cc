#include "apiserver/registry/admissionregistration/rules.h"

#include "apiserver/registry/admissionregistration/admission_policy.h"
#include "apiserver/registry/admissionregistration/webhook_configuration.h"

namespace skiff {

std::span<const KindRules> AdmissionregistrationRules() {
  static const KindRules kRules[] = {
      kValidatingWebhookConfigurationRules,   kMutatingWebhookConfigurationRules,
      kValidatingAdmissionPolicyRules,        kMutatingAdmissionPolicyRules,
      kValidatingAdmissionPolicyBindingRules, kMutatingAdmissionPolicyBindingRules,
  };
  return kRules;
}

}  // namespace skiff
