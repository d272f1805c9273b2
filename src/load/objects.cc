#include "load/objects.h"

#include <algorithm>
#include <charconv>
#include <utility>

namespace skiff {
namespace {

constexpr std::string_view kNamePrefix = "bench-";
constexpr size_t kNameDigits = 10;
constexpr std::string_view kFiller = "All work and no play makes this a dull but lifelike value. ";

std::string Filler(size_t bytes) {
  std::string text;
  while (text.size() < bytes) text += kFiller.substr(0, bytes - text.size());
  return text;
}

std::string VariableName(size_t i) { return "SETTING_NUMBER_" + std::to_string(1000 + i); }

std::string Environment(size_t variables) {
  std::string out;
  for (size_t i = 0; i < variables; ++i) {
    out += i == 0 ? "" : ",";
    out += R"({"name":")" + VariableName(i) + R"(","value":"value-of-setting-)" +
           std::to_string(i * 7919) + R"("})";
  }
  return out;
}

std::string ManagedEnvironment(size_t variables) {
  std::string out = R"(".":{})";
  for (size_t i = 0; i < variables; ++i)
    out += R"(,"k:{\"name\":\")" + VariableName(i) + R"(\"}":{".":{},"f:name":{},"f:value":{}})";
  return out;
}

std::string Container(std::string_view name, std::string_view environment) {
  const std::string probe = R"({"httpGet":{"path":"/healthz","port":8080,"scheme":"HTTP"},)"
                            R"("initialDelaySeconds":5,"timeoutSeconds":2,"periodSeconds":10,)"
                            R"("successThreshold":1,"failureThreshold":3})";
  return R"({"name":")" + std::string(name) + R"(","image":"registry.example.com/team/)" +
         std::string(name) +
         R"(:v1.2.3","args":["--config=/etc/app/config.yaml","--v=2"],)"
         R"("ports":[{"name":"http","containerPort":8080,"protocol":"TCP"}],"env":[)" +
         std::string(environment) +
         R"(],"resources":{"limits":{"cpu":"500m","memory":"512Mi"},)"
         R"("requests":{"cpu":"100m","memory":"128Mi"}},"livenessProbe":)" +
         probe + R"(,"readinessProbe":)" + probe +
         R"(,"terminationMessagePath":"/dev/termination-log",)"
         R"("terminationMessagePolicy":"File","imagePullPolicy":"IfNotPresent"})";
}

std::string ManagedContainer(std::string_view name, std::string_view environment) {
  return R"("k:{\"name\":\")" + std::string(name) + R"(\"}":{".":{},"f:args":{},"f:env":{)" +
         std::string(environment) +
         R"(},"f:image":{},"f:imagePullPolicy":{},)"
         R"("f:livenessProbe":{".":{},"f:failureThreshold":{},"f:httpGet":{".":{},"f:path":{},)"
         R"("f:port":{},"f:scheme":{}}},"f:name":{},"f:ports":{".":{}},"f:resources":{".":{}}})";
}

// What follows the labels in the metadata of a pod, and the rest of it.
std::string PodRest(size_t variables) {
  const std::string environment = Environment(variables);
  const std::string managed = ManagedEnvironment(variables);
  return R"(,"annotations":{"checksum/config":")" + Filler(64) +
         R"("},"managedFields":[{"manager":"skiff-bench","operation":"Update","apiVersion":"v1",)"
         R"("time":"2024-01-01T00:00:00Z","fieldsType":"FieldsV1","fieldsV1":{"f:spec":)"
         R"({"f:containers":{)" +
         ManagedContainer("app", managed) + "," + ManagedContainer("sidecar", managed) +
         R"(},"f:schedulerName":{},"f:terminationGracePeriodSeconds":{}}}}]},)"
         R"("spec":{"containers":[)" +
         Container("app", environment) + "," + Container("sidecar", environment) +
         R"(],"restartPolicy":"Always","terminationGracePeriodSeconds":30,)"
         R"("dnsPolicy":"ClusterFirst","serviceAccountName":"default",)"
         R"("serviceAccount":"default","automountServiceAccountToken":false,)"
         R"("securityContext":{},"schedulerName":"nobody"}})";
}

std::string ConfigMapRest(size_t bytes) { return R"(},"data":{"text":")" + Filler(bytes) + "\"}}"; }

}  // namespace

std::string CollectionPath(LoadKind kind, std::string_view name_space) {
  return "/api/v1/namespaces/" + std::string(name_space) +
         (kind == LoadKind::kPod ? "/pods" : "/configmaps");
}

std::string LoadObjectName(uint64_t number) {
  const std::string digits = std::to_string(number);
  std::string name(kNamePrefix);
  name.append(kNameDigits - std::min(kNameDigits, digits.size()), '0');
  return name + digits;
}

bool FindLoadNumber(std::string_view json, uint64_t& number) {
  constexpr std::string_view kKey = "\"name\":\"bench-";
  const size_t at = json.find(kKey);
  if (at == std::string_view::npos) return false;
  const char* begin = json.data() + at + kKey.size();
  return std::from_chars(begin, json.data() + json.size(), number).ec == std::errc();
}

LoadObjects::LoadObjects(LoadKind kind, std::string name_space, std::string run, size_t bytes)
    : kind_(kind),
      name_space_(std::move(name_space)),
      run_(std::move(run)),
      collection_(CollectionPath(kind, name_space_)) {
  const size_t empty = Json(0, 0).size();
  if (kind == LoadKind::kConfigMap) {
    const size_t fixed = empty + ConfigMapRest(0).size();
    rest_ = ConfigMapRest(bytes > fixed ? bytes - fixed : 0);
    return;
  }
  const size_t fixed = empty + PodRest(0).size();
  const size_t each = (PodRest(100).size() - PodRest(0).size()) / 100;
  rest_ = PodRest(bytes > fixed ? (bytes - fixed) / each : 0);
}

std::string LoadObjects::Json(uint64_t number, uint64_t generation) const {
  std::string out = kind_ == LoadKind::kPod ? R"({"kind":"Pod")" : R"({"kind":"ConfigMap")";
  out += R"(,"apiVersion":"v1","metadata":{"name":")" + LoadObjectName(number) +
         R"(","namespace":")" + name_space_ + R"(","labels":{")";
  out.append(kLoadLabel).append(R"(":")").append(run_);
  out += R"(","generation":"g)" + std::to_string(generation) + "\"}";
  return out + rest_;
}

}  // namespace skiff
