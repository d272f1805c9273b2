#include "apiserver/tables/column_descriptions.h"

#include <algorithm>
#include <iterator>

namespace skiff::apiserver {
namespace {

struct Description {
  std::string_view column;
  std::string_view text;
};

// By column, in order.
constexpr Description kDescriptions[] = {
    {"Access Modes", "In which ways the volume can be mounted."},
    {"Active", "Number of jobs that are running."},
    {"Address", "Addresses of the load balancer in front."},
    {"AddressType", "Kind of the addresses: IPv4, IPv6 or FQDN."},
    {"Age", "Time since the object was created."},
    {"Allocated", "Devices of all pools that are in use."},
    {"AllowVolumeExpansion", "Whether volumes of the class can grow."},
    {"Allowed Disruptions", "Number of pods that may be evicted now."},
    {"AttachRequired", "Whether volumes must be attached before they are mounted."},
    {"Attached", "Whether the volume is attached to the node."},
    {"Attacher", "Driver that attaches and detaches the volume."},
    {"Available", "Number of replicas that have been ready for long enough."},
    {"BinaryVersion", "Version of the candidate's program."},
    {"CIDRs", "Ranges that cluster IPs of services are taken from."},
    {"Capacity", "Size of the volume."},
    {"Claim", "Claim that the volume is bound to."},
    {"Class", "Ingress class that serves it."},
    {"Cluster-IP", "First address of the service inside the cluster."},
    {"CommonEncodingVersion", "Version that all API servers store the resource in."},
    {"Completed", "Time since the request was answered."},
    {"Completions", "Pods that have succeeded, of those that should."},
    {"Condition", "Whether the request is approved, denied, failed or issued."},
    {"Container-Runtime", "Container runtime and its version."},
    {"Containers", "Names of the containers."},
    {"Count", "How often the event occurred."},
    {"Created At", "When the object was created."},
    {"Current", "Number of replicas that exist."},
    {"Data", "Number of entries."},
    {"Desired", "Number of replicas that are wanted."},
    {"DistinguisherMethod", "How requests are told apart into flows."},
    {"Driver", "Name of the driver."},
    {"DriverName", "Name of the driver."},
    {"Drivers", "Number of drivers that run on the node."},
    {"Duration", "How long the job has run, or ran."},
    {"Effect", "What the taint does to pods that do not tolerate it."},
    {"EmulationVersion", "Version that the candidate behaves like."},
    {"Endpoints", "First addresses behind the service."},
    {"Error", "What is wrong with the component."},
    {"Errors", "Number of pools whose slices are not valid."},
    {"External-IP", "Addresses from outside the cluster."},
    {"First Seen", "Time since the event first occurred."},
    {"Global-Default", "Whether pods that name no class get this one."},
    {"Groups", "Groups that get the role."},
    {"HandSize", "Queues from which a flow's request takes the shortest."},
    {"Handler", "Name of the configuration in the container runtime."},
    {"Holder", "Who holds the lease."},
    {"Hosts", "First host names that rules exist for."},
    {"IP", "Address of the pod."},
    {"Images", "Images of the containers."},
    {"Internal-IP", "Address of the node inside the cluster."},
    {"Kernel-Version", "Version of the kernel, and the architecture."},
    {"Key", "Key of the taint."},
    {"Last Schedule", "Time since a job was last started."},
    {"Last Seen", "Time since the event last occurred."},
    {"LeaseName", "Lease that the candidate competes for."},
    {"Limit", "Limits in use, of those that the quota allows."},
    {"MatchingPrecedence", "Schemas with smaller numbers are tried first."},
    {"Max Unavailable", "Pods that may be missing, as a number or a share."},
    {"MaxPods", "Most replicas that are scaled to."},
    {"Message", "The message, for people."},
    {"Min Available", "Pods that must be left, as a number or a share."},
    {"MinPods", "Fewest replicas that are scaled to."},
    {"MissingPL", "Whether the priority level does not exist."},
    {"Modes", "Volume lifecycle modes that the driver knows."},
    {"Mutations", "Number of mutations."},
    {"Name", "Name of the object, unique among those of its resource and namespace."},
    {"Node", "Name of the node."},
    {"Node Selector", "Labels of the nodes that get a pod."},
    {"NodeName", "Node of the pod."},
    {"NominalConcurrencyShares", "Share of the server's concurrent requests."},
    {"Nominated Node", "Node where room is made for the pod."},
    {"OS-Image", "Operating system of the node."},
    {"Object", "What the event is about."},
    {"PV", "Volume to be attached."},
    {"ParamKind", "Kind of the policy's parameters."},
    {"ParamRef", "Object that has the policy's parameters."},
    {"Parameters", "Object that has further settings of the class."},
    {"ParentRef", "Object that the address belongs to."},
    {"Pod Labels", "Labels of the pods."},
    {"Pod-Selector", "Pods that the policy holds for."},
    {"PodInfoOnMount", "Whether the driver is told of the pod when it mounts."},
    {"PodName", "Pod that the certificate is for."},
    {"Policy", "How the pods of the group are scheduled."},
    {"PolicyName", "Policy that is bound."},
    {"Pool", "Pool that the devices are in."},
    {"Pools", "Number of pools that match."},
    {"Port(s)", "Ports of the service, with those on the nodes."},
    {"Ports", "Ports that are open."},
    {"PreemptionPolicy", "Whether pods of the class may displace others."},
    {"PriorityLevel", "Priority level of matching requests."},
    {"Provisioner", "Driver that makes the volumes."},
    {"QueueLengthLimit", "Requests that may wait in one queue."},
    {"Queues", "Number of queues."},
    {"Readiness Gates", "Gates that have passed, of all."},
    {"Ready", "Number of replicas that are ready."},
    {"Reason", "The reason, in a word."},
    {"Reclaim Policy", "What becomes of the volume when its claim is gone."},
    {"ReclaimPolicy", "What becomes of volumes when their claims are gone."},
    {"Reference", "What is scaled."},
    {"Replicas", "Number of replicas at present."},
    {"Request", "Requests and counts in use, of those that the quota allows."},
    {"RequestedDuration", "How long the certificate is asked to be valid."},
    {"Requestor", "Who made the request."},
    {"RequiresRepublish", "Whether volumes are published again from time to time."},
    {"Resource", "Resource whose objects are written again."},
    {"Restarts", "How often containers were restarted, and how long ago the last time."},
    {"Revision", "Number of the revision."},
    {"Role", "Role that is bound."},
    {"Roles", "Roles that the node's labels tell of."},
    {"Schedule", "When jobs start, as a cron expression."},
    {"Selector", "Labels of the pods that belong to it."},
    {"Service", "Service that answers, or Local."},
    {"ServiceAccountName", "Service account of the pod."},
    {"ServiceAccounts", "Service accounts that get the role."},
    {"SignerName", "Signer that is asked."},
    {"Source", "Component that reported the event, and where."},
    {"State", "State of the request."},
    {"Status", "State in a word."},
    {"StorageCapacity", "Whether the scheduler looks at the driver's free capacity."},
    {"StorageClass", "Storage class of the volume."},
    {"StorageVersions", "Versions that the API servers store the resource in."},
    {"Subobject", "Part of the object that the event is about."},
    {"Suspend", "Whether no jobs are started."},
    {"Targets", "Metrics as they are and as they should be."},
    {"TimeAdded", "Time since the taint was added."},
    {"Timezone", "Time zone of the schedule."},
    {"TokenRequests", "Audiences of the tokens that the driver gets."},
    {"Total", "Devices of all pools."},
    {"Type", "The type."},
    {"Unavailable", "Devices of all pools that cannot be used."},
    {"UnverifiedUserAnnotations", "What the requestor adds for the signer."},
    {"Up-to-date", "Number of replicas that are as the template has it."},
    {"Users", "Users that get the role."},
    {"Validations", "Number of validations."},
    {"Value", "The value."},
    {"Version", "Version of the kubelet."},
    {"Volume", "Volume that the claim is bound to."},
    {"VolumeAttributesClass", "Class of the volume's attributes."},
    {"VolumeBindingMode", "Whether volumes are bound at once or when a pod needs them."},
    {"VolumeMode", "Whether the volume is a file system or a block device."},
    {"Webhooks", "Number of webhooks."},
    {"Workload", "Workload that the group belongs to."},
};

// Of columns that mean something else, or something more definite, in one kind.
constexpr Description kOfKinds[] = {
    {"APIService/Available", "Whether the service answers, and if not, why."},
    {"ControllerRevision/Controller", "Object that keeps the revision."},
    {"DaemonSet/Current", "Number of nodes that run a pod."},
    {"DaemonSet/Desired", "Number of nodes that should run a pod."},
    {"Deployment/Ready", "Replicas that are ready, of those wanted."},
    {"IngressClass/Controller", "Controller that serves ingresses of the class."},
    {"Node/External-IP", "Address of the node from outside the cluster."},
    {"Pod/Ready", "Containers that are ready, of all."},
    {"PriorityClass/Value", "Priority of the class's pods."},
    {"ResourceClaim/State", "Whether devices are allocated, and reserved for somebody."},
    {"ResourcePoolStatusRequest/Available", "Devices of all pools that are free."},
    {"Secret/Type", "What the secret is for."},
    {"Service/Type", "How the service is reached."},
    {"StatefulSet/Ready", "Replicas that are ready, of those wanted."},
};

constexpr auto kByColumn = [](const Description& one, std::string_view column) {
  return one.column < column;
};
static_assert(std::is_sorted(std::begin(kDescriptions), std::end(kDescriptions),
                             [](const auto& a, const auto& b) { return a.column < b.column; }));

}  // namespace

std::string_view ColumnDescription(std::string_view kind, std::string_view column) {
  for (const Description& one : kOfKinds) {
    const size_t slash = one.column.find('/');
    if (one.column.substr(0, slash) == kind && one.column.substr(slash + 1) == column) {
      return one.text;
    }
  }
  const auto* const found =
      std::lower_bound(std::begin(kDescriptions), std::end(kDescriptions), column, kByColumn);
  const bool known = found != std::end(kDescriptions) && found->column == column;
  return known ? found->text : std::string_view();
}

}  // namespace skiff::apiserver
