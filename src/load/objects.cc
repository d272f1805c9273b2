#include "load/objects.h"

#include <algorithm>
#include <cassert>
#include <charconv>
#include <utility>

#include "base/strings.h"

namespace skiff::load {
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

std::string Head(LoadKind kind) {
  return std::string(R"({"kind":")") + (kind == LoadKind::kPod ? "Pod" : "ConfigMap") +
         R"(","apiVersion":"v1","metadata":{"name":"${name}","namespace":"${namespace}",)"
         R"("labels":{")" +
         std::string(kLoadLabel) + R"(":"${run}","generation":"${generation}"})";
}

}  // namespace

std::string CollectionPath(LoadKind kind, std::string_view name_space) {
  return "/api/v1/namespaces/" + std::string(name_space) +
         (kind == LoadKind::kPod ? "/pods" : "/configmaps");
}

std::string CollectionPath(std::string_view resource, std::string_view name_space) {
  const size_t slash = resource.rfind('/');
  if (slash == std::string_view::npos || std::ranges::count(resource, '/') != 2) return {};
  for (const char c : resource) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' || c == '-';
    if (!plain && c != '/') return {};
  }
  return "/apis/" + std::string(resource.substr(0, slash)) + "/namespaces/" +
         std::string(name_space) + std::string(resource.substr(slash));
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
    : LoadObjects(CollectionPath(kind, name_space)) {
  const std::string head = Head(kind);
  const size_t names = head.size() + name_space.size() + run.size();
  std::string rest;
  if (kind == LoadKind::kConfigMap) {
    const size_t fixed = names + ConfigMapRest(0).size();
    rest = ConfigMapRest(bytes > fixed ? bytes - fixed : 0);
  } else {
    const size_t fixed = names + PodRest(0).size();
    const size_t each = (PodRest(100).size() - PodRest(0).size()) / 100;
    rest = PodRest(bytes > fixed ? (bytes - fixed) / each : 0);
  }
  [[maybe_unused]] const Result<void> parsed = Parse(head + rest, name_space, run);
  assert(parsed);
}

Result<LoadObjects> LoadObjects::OfTemplate(std::string collection, std::string name_space,
                                            std::string run, std::string_view text) {
  LoadObjects objects(std::move(collection));
  SKIFF_RETURN_IF_ERROR(objects.Parse(text, name_space, run));
  return objects;
}

Result<void> LoadObjects::Parse(std::string_view text, const std::string& name_space,
                                const std::string& run) {
  bool has_name = false, has_namespace = false, has_run = false;
  pieces_.emplace_back();
  while (!text.empty()) {
    const size_t at = text.find("${");
    pieces_.back().text += text.substr(0, at);
    if (at == std::string_view::npos) break;
    const size_t end = text.find('}', at);
    const std::string_view word =
        end == std::string_view::npos ? text.substr(at) : text.substr(at, end + 1 - at);
    if (word == "${namespace}") {
      has_namespace = true;
      pieces_.back().text += name_space;
    } else if (word == "${run}") {
      has_run = true;
      pieces_.back().text += run;
    } else if (word == "${name}" || word == "${generation}") {
      has_name |= word == "${name}";
      pieces_.push_back({word == "${name}" ? Piece::Kind::kName : Piece::Kind::kGeneration});
      pieces_.emplace_back();
    } else {
      return BadRequest("the template has an unknown placeholder " + Quoted(word));
    }
    text.remove_prefix(at + word.size());
  }
  if (has_name && has_namespace && has_run) return {};
  return BadRequest("the template must have ${name}, ${namespace}, and a label \"" +
                    std::string(kLoadLabel) + "\": \"${run}\"");
}

std::string LoadObjects::Json(uint64_t number, uint64_t generation) const {
  std::string out;
  for (const Piece& piece : pieces_) {
    switch (piece.kind) {
      case Piece::Kind::kText:
        out += piece.text;
        break;
      case Piece::Kind::kName:
        out += LoadObjectName(number);
        break;
      case Piece::Kind::kGeneration:
        out += "g" + std::to_string(generation);
        break;
    }
  }
  return out;
}

}  // namespace skiff::load
