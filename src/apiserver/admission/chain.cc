#include "apiserver/admission/chain.h"

#include <algorithm>
#include <utility>

#include "apiserver/admission/config_file.h"

namespace skiff::apiserver {
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
    Result<PluginConfigs> read = ReadAdmissionConfig(settings.config_file);
    if (!read) {
      return Fail(read.error().reason(),
                  "--admission-control-config-file: " + read.error().message());
    }
    configs = std::move(*read);
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

Result<void> AdmissionChain::RunPlugins(AdmissionRequest& request, Ask ask) {
  for (const Member& member : members_) SKIFF_RETURN_IF_ERROR(((*member.plugin).*ask)(request));
  return {};
}

Result<void> AdmissionChain::MutateAll(AdmissionRequest& request) {
  request.reinvoke = false;
  SKIFF_RETURN_IF_ERROR(RunPlugins(request, &AdmissionPlugin::Mutate));
  if (!request.reinvoke) return {};
  return RunPlugins(request, &AdmissionPlugin::Mutate);
}

void AdmissionChain::NotifyObserver(AdmissionPhase phase, const AdmissionRequest& request,
                                    bool rejected, Duration began) {
  if (observer_ == nullptr) return;
  observer_->OnStep(phase, request.operation, rejected, clock_.Monotonic() - began);
}

Result<void> AdmissionChain::Mutate(AdmissionRequest& request) {
  const Duration began = clock_.Monotonic();
  Result<void> result = MutateAll(request);
  NotifyObserver(AdmissionPhase::kMutate, request, !result, began);
  return result;
}

Result<void> AdmissionChain::Validate(AdmissionRequest& request) {
  const Duration began = clock_.Monotonic();
  Result<void> result = RunPlugins(request, &AdmissionPlugin::Validate);
  NotifyObserver(AdmissionPhase::kValidate, request, !result, began);
  return result;
}

}  // namespace skiff::apiserver
