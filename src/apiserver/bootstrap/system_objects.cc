#include "apiserver/bootstrap/system_objects.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "object/scalar/time.h"
#include "views/networking.k8s.io/v1.h"

namespace skiff::apiserver {
namespace {

namespace networking = views::networking_k8s_io_v1;

constexpr std::string_view kNamespaces[] = {"kube-system", "kube-public", "kube-node-lease",
                                            "default"};

std::string TimeText(object::Timestamp time) {
  std::string out;
  object::AppendTime(time, out);
  return out;
}

std::string RangesJson(std::span<const IpRange> ranges) {
  std::string out;
  for (const IpRange& range : ranges) {
    out += (out.empty() ? "[\"" : ",\"") + range.ToString() + "\"";
  }
  return out + "]";
}

// Where the versions of the built-in groups stand among all groups. A version that is not here gets
// no APIService, so that a custom resource may have its name.
struct Priority {
  std::string_view group;
  std::string_view version;
  int group_minimum;
  int version_priority;
};
constexpr Priority kPriorities[] = {
    {"", "v1", 18000, 1},
    {"apps", "v1", 17800, 15},
    {"events.k8s.io", "v1", 17750, 15},
    {"events.k8s.io", "v1beta1", 17750, 5},
    {"authentication.k8s.io", "v1", 17700, 15},
    {"authentication.k8s.io", "v1beta1", 17700, 9},
    {"authentication.k8s.io", "v1alpha1", 17700, 1},
    {"authorization.k8s.io", "v1", 17600, 15},
    {"autoscaling", "v2", 17500, 30},
    {"autoscaling", "v1", 17500, 15},
    {"batch", "v1", 17400, 15},
    {"batch", "v1beta1", 17400, 9},
    {"certificates.k8s.io", "v1", 17300, 15},
    {"certificates.k8s.io", "v1beta1", 17300, 9},
    {"certificates.k8s.io", "v1alpha1", 17300, 1},
    {"networking.k8s.io", "v1", 17200, 15},
    {"networking.k8s.io", "v1beta1", 17200, 9},
    {"policy", "v1", 17100, 15},
    {"policy", "v1beta1", 17100, 9},
    {"rbac.authorization.k8s.io", "v1", 17000, 15},
    {"storage.k8s.io", "v1", 16800, 15},
    {"storage.k8s.io", "v1beta1", 16800, 9},
    {"storage.k8s.io", "v1alpha1", 16800, 1},
    {"apiextensions.k8s.io", "v1", 16700, 15},
    {"admissionregistration.k8s.io", "v1", 16700, 15},
    {"admissionregistration.k8s.io", "v1beta1", 16700, 12},
    {"admissionregistration.k8s.io", "v1alpha1", 16700, 9},
    {"scheduling.k8s.io", "v1", 16600, 15},
    {"scheduling.k8s.io", "v1alpha2", 16600, 2},
    {"coordination.k8s.io", "v1", 16500, 15},
    {"coordination.k8s.io", "v1beta1", 16500, 13},
    {"coordination.k8s.io", "v1alpha2", 16500, 12},
    {"node.k8s.io", "v1", 16300, 15},
    {"node.k8s.io", "v1beta1", 16300, 9},
    {"node.k8s.io", "v1alpha1", 16300, 1},
    {"resource.k8s.io", "v1", 16200, 21},
    {"resource.k8s.io", "v1beta2", 16200, 15},
    {"resource.k8s.io", "v1beta1", 16200, 9},
    {"resource.k8s.io", "v1alpha3", 16200, 1},
    {"discovery.k8s.io", "v1", 16200, 15},
    {"discovery.k8s.io", "v1beta1", 16200, 12},
    {"flowcontrol.apiserver.k8s.io", "v1", 16100, 21},
    {"flowcontrol.apiserver.k8s.io", "v1beta3", 16100, 18},
    {"internal.apiserver.k8s.io", "v1alpha1", 16000, 9},
    {"storagemigration.k8s.io", "v1beta1", 15800, 9},
};

constexpr std::string_view kManagedLabel = "kube-aggregator.kubernetes.io/automanaged";
constexpr std::string_view kOnStart = "onstart";

std::string ApiServiceName(const Priority& priority) {
  return std::string(priority.version).append(".").append(priority.group);
}

bool IsServed(const Priority& priority, const ServedResources& served) {
  return served.FindVersion(priority.group, priority.version) != nullptr;
}

WantedObject ApiService(const Priority& priority, const std::string& now) {
  const std::string spec =
      "{" + (priority.group.empty() ? "" : "\"group\":\"" + std::string(priority.group) + "\",") +
      "\"version\":\"" + std::string(priority.version) +
      "\",\"groupPriorityMinimum\":" + std::to_string(priority.group_minimum) +
      ",\"versionPriority\":" + std::to_string(priority.version_priority) + "}";
  const std::string json =
      R"({"metadata":{"name":")" + ApiServiceName(priority) + R"(","labels":{")" +
      std::string(kManagedLabel) + R"(":")" + std::string(kOnStart) + R"("}},"spec":)" + spec +
      R"(,"status":{"conditions":[{"type":"Available","status":"True","lastTransitionTime":")" +
      now + R"(","reason":"Local","message":"Local APIServices are always available"}]}})";
  WantedObject out = Wanted("apiregistration.k8s.io", "v1", "apiservices", json);
  // Whoever takes the label away manages the object himself.
  out.repair =
      [wanted = std::make_shared<object::Document>(out.object.Copy())](object::Document& object) {
        const object::Value* labels = object.root().FindPath({"metadata", "labels"});
        if (labels == nullptr || labels->Find(kManagedLabel) == nullptr) return;
        object.root().Set(object.arena(), "spec",
                          wanted->root().Find("spec")->CopyInto(object.arena()));
      };
  return out;
}

}  // namespace

