#include "apiserver/bootstrap/flow_control_objects.h"

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "apiserver/rest/object_meta.h"

namespace skiff::apiserver {
namespace {

constexpr std::string_view kGroup = "flowcontrol.apiserver.k8s.io";
constexpr std::string_view kAutoUpdate = "apf.kubernetes.io/autoupdate-spec";

// Mandatory ones are kept as they are here; the others are suggestions, which an administrator may
// change.
struct PriorityLevel {
  std::string_view name;
  bool mandatory;
  int shares;
  int lendable_percent;
  // Zero queues: what is too much is refused.
  int queues;
  int hand_size;
};
constexpr PriorityLevel kLevels[] = {
    {"catch-all", true, 5, 0, 0, 0},          {"global-default", false, 20, 50, 128, 6},
    {"leader-election", false, 10, 0, 16, 4}, {"node-high", false, 40, 25, 64, 6},
    {"system", false, 30, 33, 64, 6},         {"workload-high", false, 40, 50, 128, 6},
    {"workload-low", false, 100, 90, 128, 6},
};
constexpr int kQueueLengthLimit = 50;

// "g:" a group, "u:" a user, "s:" all service accounts of a namespace; separated by spaces.
struct FlowSchema {
  std::string_view name;
  bool mandatory;
  std::string_view level;
  int precedence;
  std::string_view distinguisher;  // empty: all requests are one flow
  std::string_view subjects;
  std::string_view rules;  // empty: everything
};
constexpr std::string_view kEverybody = "g:system:unauthenticated g:system:authenticated";
constexpr std::string_view kAllRules =
    R"("resourceRules":[{"verbs":["*"],"apiGroups":["*"],"resources":["*"],"clusterScope":true,
    "namespaces":["*"]}],"nonResourceRules":[{"verbs":["*"],"nonResourceURLs":["*"]}])";
constexpr FlowSchema kSchemas[] = {
    {"exempt", true, "exempt", 1, "", "g:system:masters", ""},
    {"catch-all", true, "catch-all", 10000, "ByUser", kEverybody, ""},
    {"probes", false, "exempt", 2, "", kEverybody,
     R"("nonResourceRules":[{"verbs":["get"],"nonResourceURLs":["/healthz","/readyz","/livez"]}])"},
    {"system-leader-election", false, "leader-election", 100, "ByUser",
     "u:system:kube-controller-manager u:system:kube-scheduler s:kube-system",
     R"("resourceRules":[{"verbs":["get","create","update"],"apiGroups":["coordination.k8s.io"],
     "resources":["leases"],"namespaces":["*"]}])"},
    {"system-node-high", false, "node-high", 400, "ByUser", "g:system:nodes",
     R"("resourceRules":[{"verbs":["*"],"apiGroups":[""],"resources":["nodes","nodes/status"],
     "clusterScope":true,"namespaces":["*"]},{"verbs":["*"],"apiGroups":["coordination.k8s.io"],
     "resources":["leases"],"namespaces":["*"]}])"},
    {"system-nodes", false, "system", 500, "ByUser", "g:system:nodes", ""},
    {"kube-controller-manager", false, "workload-high", 800, "ByNamespace",
     "u:system:kube-controller-manager", ""},
    {"kube-scheduler", false, "workload-high", 800, "ByNamespace", "u:system:kube-scheduler", ""},
    {"kube-system-service-accounts", false, "workload-high", 900, "ByNamespace", "s:kube-system",
     ""},
    {"service-accounts", false, "workload-low", 9000, "ByUser", "g:system:serviceaccounts", ""},
    {"global-default", false, "global-default", 9900, "ByUser", kEverybody, ""},
};

std::string Text(std::string_view text) { return "\"" + std::string(text) + "\""; }

std::string MetadataJson(std::string_view name) {
  return R"("metadata":{"name":)" + Text(name) + R"(,"annotations":{)" + Text(kAutoUpdate) +
         R"(:"true"}})";
}

std::string LevelJson(const PriorityLevel& level) {
  std::string response = R"({"type":"Reject"})";
  if (level.queues != 0) {
    response = R"({"type":"Queue","queuing":{"queues":)" + std::to_string(level.queues) +
               R"(,"handSize":)" + std::to_string(level.hand_size) + R"(,"queueLengthLimit":)" +
               std::to_string(kQueueLengthLimit) + "}}";
  }
  return "{" + MetadataJson(level.name) +
         R"(,"spec":{"type":"Limited","limited":{"nominalConcurrencyShares":)" +
         std::to_string(level.shares) + R"(,"limitResponse":)" + response +
         R"(,"lendablePercent":)" + std::to_string(level.lendable_percent) + "}}}";
}

