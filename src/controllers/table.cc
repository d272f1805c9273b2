#include "controllers/bootstrap_signer.h"
#include "controllers/cluster_role_aggregation.h"
#include "controllers/controller.h"
#include "controllers/csr_cleaner.h"
#include "controllers/garbage_collector.h"
#include "controllers/legacy_token_cleaner.h"
#include "controllers/namespace.h"
#include "controllers/pod_gc.h"
#include "controllers/resource_quota.h"
#include "controllers/root_ca.h"
#include "controllers/service_account_tokens.h"
#include "controllers/service_accounts.h"
#include "controllers/token_cleaner.h"
#include "controllers/ttl.h"
#include "controllers/ttl_after_finished.h"
#include "controllers/validating_admission_policy_status.h"
#include "controllers/volume_attributes_class_protection.h"
#include "controllers/volume_claim_protection.h"
#include "controllers/volume_protection.h"

namespace skiff::controllers {
namespace {

// Every control loop of kube-controller-manager: its name, alias, whether it is on by default, its
// service account, how it is made, and how much more than others it may ask.
constexpr ControllerSpec kControllers[] = {
    {"bootstrap-signer-controller", "bootstrapsigner", false, "bootstrap-signer",
     MakeBootstrapSignerController},
    {"certificatesigningrequest-approving-controller", "csrapproving", true,
     "certificate-controller", nullptr},
    {"certificatesigningrequest-cleaner-controller", "csrcleaner", true, "certificate-controller",
     MakeCsrCleanerController},
    {"certificatesigningrequest-signing-controller", "csrsigning", true, "certificate-controller",
     nullptr},
    {"cloud-node-lifecycle-controller", "cloud-node-lifecycle", false, "", nullptr},
    {"clusterrole-aggregation-controller", "clusterrole-aggregation", true,
     "clusterrole-aggregation-controller", MakeClusterRoleAggregationController},
    {"cronjob-controller", "cronjob", true, "cronjob-controller", nullptr},
    {"daemonset-controller", "daemonset", true, "daemon-set-controller", nullptr},
    {"deployment-controller", "deployment", true, "deployment-controller", nullptr},
    {"device-taint-eviction-controller", "", true, "device-taint-eviction-controller", nullptr},
    {"disruption-controller", "disruption", true, "disruption-controller", nullptr},
    {"endpoints-controller", "endpoint", true, "endpoint-controller", nullptr},
    {"endpointslice-controller", "endpointslice", true, "endpointslice-controller", nullptr},
    {"endpointslice-mirroring-controller", "endpointslicemirroring", true,
     "endpointslicemirroring-controller", nullptr},
    {"ephemeral-volume-controller", "ephemeral-volume", true, "ephemeral-volume-controller",
     nullptr},
    {"garbage-collector-controller", "garbagecollector", true, "generic-garbage-collector",
     MakeGarbageCollector, 2, 1},
    {"horizontal-pod-autoscaler-controller", "horizontalpodautoscaling", true,
     "horizontal-pod-autoscaler", nullptr},
    {"job-controller", "job", true, "job-controller", nullptr},
    {"kube-apiserver-serving-clustertrustbundle-publisher-controller", "", true,
     "kube-apiserver-serving-clustertrustbundle-publisher", nullptr},
    {"legacy-serviceaccount-token-cleaner-controller", "legacy-service-account-token-cleaner", true,
     "legacy-service-account-token-cleaner", MakeLegacyTokenCleanerController},
    {"namespace-controller", "namespace", true, "namespace-controller", MakeNamespaceController, 20,
     100},
    {"node-ipam-controller", "nodeipam", true, "node-controller", nullptr},
    {"node-lifecycle-controller", "nodelifecycle", true, "node-controller", nullptr},
    {"node-route-controller", "route", false, "", nullptr},
    {"persistentvolume-attach-detach-controller", "attachdetach", true, "attachdetach-controller",
     nullptr},
    {"persistentvolume-binder-controller", "persistentvolume-binder", true,
     "persistent-volume-binder", nullptr},
    {"persistentvolume-expander-controller", "persistentvolume-expander", true, "expand-controller",
     nullptr},
    {"persistentvolume-protection-controller", "pv-protection", true, "pv-protection-controller",
     MakeVolumeProtectionController},
    {"persistentvolumeclaim-protection-controller", "pvc-protection", true,
     "pvc-protection-controller", MakeVolumeClaimProtectionController},
    {"pod-garbage-collector-controller", "podgc", true, "pod-garbage-collector",
     MakePodGcController},
    {"podcertificaterequest-cleaner-controller", "", true, "podcertificaterequestcleaner", nullptr},
    {"podgroup-protection-controller", "", true, "podgroup-protection-controller", nullptr},
    {"replicaset-controller", "replicaset", true, "replicaset-controller", nullptr},
    {"replicationcontroller-controller", "replicationcontroller", true, "replication-controller",
     nullptr},
    {"resourceclaim-controller", "resource-claim-controller", true, "resource-claim-controller",
     nullptr},
    {"resourcepoolstatusrequest-controller", "", true, "resourcepoolstatusrequest-controller",
     nullptr},
    {"resourcequota-controller", "resourcequota", true, "resourcequota-controller",
     MakeResourceQuotaController},
    {"root-ca-certificate-publisher-controller", "root-ca-cert-publisher", true,
     "root-ca-cert-publisher", MakeRootCaController},
    {"selinux-warning-controller", "", false, "selinux-warning-controller", nullptr},
    {"service-cidr-controller", "", true, "service-cidrs-controller", nullptr},
    {"service-lb-controller", "service", false, "", nullptr},
    {"serviceaccount-controller", "serviceaccount", true, "service-account-controller",
     MakeServiceAccountsController},
    {"serviceaccount-token-controller", "serviceaccount-token", true, "",
     MakeServiceAccountTokensController},
    {"statefulset-controller", "statefulset", true, "statefulset-controller", nullptr},
    {"storage-version-migrator-controller", "svm", true, "storage-version-migrator-controller",
     nullptr},
    {"storageversion-garbage-collector-controller", "storage-version-gc", true,
     "storage-version-garbage-collector", nullptr},
    {"taint-eviction-controller", "", true, "node-controller", nullptr},
    {"token-cleaner-controller", "tokencleaner", false, "token-cleaner",
     MakeTokenCleanerController},
    {"ttl-after-finished-controller", "ttl-after-finished", true, "ttl-after-finished-controller",
     MakeTtlAfterFinishedController},
    {"ttl-controller", "ttl", true, "ttl-controller", MakeTtlController},
    {"validatingadmissionpolicy-status-controller", "", true,
     "validatingadmissionpolicy-status-controller", MakeValidatingAdmissionPolicyStatusController},
    {"volumeattributesclass-protection-controller", "", true,
     "volumeattributesclass-protection-controller", MakeVolumeAttributesClassProtectionController},
};

}  // namespace

std::span<const ControllerSpec> AllControllers() { return kControllers; }

}  // namespace skiff::controllers
