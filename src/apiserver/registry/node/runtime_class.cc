#include "apiserver/registry/node/runtime_class.h"

#include <set>
#include <string>
#include <tuple>

#include "apiserver/registry/core/affinity.h"
#include "apiserver/registry/core/node_labels.h"
#include "apiserver/registry/core/resources.h"
#include "apiserver/validation/common.h"
#include "views/node.k8s.io/v1.h"

namespace skiff::apiserver {
namespace {

namespace node = views::node_k8s_io_v1;

void ValidateScheduling(const node::Scheduling& scheduling, FieldErrors& errors) {
  ValidateLabels(scheduling.node_selector(), "nodeSelector", errors);
  const auto tolerations = scheduling.tolerations();
  ValidateTolerations(tolerations, "tolerations", {}, errors);
  std::set<std::tuple<std::string_view, std::string_view, std::string_view, std::string_view>> seen;
  for (size_t i = 0; i < tolerations.size(); ++i) {
    const auto at = errors.At("tolerations", i);
    const auto toleration = tolerations[i];
    if (!seen.emplace(toleration.key(), toleration.operator_(), toleration.value(),
                      toleration.effect())
             .second) {
      errors.Duplicate("", ShownValue(toleration.AsValue()));
    }
  }
}

void ValidateRuntimeClass(const object::Document& object, FieldErrors& errors) {
  const node::RuntimeClass runtime(object);
  ValidateRequiredFormat(kDnsLabelFormat, runtime.handler(), "handler", errors);
  if (runtime.has_overhead()) {
    const auto at = errors.At("overhead");
    ValidateOverhead(runtime.overhead().pod_fixed(), {}, errors);
  }
  if (runtime.has_scheduling()) {
    const auto at = errors.At("scheduling");
    ValidateScheduling(runtime.scheduling(), errors);
  }
}

void ValidateRuntimeClassUpdate(const object::Document& object, const object::Document& old,
                                FieldErrors& errors) {
  ValidateRuntimeClass(object, errors);
  ValidateImmutable(node::RuntimeClass(old).handler(), node::RuntimeClass(object).handler(),
                    "handler", errors);
}

void WarnAboutRuntimeClass(const object::Document& object, const object::Document*,
                           const KindSettings&, std::vector<std::string>& warnings) {
  for (const auto& [key, value] : node::RuntimeClass(object).scheduling().node_selector()) {
    const std::string_view why = DeprecationOfNodeLabel(key);
    if (!why.empty()) warnings.push_back("scheduling.nodeSelector: " + std::string(why));
  }
}

}  // namespace

constinit const KindRules kRuntimeClassRules = {.group = "node.k8s.io",
                                                .kind = "RuntimeClass",
                                                .create = ValidateRuntimeClass,
                                                .update = ValidateRuntimeClassUpdate,
                                                .warn = WarnAboutRuntimeClass};

}  // namespace skiff::apiserver