std::vector<WantedObject> SystemNamespaces() {
  std::vector<WantedObject> out;
  for (const std::string_view name : kNamespaces) {
    out.push_back(Wanted(
        "", "v1", "namespaces",
        R"({"metadata":{"name":")" + std::string(name) + R"("},"status":{"phase":"Active"}})"));
  }
  return out;
}

std::vector<WantedObject> SystemPriorityClasses() {
  const auto make = [](std::string_view name, int value, std::string_view description) {
    return Wanted("scheduling.k8s.io", "v1", "priorityclasses",
                  R"({"metadata":{"name":")" + std::string(name) + R"("},"value":)" +
                      std::to_string(value) + R"(,"description":")" + std::string(description) +
                      R"(","preemptionPolicy":"PreemptLowerPriority"})");
  };
  std::vector<WantedObject> out;
  out.push_back(make("system-node-critical", 2000001000,
                     "Used for system critical pods that must not be moved from their current "
                     "node."));
  out.push_back(make("system-cluster-critical", 2000000000,
                     "Used for system critical pods that must run in the cluster, but can be moved "
                     "to another node if necessary."));
  return out;
}

WantedObject DefaultServiceCidr(std::span<const IpRange> ranges, object::Timestamp now) {
  const std::string ready =
      R"({"type":"Ready","status":"True","lastTransitionTime":")" + TimeText(now) +
      R"(","reason":"","message":"Kubernetes default Service CIDR is ready"})";
  WantedObject out =
      Wanted("networking.k8s.io", "v1", "servicecidrs",
             R"({"metadata":{"name":"kubernetes"},"spec":{"cidrs":)" + RangesJson(ranges) +
                 R"(},"status":{"conditions":[)" + ready + "]}}");
  out.repair =
      [wanted = std::make_shared<object::Document>(out.object.Copy())](object::Document& object) {
        const networking::ServiceCIDR want(*wanted);
        const networking::ServiceCIDR have(object);
        if (have.spec().cidrs().size() == 1 && want.spec().cidrs().size() == 2 &&
            have.spec().cidrs()[0] == want.spec().cidrs()[0]) {
          networking::MutableServiceCIDR(object).mutable_spec().add_cidrs(want.spec().cidrs()[1]);
        }
        if (!object::DeepEqual(*wanted->root().Find("spec"), *object.root().Find("spec"))) return;
        if (object.root().FindPath({"metadata", "deletionTimestamp"}) != nullptr) return;
        for (const auto condition : have.status().conditions()) {
          if (condition.type() == "Ready" && condition.status() != "Unknown") return;
        }
        object.root().Set(object.arena(), "status",
                          wanted->root().Find("status")->CopyInto(object.arena()));
      };
  return out;
}

WantedObject KubernetesService(const IpRange& range, uint16_t secure_port, int32_t node_port) {
  const std::string address = range.At(1).value_or(range.base()).ToString();
  std::string port =
      R"({"name":"https","protocol":"TCP","port":443,"targetPort":)" + std::to_string(secure_port);
  if (node_port != 0) port += ",\"nodePort\":" + std::to_string(node_port);
  const std::string type =
      node_port != 0 ? R"("NodePort","externalTrafficPolicy":"Cluster")" : R"("ClusterIP")";
  return Wanted("", "v1", "services",
                R"({"metadata":{"name":"kubernetes","namespace":"default","labels":
                    {"component":"apiserver","provider":"kubernetes"}},"spec":{"ports":[)" +
                    port + R"(}],"clusterIP":")" + address + R"(","type":)" + type +
                    R"(,"sessionAffinity":"None","ipFamilyPolicy":"SingleStack",
                    "internalTrafficPolicy":"Cluster"}})");
}

std::vector<WantedObject> ApiServices(const ServedResources& served, object::Timestamp now) {
  std::vector<WantedObject> out;
  const std::string time = TimeText(now);
  for (const Priority& each : kPriorities) {
    if (IsServed(each, served)) out.push_back(ApiService(each, time));
  }
  return out;
}

std::vector<std::string> ApiServiceNames(const ServedResources& served) {
  std::vector<std::string> out;
  if (served.FindResource("apiregistration.k8s.io", "v1", "apiservices") == nullptr) return out;
  for (const Priority& each : kPriorities) {
    if (IsServed(each, served)) out.push_back(ApiServiceName(each));
  }
  return out;
}

bool IsStaleApiService(const object::Document& api_service, const ServedResources& served) {
  const object::Value* labels = api_service.root().FindPath({"metadata", "labels"});
  const object::Value* label = labels != nullptr ? labels->Find(kManagedLabel) : nullptr;
  if (label == nullptr || !label->is_string() || label->AsText() != kOnStart) return false;
  const object::Value* name = api_service.root().FindPath({"metadata", "name"});
  return name != nullptr && std::ranges::none_of(kPriorities, [&](const Priority& each) {
           return name->AsText() == ApiServiceName(each) && IsServed(each, served);
         });
}

}  // namespace skiff::apiserver
