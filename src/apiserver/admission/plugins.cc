#include "apiserver/admission/plugins.h"

#include "apiserver/admission/limit_ranger.h"
#include "apiserver/admission/pod_security.h"
#include "apiserver/admission/resource_quota.h"

namespace skiff::apiserver {
namespace {

// Comes with extensions: its name is known.
constexpr MakePlugin kNothingYet = nullptr;

constexpr PluginDesc kPlugins[] = {
    {"AlwaysAdmit", false, MakeAlwaysAdmit},
    {"NamespaceAutoProvision", false, MakeNamespaceAutoProvision},
    {"NamespaceLifecycle", true, MakeNamespaceLifecycle},
    {"NamespaceExists", false, MakeNamespaceExists},
    {"LimitPodHardAntiAffinityTopology", false, MakeLimitPodHardAntiAffinityTopology},
    {"LimitRanger", true, MakeLimitRanger},
    {"ServiceAccount", true, MakeServiceAccount},
    {"NodeRestriction", false, MakeNodeRestriction},
    {"TaintNodesByCondition", true, MakeTaintNodesByCondition},
    {"AlwaysPullImages", false, MakeAlwaysPullImages},
    {"ImagePolicyWebhook", false, MakeImagePolicyWebhook},
    {"PodSecurity", true, MakePodSecurity},
    {"PodNodeSelector", false, MakePodNodeSelector},
    {"Priority", true, MakePriority},
    {"DefaultTolerationSeconds", true, MakeDefaultTolerationSeconds},
    {"PodTolerationRestriction", false, MakePodTolerationRestriction},
    {"EventRateLimit", false, MakeEventRateLimit},
    {"ExtendedResourceToleration", false, MakeExtendedResourceToleration},
    {"DefaultStorageClass", true, MakeDefaultStorageClass},
    {"StorageObjectInUseProtection", true, MakeStorageObjectInUseProtection},
    {"PodGroupProtection", true, MakePodGroupProtection},
    {"OwnerReferencesPermissionEnforcement", false, MakeOwnerReferencesPermissionEnforcement},
    {"PersistentVolumeClaimResize", true, MakePersistentVolumeClaimResize},
    {"RuntimeClass", true, MakeRuntimeClass},
    {"CertificateApproval", true, MakeCertificateApproval},
    {"CertificateSigning", true, MakeCertificateSigning},
    {"ClusterTrustBundleAttest", true, MakeClusterTrustBundleAttest},
    {"CertificateSubjectRestriction", true, MakeCertificateSubjectRestriction},
    {"DefaultIngressClass", true, MakeDefaultIngressClass},
    {"DenyServiceExternalIPs", false, MakeDenyServiceExternalIPs},
    {"PodTopologyLabels", true, MakePodTopologyLabels},
    {"PodGroupWorkloadExists", true, MakePodGroupWorkloadExists},
    {"NodeDeclaredFeatureValidator", true, MakeNodeDeclaredFeatureValidator},
    {"JobValidation", true, MakeJobValidation},
    {"PodResizeValidator", true, MakePodResizeValidator},
    {"MutatingAdmissionPolicy", true, MakeMutatingAdmissionPolicy},
    {"MutatingAdmissionWebhook", true, MakeMutatingWebhooks},
    {"ValidatingAdmissionPolicy", true, MakeValidatingAdmissionPolicy},
    {"ValidatingAdmissionWebhook", true, MakeValidatingWebhooks},
    {"ResourceQuota", true, MakeResourceQuota},
    {"AlwaysDeny", false, MakeAlwaysDeny},
};

}  // namespace

std::span<const PluginDesc> AllAdmissionPlugins() { return kPlugins; }

}  // namespace skiff::apiserver
