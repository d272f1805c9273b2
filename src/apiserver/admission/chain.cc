#include "apiserver/admission/chain.h"

#include <algorithm>
#include <map>
#include <utility>

#include "apiserver/admission/config_file.h"
#include "apiserver/admission/request.h"
#include "apiserver/convert/object_converter.h"

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

namespace {

MaybeTask<Result<void>> AskPlugin(AdmissionPhase phase, AdmissionPlugin& plugin,
                                  AdmissionRequest& request) {
  const bool mutates = phase == AdmissionPhase::kMutate;
  if (WaitingAdmissionPlugin* waiting = plugin.AsWaiting(); waiting != nullptr) {
    return mutates ? waiting->MutateOrWait(request) : waiting->ValidateOrWait(request);
  }
  return mutates ? plugin.Mutate(request) : plugin.Validate(request);
}

// What a plugin that will be asked again may have said or done. A final object stays where it is:
// the name of the request may lie in it.
class RequestBefore {
 public:
  RequestBefore(AdmissionPhase phase, const AdmissionRequest& request)
      : warnings_(request.warnings), reinvoke_(request.reinvoke) {
    const bool mutates = phase == AdmissionPhase::kMutate;
    if (mutates && request.object != nullptr) object_ = request.object->Copy();
    if (request.audit_annotations != nullptr) annotations_ = *request.audit_annotations;
  }
  void Restore(AdmissionRequest& request) {
    request.warnings = std::move(warnings_);
    request.reinvoke = reinvoke_;
    if (object_) *request.object = std::move(*object_);
    if (request.audit_annotations != nullptr) *request.audit_annotations = std::move(annotations_);
  }

 private:
  std::vector<std::string> warnings_;
  const bool reinvoke_;
  std::optional<object::Document> object_;
  std::map<std::string, std::string> annotations_;
};

}  // namespace

Task<Result<void>> AdmissionChain::AskAgain(AdmissionPhase phase, AdmissionPlugin& plugin,
                                            AdmissionRequest& request) {
  for (;;) {
    // What came of a fault is for the plugin to say.
    static_cast<void>(co_await request.conversions->Fetch());
    RequestBefore before(phase, request);
    MaybeTask<Result<void>> asked = AskPlugin(phase, plugin, request);
    if (!asked.ready()) co_return co_await std::move(asked);
    if (!LacksConversions(request)) co_return std::move(asked).TakeValue();
    before.Restore(request);
  }
}

Result<void> AdmissionChain::Advance(Progress& progress, AdmissionRequest& request,
                                     std::optional<Task<Result<void>>>& waits) {
  const bool mutates = progress.phase == AdmissionPhase::kMutate;
  for (;;) {
    while (progress.next < members_.size()) {
      AdmissionPlugin& plugin = *members_[progress.next++].plugin;
      std::optional<RequestBefore> before;
      if (request.conversions != nullptr) before.emplace(progress.phase, request);
      MaybeTask<Result<void>> asked = AskPlugin(progress.phase, plugin, request);
      if (!asked.ready()) {
        waits.emplace(std::move(asked).TakeTask());
        return {};
      }
      if (before && LacksConversions(request)) {
        before->Restore(request);
        waits.emplace(AskAgain(progress.phase, plugin, request));
        return {};
      }
      SKIFF_RETURN_IF_ERROR(std::move(asked).TakeValue());
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
