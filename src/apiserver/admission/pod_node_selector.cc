// PodNodeSelector: the pods of a namespace run on nodes that its annotation selects; the
// configuration has a selector for namespaces without one, and may say for each namespace which
// labels its pods may ask for at all.
//
//   podNodeSelectorPluginConfig:
//     clusterDefaultNodeSelector: name-of-node-selector
//     namespace1: env=test
#include <algorithm>
#include <map>

#include "apiserver/admission/lookups.h"
#include "apiserver/admission/plugins.h"
#include "apiserver/admission/request.h"
#include "base/strings.h"
#include "object/json/decode.h"
#include "views/core/v1.h"

namespace skiff::apiserver {
namespace {

namespace core = views::core_v1;

constexpr std::string_view kAnnotation = "scheduler.alpha.kubernetes.io/node-selector";
constexpr std::string_view kDefault = "clusterDefaultNodeSelector";
constexpr std::string_view kConfig = "podNodeSelectorPluginConfig";

using Labels = std::map<std::string, std::string, std::less<>>;

// "a=b, c=d".
Result<Labels> ParseLabels(std::string_view text) {
  Labels out;
  while (!text.empty()) {
    const size_t comma = std::min(text.find(','), text.size());
    const std::string_view pair = text.substr(0, comma);
    text.remove_prefix(std::min(comma + 1, text.size()));
    const size_t equals = pair.find('=');
    if (equals == std::string_view::npos) {
      return BadRequest("invalid selector: [" + std::string(pair) + "]");
    }
    out[std::string(TrimSpace(pair.substr(0, equals)))] = TrimSpace(pair.substr(equals + 1));
  }
  return out;
}

struct NamespaceSelector {
  explicit NamespaceSelector(object::Document& document) {
    const auto found = core::Namespace(document).metadata().annotations().Find(kAnnotation);
    if (found) selector = ParseLabels(*found);
  }
  std::optional<Result<Labels>> selector;
};

class PodNodeSelector final : public AdmissionPlugin {
 public:
  PodNodeSelector(ResourceStorage* namespaces, std::map<std::string, Labels, std::less<>> config)
      : namespaces_(namespaces), config_(std::move(config)) {}

  Result<void> Mutate(AdmissionRequest& request) override {
    if (!CreatesPod(request)) return {};
    SKIFF_ASSIGN_OR_RETURN(const Labels selector, SelectorOf(request));
    SKIFF_RETURN_IF_ERROR(CheckConflict(request, selector));
    auto spec = core::MutablePod(*request.object).mutable_spec();
    for (const auto& [key, value] : selector) spec.put_node_selector(key, value);
    return CheckAllowed(request);
  }

  Result<void> Validate(AdmissionRequest& request) override {
    if (!CreatesPod(request)) return {};
    SKIFF_ASSIGN_OR_RETURN(const Labels selector, SelectorOf(request));
    SKIFF_RETURN_IF_ERROR(CheckConflict(request, selector));
    return CheckAllowed(request);
  }

 private:
  Result<Labels> SelectorOf(const AdmissionRequest& request) {
    const auto found = namespaces_.Find("", request.name_space);
    if (!found && !IsMadeIn(request.transaction, *namespaces_.storage(), "", request.name_space)) {
      return Deny(request, "namespace " + std::string(request.name_space) + " does not exist");
    }
    if (found && found->selector) {
      if (*found->selector) return **found->selector;
      return Deny(request, found->selector->error().message());
    }
    const auto by_default = config_.find(kDefault);
    return by_default != config_.end() ? by_default->second : Labels();
  }

  static Result<void> CheckConflict(const AdmissionRequest& request, const Labels& selector) {
    const core::PodSpec spec = core::Pod(*request.object).spec();
    for (const auto& [key, value] : selector) {
      const auto given = spec.node_selector().Find(key);
      if (!given || *given == value) continue;
      return Deny(request,
                  "pod node label selector conflicts with its namespace node label selector");
    }
    return {};
  }

  Result<void> CheckAllowed(const AdmissionRequest& request) const {
    const auto allowed = config_.find(request.name_space);
    if (allowed == config_.end() || allowed->second.empty()) return {};
    for (const auto& [key, value] : core::Pod(*request.object).spec().node_selector()) {
      const auto found = allowed->second.find(key);
      if (found != allowed->second.end() && found->second == value) continue;
      return Deny(request, "pod node label selector labels conflict with its namespace whitelist");
    }
    return {};
  }

  Remembered<NamespaceSelector> namespaces_;
  std::map<std::string, Labels, std::less<>> config_;  // by namespace, and kDefault
};

}  // namespace

MadePlugin MakePodNodeSelector(const PluginContext& context, std::string_view config_json) {
  std::map<std::string, Labels, std::less<>> config;
  if (!config_json.empty()) {
    SKIFF_ASSIGN_OR_RETURN(const object::Document document,
                           object::DecodeJson(config_json, nullptr));
    const object::Value* selectors = document.root().Find(kConfig);
    if (selectors == nullptr || !selectors->is_map()) {
      return BadField(std::string(kConfig), "expected a map of selectors by namespace");
    }
    for (const object::MapEntry& entry : selectors->entries()) {
      const std::string path = std::string(kConfig) + "." + std::string(entry.key);
      if (!entry.value.is_string()) return BadField(path, "expected a string");
      Result<Labels> labels = ParseLabels(entry.value.AsText());
      if (!labels) return BadField(path, labels.error().message());
      config.emplace(entry.key, std::move(*labels));
    }
  }
  return std::make_unique<PodNodeSelector>(StorageOf(context, "", "namespaces"), std::move(config));
}

}  // namespace skiff::apiserver
