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

Result<void> AdmissionChain::Advance(Progress& progress, AdmissionRequest& request,
                                     std::optional<Task<Result<void>>>& waits) {
  const bool mutates = progress.phase == AdmissionPhase::kMutate;
  for (;;) {
    while (progress.next < members_.size()) {
      AdmissionPlugin& plugin = *members_[progress.next++].plugin;
      if (WaitingAdmissionPlugin* waiting = plugin.AsWaiting(); waiting != nullptr) {
        MaybeTask<Result<void>> asked =
            mutates ? waiting->MutateOrWait(request) : waiting->ValidateOrWait(request);
        if (!asked.ready()) {
          waits.emplace(std::move(asked).TakeTask());
          return {};
        }
        SKIFF_RETURN_IF_ERROR(std::move(asked).TakeValue());
        continue;
      }
      SKIFF_RETURN_IF_ERROR(mutates ? plugin.Mutate(request) : plugin.Validate(request));
    }
    if (!mutates || !request.reinvoke || request.is_reinvocation) return {};
    request.is_reinvocation = true;
    progress.next = 0;
  }
}

Task<Result<void>> AdmissionChain::Finish(Progress progress, AdmissionRequest& request,
                                          Task<Result<void>> waits) {
  for (;;) {
    Result<void> result = co_await std::move(waits);
    std::optional<Task<Result<void>>> more;
    if (result) result = Advance(progress, request, more);
    if (!more) {
      NotifyObserver(progress, request, !result);
      co_return result;
    }
    waits = std::move(*more);
  }
}

MaybeTask<Result<void>> AdmissionChain::Run(AdmissionPhase phase, AdmissionRequest& request) {
  Progress progress{phase, clock_.Monotonic()};
  std::optional<Task<Result<void>>> waits;
  Result<void> result = Advance(progress, request, waits);
  if (waits) return Finish(progress, request, std::move(*waits));
  NotifyObserver(progress, request, !result);
  return result;
}

void AdmissionChain::NotifyObserver(const Progress& progress, const AdmissionRequest& request,
                                    bool rejected) {
  if (observer_ == nullptr) return;
  observer_->OnStep(progress.phase, request.operation, rejected,
                    clock_.Monotonic() - progress.began);
}

MaybeTask<Result<void>> AdmissionChain::Mutate(AdmissionRequest& request) {
  request.reinvoke = request.is_reinvocation = false;
  return Run(AdmissionPhase::kMutate, request);
}

MaybeTask<Result<void>> AdmissionChain::Validate(AdmissionRequest& request) {
  return Run(AdmissionPhase::kValidate, request);
}

}  // namespace skiff::apiserver