std::string SubjectsJson(std::string_view subjects) {
  std::string out;
  while (!subjects.empty()) {
    const std::string_view each = subjects.substr(0, subjects.find(' '));
    subjects.remove_prefix(std::min(subjects.size(), each.size() + 1));
    const std::string name = Text(each.substr(2));
    if (!out.empty()) out += ',';
    switch (each.front()) {
      case 'g':
        out += R"({"kind":"Group","group":{"name":)" + name + "}}";
        break;
      case 'u':
        out += R"({"kind":"User","user":{"name":)" + name + "}}";
        break;
      default:
        out += R"({"kind":"ServiceAccount","serviceAccount":{"namespace":)" + name +
               R"(,"name":"*"}})";
    }
  }
  return "[" + out + "]";
}

std::string SchemaJson(const FlowSchema& schema, object::Timestamp now) {
  std::string time;
  object::AppendTime(now, time);
  std::string out = "{" + MetadataJson(schema.name) +
                    R"(,"spec":{"priorityLevelConfiguration":{"name":)" + Text(schema.level) +
                    R"(},"matchingPrecedence":)" + std::to_string(schema.precedence);
  if (!schema.distinguisher.empty()) {
    out += R"(,"distinguisherMethod":{"type":)" + Text(schema.distinguisher) + "}";
  }
  out += R"(,"rules":[{"subjects":)" + SubjectsJson(schema.subjects) + "," +
         std::string(schema.rules.empty() ? kAllRules : schema.rules) + "}]}";
  return out + R"(,"status":{"conditions":[{"type":"Dangling","status":"False",)" +
         R"("lastTransitionTime":")" + time +
         R"(","reason":"Found","message":"This FlowSchema references the )" +
         R"(PriorityLevelConfiguration object named \")" + std::string(schema.level) +
         R"(\" and it exists"}]}})";
}

// Whether an object is kept as this program has it: by its annotation, or, without one, if nobody
// has changed it since it was made.
bool FollowsProgram(object::Document& object) {
  const object::Value* annotation =
      object.root().FindPath({"metadata", "annotations", kAutoUpdate});
  if (annotation != nullptr && annotation->is_string()) {
    if (annotation->AsText() == "true") return true;
    if (annotation->AsText() == "false") return false;
  }
  return MetaOf(object).generation() == 1;
}

void SetAutoUpdate(object::Document& object, bool on) {
  object::Value& meta = MetaOf(object).value();
  object::Value* annotations = meta.Find("annotations");
  if (annotations == nullptr) {
    annotations = &meta.Set(object.arena(), "annotations", object::Value::EmptyMap());
  }
  annotations->Set(object.arena(), kAutoUpdate, object::Value::String(on ? "true" : "false"));
}

WantedObject Make(std::string_view resource, const std::string& json, bool mandatory) {
  WantedObject out = Wanted(kGroup, "v1", resource, json);
  out.repair = [wanted = std::make_shared<object::Document>(out.object.Copy()),
                mandatory](object::Document& object) {
    const bool follows = mandatory || FollowsProgram(object);
    SetAutoUpdate(object, follows);
    if (!follows) return;
    object.root().Set(object.arena(), "spec",
                      wanted->root().Find("spec")->CopyInto(object.arena()));
  };
  return out;
}

}  // namespace

std::vector<WantedObject> FlowControlObjects(object::Timestamp now) {
  std::vector<WantedObject> out;
  constexpr std::string_view kLevelsResource = "prioritylevelconfigurations";
  out.push_back(Make(kLevelsResource,
                     "{" + MetadataJson("exempt") +
                         R"(,"spec":{"type":"Exempt","exempt":{"nominalConcurrencyShares":0,)" +
                         R"("lendablePercent":0}}})",
                     true));
  for (const PriorityLevel& level : kLevels) {
    out.push_back(Make(kLevelsResource, LevelJson(level), level.mandatory));
  }
  for (const FlowSchema& schema : kSchemas) {
    out.push_back(Make("flowschemas", SchemaJson(schema, now), schema.mandatory));
  }
  return out;
}

}  // namespace skiff::apiserver
