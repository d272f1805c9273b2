#include "apiserver/registry/find_rules.h"

#include "apiserver/registry/admissionregistration/admission_policy.h"
#include "apiserver/registry/admissionregistration/webhook_configuration.h"
#include "apiserver/registry/apiextensions/custom_resource_definition.h"
#include "apiserver/registry/apiregistration/api_service.h"
#include "apiserver/registry/apps/controller_revision.h"
#include "apiserver/registry/apps/daemon_set.h"
#include "apiserver/registry/apps/deployment.h"
#include "apiserver/registry/apps/replica_set.h"
#include "apiserver/registry/apps/stateful_set.h"
#include "apiserver/registry/autoscaling/horizontal_pod_autoscaler.h"
#include "apiserver/registry/batch/cron_job.h"
#include "apiserver/registry/batch/job.h"
#include "apiserver/registry/certificates/certificate_signing_request.h"
#include "apiserver/registry/certificates/cluster_trust_bundle.h"
#include "apiserver/registry/certificates/pod_certificate_request.h"
#include "apiserver/registry/coordination/lease.h"
#include "apiserver/registry/coordination/lease_candidate.h"
#include "apiserver/registry/core/config_map.h"
#include "apiserver/registry/core/endpoints.h"
#include "apiserver/registry/core/event.h"
#include "apiserver/registry/core/limit_range.h"
#include "apiserver/registry/core/namespace.h"
#include "apiserver/registry/core/node.h"
#include "apiserver/registry/core/persistent_volume.h"
#include "apiserver/registry/core/persistent_volume_claim.h"
#include "apiserver/registry/core/pod.h"
#include "apiserver/registry/core/pod_template.h"
#include "apiserver/registry/core/replication_controller.h"
#include "apiserver/registry/core/resource_quota.h"
#include "apiserver/registry/core/secret.h"
#include "apiserver/registry/core/service.h"
#include "apiserver/registry/core/service_account.h"
#include "apiserver/registry/discovery/endpoint_slice.h"
#include "apiserver/registry/flowcontrol/flow_schema.h"
#include "apiserver/registry/flowcontrol/priority_level_configuration.h"
#include "apiserver/registry/internal/storage_version.h"
#include "apiserver/registry/networking/ingress.h"
#include "apiserver/registry/networking/ingress_class.h"
#include "apiserver/registry/networking/ip_address.h"
#include "apiserver/registry/networking/network_policy.h"
#include "apiserver/registry/networking/service_cidr.h"
#include "apiserver/registry/node/runtime_class.h"
#include "apiserver/registry/policy/pod_disruption_budget.h"
#include "apiserver/registry/rbac/role.h"
#include "apiserver/registry/rbac/role_binding.h"
#include "apiserver/registry/resource/device_class.h"
#include "apiserver/registry/resource/device_taint_rule.h"
#include "apiserver/registry/resource/resource_claim.h"
#include "apiserver/registry/resource/resource_pool_status_request.h"
#include "apiserver/registry/resource/resource_slice.h"
#include "apiserver/registry/scheduling/pod_group.h"
#include "apiserver/registry/scheduling/priority_class.h"
#include "apiserver/registry/scheduling/workload.h"
#include "apiserver/registry/storage/csi_driver.h"
#include "apiserver/registry/storage/csi_node.h"
#include "apiserver/registry/storage/csi_storage_capacity.h"
#include "apiserver/registry/storage/storage_class.h"
#include "apiserver/registry/storage/volume_attachment.h"
#include "apiserver/registry/storage/volume_attributes_class.h"
#include "apiserver/registry/storagemigration/storage_version_migration.h"

namespace skiff::apiserver {
namespace {

// Every kind that has rules, by the folder that it stands in.
constexpr const KindRules* kKinds[] = {
    // admissionregistration
    &kValidatingWebhookConfigurationRules,
    &kMutatingWebhookConfigurationRules,
    &kValidatingAdmissionPolicyRules,
    &kMutatingAdmissionPolicyRules,
    &kValidatingAdmissionPolicyBindingRules,
    &kMutatingAdmissionPolicyBindingRules,
    // apiextensions
    &kCustomResourceDefinitionRules,
    // apiregistration
    &kAPIServiceRules,
    // apps
    &kDeploymentRules,
    &kReplicaSetRules,
    &kStatefulSetRules,
    &kDaemonSetRules,
    &kControllerRevisionRules,
    // autoscaling
    &kHorizontalPodAutoscalerRules,
    // batch
    &kJobRules,
    &kCronJobRules,
    // certificates
    &kCertificateSigningRequestRules,
    &kClusterTrustBundleRules,
    &kPodCertificateRequestRules,
    // coordination
    &kLeaseRules,
    &kLeaseCandidateRules,
    // core
    &kPodRules,
    &kPodTemplateRules,
    &kReplicationControllerRules,
    &kServiceRules,
    &kEndpointsRules,
    &kNodeRules,
    &kNamespaceRules,
    &kPersistentVolumeRules,
    &kPersistentVolumeClaimRules,
    &kSecretRules,
    &kConfigMapRules,
    &kServiceAccountRules,
    &kLimitRangeRules,
    &kResourceQuotaRules,
    &kEventRules,
    &kNewEventRules,
    // discovery
    &kEndpointSliceRules,
    // flowcontrol
    &kFlowSchemaRules,
    &kPriorityLevelConfigurationRules,
    // internal
    &kStorageVersionRules,
    // networking
    &kIngressRules,
    &kIngressClassRules,
    &kNetworkPolicyRules,
    &kIPAddressRules,
    &kServiceCIDRRules,
    // node
    &kRuntimeClassRules,
    // policy
    &kPodDisruptionBudgetRules,
    // rbac
    &kRoleRules,
    &kClusterRoleRules,
    &kRoleBindingRules,
    &kClusterRoleBindingRules,
    // resource
    &kResourceClaimRules,
    &kResourceClaimTemplateRules,
    &kDeviceClassRules,
    &kResourceSliceRules,
    &kDeviceTaintRuleRules,
    &kResourcePoolStatusRequestRules,
    // scheduling
    &kPriorityClassRules,
    &kWorkloadRules,
    &kPodGroupRules,
    // storage
    &kStorageClassRules,
    &kVolumeAttributesClassRules,
    &kVolumeAttachmentRules,
    &kCSINodeRules,
    &kCSIDriverRules,
    &kCSIStorageCapacityRules,
    // storagemigration
    &kStorageVersionMigrationRules,
};

}  // namespace

const KindRules* FindRules(std::string_view group, std::string_view kind) {
  for (const KindRules* each : kKinds) {
    if (each->group == group && each->kind == kind) return each;
  }
  return nullptr;
}

}  // namespace skiff::apiserver
