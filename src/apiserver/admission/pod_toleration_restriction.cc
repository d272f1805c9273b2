// PodTolerationRestriction: the pods of a namespace get the tolerations that its annotation says,
// and may have only those that another annotation allows; the configuration has both for namespaces
// without. Pods that ask for resources also tolerate nodes that are short of memory.
#include "apiserver/admission/config_file.h"
#include "apiserver/admission/lookups.h"
#include "apiserver/admission/plugins.h"
#include "apiserver/admission/request.h"
#include "apiserver/admission/tolerations.h"
#include "object/json/decode.h"
#include "object/scalar/quantity.h"
#include "views/core/v1.h"

namespace skiff::apiserver {
namespace {

namespace core = views::core_v1;

constexpr std::string_view kDefaults = "scheduler.alpha.kubernetes.io/defaultTolerations";
constexpr std::string_view kAllowed = "scheduler.alpha.kubernetes.io/tolerationsWhitelist";
constexpr std::string_view kConfigVersion = "podtolerationrestriction.admission.k8s.io/v1alpha1";

using Tolerations = std::vector<PodToleration>;

// Nothing: the annotation is not there. An empty one is an empty list.
using MaybeTolerations = Result<std::optional<Tolerations>>;

MaybeTolerations ParseAnnotation(const core::Namespace& read, std::string_view annotation) {
  const auto text = read.metadata().annotations().Find(annotation);
  if (!text) return std::nullopt;
  if (text->empty()) return Tolerations();
  // Decoded as the tolerations of a pod, so that a list of anything else is refused.
  const std::string pod = R"({"spec":{"tolerations":)" + std::string(*text) + "}}";
  SKIFF_ASSIGN_OR_RETURN(const object::Document document,
                         object::DecodeJson(pod, core::Pod::Type()));
  return ReadTolerations(core::Pod(document).spec().tolerations());
}

struct NamespaceTolerations {
  explicit NamespaceTolerations(object::Document& document)
      : defaults(ParseAnnotation(core::Namespace(document), kDefaults)),
        allowed(ParseAnnotation(core::Namespace(document), kAllowed)) {}
  MaybeTolerations defaults;
  MaybeTolerations allowed;
};

template <typename Amounts>
bool AsksFor(const Amounts& amounts) {
  for (const auto& [name, amount] : amounts) {
    if (name != "cpu" && name != "memory") continue;
    const Result<object::Quantity> parsed = object::Quantity::Parse(amount);
    if (parsed && !parsed->IsZero()) return true;
  }
  return false;
}

bool AsksFor(const core::ResourceRequirements& resources) {
  return AsksFor(resources.requests()) || AsksFor(resources.limits());
}

bool IsBestEffort(const core::PodSpec& spec) {
  if (AsksFor(spec.resources())) return false;
  for (const core::Container each : spec.containers()) {
    if (AsksFor(each.resources())) return false;
  }
  for (const core::Container each : spec.init_containers()) {
    if (AsksFor(each.resources())) return false;
  }
  return true;
}

class PodTolerationRestriction final : public AdmissionPlugin {
 public:
  PodTolerationRestriction(ResourceStorage* namespaces, Tolerations defaults, Tolerations allowed)
      : namespaces_(namespaces), defaults_(std::move(defaults)), allowed_(std::move(allowed)) {}

  Result<void> Mutate(AdmissionRequest& request) override {
    if (!WritesPod(request)) return {};
    Tolerations extra;
    if (Creates(request)) {
      SKIFF_ASSIGN_OR_RETURN(
          extra, Of(request, &NamespaceTolerations::defaults, defaults_, /*scope=*/nullptr));
    }
    const core::PodSpec spec = core::Pod(*request.object).spec();
    if (!IsBestEffort(spec)) {
      extra.push_back({"node.kubernetes.io/memory-pressure", "Exists", "", "NoSchedule", {}});
    }
    if (!extra.empty()) {
      SetTolerations(*request.object, MergeTolerations(ReadTolerations(spec.tolerations()), extra));
    }
    return Validate(request);
  }

  Result<void> Validate(AdmissionRequest& request) override {
    if (!WritesPod(request)) return {};
    const Tolerations given = ReadTolerations(core::Pod(*request.object).spec().tolerations());
    if (given.empty()) return {};
    std::string_view scope;
    SKIFF_ASSIGN_OR_RETURN(const Tolerations allowed,
                           Of(request, &NamespaceTolerations::allowed, allowed_, &scope));
    if (AreAllowed(given, allowed)) return {};
    return Deny(request,
                "pod tolerations (possibly merged with namespace default tolerations) conflict "
                "with its " +
                    std::string(scope) + " whitelist");
  }

 private:
  // What the namespace says, or else the cluster; `scope` tells which.
  Result<Tolerations> Of(const AdmissionRequest& request,
                         MaybeTolerations NamespaceTolerations::*member,
                         const Tolerations& of_cluster, std::string_view* scope) {
    const auto found = namespaces_.Find("", request.name_space);
    if (scope != nullptr) *scope = "cluster";
    if (!found) return of_cluster;
    const MaybeTolerations& said = (*found).*member;
    if (!said) {
      return Deny(request, "the annotations of namespace " + std::string(request.name_space) +
                               " are no tolerations: " + said.error().message());
    }
    if (!*said) return of_cluster;
    if (scope != nullptr) *scope = "namespace";
    return **said;
  }

  Remembered<NamespaceTolerations> namespaces_;
  Tolerations defaults_;
  Tolerations allowed_;
};

Tolerations ReadConfig(const object::Document& config, std::string_view name) {
  return ReadTolerations(object::ListView<core::Toleration>(config.root().Find(name)));
}

}  // namespace

MadePlugin MakePodTolerationRestriction(const PluginContext& context,
                                        std::string_view config_json) {
  Tolerations defaults;
  Tolerations allowed;
  if (!config_json.empty()) {
    SKIFF_ASSIGN_OR_RETURN(const object::Document config,
                           DecodePluginConfig(config_json, kConfigVersion, "Configuration"));
    defaults = ReadConfig(config, "default");
    allowed = ReadConfig(config, "whitelist");
  }
  return std::make_unique<PodTolerationRestriction>(StorageOf(context, "", "namespaces"),
                                                    std::move(defaults), std::move(allowed));
}

}  // namespace skiff::apiserver
