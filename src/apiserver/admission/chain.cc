#include "apiserver/admission/chain.h"

#include <algorithm>
#include <utility>

#include "apiserver/admission/config_file.h"

namespace skiff {
namespace {

bool Contains(const std::vector<std::string>& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

Result<void> CheckNames(const AdmissionSettings& settings) {
  for (const std::vector<std::string>* names : {&settings.enabled, &settings.disabled}) {
    for (const std::string& name : *names) {
      if (FindAdmissionPlugin(name) == nullptr) {
        return BadRequest("\"" + name + "\" is no admission plugin");
      }
    }
  }
  for (const std::string& name : settings.enabled) {
    if (Contains(settings.disabled, name)) {
      return BadRequest("the admission plugin " + name + " is both enabled and disabled");
    }
  }
  return {};
}

}  // namespace

const PluginDesc* FindAdmissionPlugin(std::string_view name) {
  for (const PluginDesc& each : AllAdmissionPlugins()) {
    if (each.name == name) return &each;
  }
  return nullptr;
}

Result<std::unique_ptr<AdmissionChain>> AdmissionChain::Make(const PluginContext& context,
                                                             const AdmissionSettings& settings) {
  SKIFF_RETURN_IF_ERROR(CheckNames(settings));
  PluginConfigs configs;
  if (!settings.config_file.empty()) {
    SKIFF_ASSIGN_OR_RETURN(configs, ReadAdmissionConfig(settings.config_file));
  }
  std::vector<Member> members;
  for (const PluginDesc& each : AllAdmissionPlugins()) {
    const bool on = (each.on_by_default || Contains(settings.enabled, each.name)) &&
                    !Contains(settings.disabled, each.name);
    if (!on || each.make == nullptr) continue;
    const PluginConfig* config = configs.Find(each.name);
    Result<std::unique_ptr<AdmissionPlugin>> plugin =
        each.make(context, config != nullptr ? std::string_view(config->json) : "");
    if (!plugin) {
      return BadRequest("admission plugin " + std::string(each.name) + ": " +
                        (config != nullptr ? config->source + ": " : "") +
                        plugin.error().ToString());
    }
    members.push_back({each.name, std::move(*plugin)});
  }
  return std::make_unique<AdmissionChain>(std::move(members), context.clock);
}

std::vector<std::string_view> AdmissionChain::names() const {
  std::vector<std::string_view> out;
  for (const Member& member : members_) out.push_back(member.name);
  return out;
}

void AdmissionChain::SetObserver(AdmissionObserver* observer) {
  observer_ = observer;
  if (observer_ != nullptr) observer_->OnMembers(names());
}

Result<void> AdmissionChain::RunPlugins(AdmissionPhase phase, AdmissionRequest& request, Ask ask) {
  Duration began = observer_ != nullptr ? clock_.Monotonic() : Duration{};
  for (size_t i = 0; i < members_.size(); ++i) {
    Result<void> result = ((*members_[i].plugin).*ask)(request);
    if (observer_ != nullptr) {
      const Duration ended = clock_.Monotonic();
      observer_->OnPlugin(i, phase, request.operation, !result, ended - began);
      began = ended;
    }
    if (!result) return result;
  }
  return {};
}

Result<void> AdmissionChain::MutateAll(AdmissionRequest& request) {
  request.reinvoke = false;
  SKIFF_RETURN_IF_ERROR(RunPlugins(AdmissionPhase::kMutate, request, &AdmissionPlugin::Mutate));
  if (!request.reinvoke) return {};
  return RunPlugins(AdmissionPhase::kMutate, request, &AdmissionPlugin::Mutate);
}

void AdmissionChain::Tell(AdmissionPhase phase, const AdmissionRequest& request, bool rejected,
                          Duration began) {
  if (observer_ == nullptr) return;
  observer_->OnStep(phase, request.operation, rejected, clock_.Monotonic() - began);
}

Result<void> AdmissionChain::Mutate(AdmissionRequest& request) {
  const Duration began = clock_.Monotonic();
  Result<void> result = MutateAll(request);
  Tell(AdmissionPhase::kMutate, request, !result, began);
  return result;
}

Result<void> AdmissionChain::Validate(AdmissionRequest& request) {
  const Duration began = clock_.Monotonic();
  Result<void> result = RunPlugins(AdmissionPhase::kValidate, request, &AdmissionPlugin::Validate);
  Tell(AdmissionPhase::kValidate, request, !result, began);
  return result;
}

}  // namespace skiff
