// How each plugin is made. What it does is said at the top of its file.
#pragma once

#include "apiserver/admission/plugin.h"

namespace skiff::apiserver {

using MadePlugin = Result<std::unique_ptr<AdmissionPlugin>>;

MadePlugin MakeAlwaysAdmit(const PluginContext& context, std::string_view config_json);
MadePlugin MakeAlwaysDeny(const PluginContext& context, std::string_view config_json);
MadePlugin MakeAlwaysPullImages(const PluginContext& context, std::string_view config_json);
MadePlugin MakeCertificateApproval(const PluginContext& context, std::string_view config_json);
MadePlugin MakeCertificateSigning(const PluginContext& context, std::string_view config_json);
MadePlugin MakeCertificateSubjectRestriction(const PluginContext& context,
                                             std::string_view config_json);
MadePlugin MakeClusterTrustBundleAttest(const PluginContext& context, std::string_view config_json);
MadePlugin MakeDefaultIngressClass(const PluginContext& context, std::string_view config_json);
MadePlugin MakeDefaultStorageClass(const PluginContext& context, std::string_view config_json);
MadePlugin MakeDefaultTolerationSeconds(const PluginContext& context, std::string_view config_json);
MadePlugin MakeDenyServiceExternalIPs(const PluginContext& context, std::string_view config_json);
MadePlugin MakeEventRateLimit(const PluginContext& context, std::string_view config_json);
MadePlugin MakeExtendedResourceToleration(const PluginContext& context,
                                          std::string_view config_json);
MadePlugin MakeImagePolicyWebhook(const PluginContext& context, std::string_view config_json);
MadePlugin MakeJobValidation(const PluginContext& context, std::string_view config_json);
MadePlugin MakeLimitPodHardAntiAffinityTopology(const PluginContext& context,
                                                std::string_view config_json);
MadePlugin MakeMutatingAdmissionPolicy(const PluginContext& context, std::string_view config_json);
MadePlugin MakeMutatingWebhooks(const PluginContext& context, std::string_view config_json);
MadePlugin MakeNamespaceAutoProvision(const PluginContext& context, std::string_view config_json);
MadePlugin MakeNamespaceExists(const PluginContext& context, std::string_view config_json);
MadePlugin MakeNamespaceLifecycle(const PluginContext& context, std::string_view config_json);
MadePlugin MakeNodeDeclaredFeatureValidator(const PluginContext& context,
                                            std::string_view config_json);
MadePlugin MakeNodeRestriction(const PluginContext& context, std::string_view config_json);
MadePlugin MakeOwnerReferencesPermissionEnforcement(const PluginContext& context,
                                                    std::string_view config_json);
MadePlugin MakePersistentVolumeClaimResize(const PluginContext& context,
                                           std::string_view config_json);
MadePlugin MakePodGroupProtection(const PluginContext& context, std::string_view config_json);
MadePlugin MakePodGroupWorkloadExists(const PluginContext& context, std::string_view config_json);
MadePlugin MakePodNodeSelector(const PluginContext& context, std::string_view config_json);
MadePlugin MakePodResizeValidator(const PluginContext& context, std::string_view config_json);
MadePlugin MakePodTolerationRestriction(const PluginContext& context, std::string_view config_json);
MadePlugin MakePodTopologyLabels(const PluginContext& context, std::string_view config_json);
MadePlugin MakePriority(const PluginContext& context, std::string_view config_json);
MadePlugin MakeRuntimeClass(const PluginContext& context, std::string_view config_json);
MadePlugin MakeServiceAccount(const PluginContext& context, std::string_view config_json);
MadePlugin MakeStorageObjectInUseProtection(const PluginContext& context,
                                            std::string_view config_json);
MadePlugin MakeTaintNodesByCondition(const PluginContext& context, std::string_view config_json);
MadePlugin MakeValidatingAdmissionPolicy(const PluginContext& context,
                                         std::string_view config_json);
MadePlugin MakeValidatingWebhooks(const PluginContext& context, std::string_view config_json);

}  // namespace skiff::apiserver
