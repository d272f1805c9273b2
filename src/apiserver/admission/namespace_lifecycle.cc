// NamespaceLifecycle: objects are written in namespaces that exist, none is created in one that is
// on its way out, and the three that every cluster needs stay.
#include "apiserver/admission/lookups.h"
#include "apiserver/admission/plugins.h"
#include "apiserver/admission/request.h"
#include "apiserver/rest/errors.h"

namespace skiff {
namespace {

constexpr std::string_view kImmortal[] = {"default", "kube-system", "kube-public"};

class NamespaceLifecycle final : public AdmissionPlugin {
 public:
  explicit NamespaceLifecycle(ResourceStorage* namespaces)
      : namespaces_(namespaces),
        phase_(namespaces != nullptr ? namespaces->facts().FindField("status.phase")
                                     : std::nullopt) {}

  Result<void> Mutate(AdmissionRequest& request) override {
    if (request.operation == AdmissionOperation::kConnect) return {};
    const bool deletes = request.operation == AdmissionOperation::kDelete;
    if (IsOf(request, "", "namespaces")) return deletes ? CheckDeletion(request) : Result<void>();
    // A namespace that is going must be emptied, so deletions are no question.
    if (request.name_space.empty() || deletes || namespaces_ == nullptr) return {};
    if (IsOf(request, "authorization.k8s.io", "localsubjectaccessreviews")) return {};
    const EntryRef found = FindNow(namespaces_, "", request.name_space);
    if (!found) return CheckAbsent(request);
    if (!Creates(request) || !phase_ || found->field(*phase_) != "Terminating") return {};
    return RefuseTerminating(request);
  }

 private:
  static Result<void> CheckDeletion(const AdmissionRequest& request) {
    for (const std::string_view name : kImmortal) {
      if (request.name == name) {
        return std::unexpected(
            Forbidden(request.resource, name, "this namespace may not be deleted"));
      }
    }
    return {};
  }

  Result<void> CheckAbsent(AdmissionRequest& request) {
    if (IsMadeIn(request.transaction, *namespaces_, "", request.name_space)) return {};
    if (request.awaited != nullptr) {
      *request.awaited = {namespaces_, "", std::string(request.name_space)};
    }
    return std::unexpected(NotFound(*namespaces_->hub().resource, request.name_space));
  }

  static Result<void> RefuseTerminating(const AdmissionRequest& request) {
    const std::string name(request.name_space);
    std::unexpected<Status> refused = Deny(request, "unable to create new content in namespace " +
                                                        name + " because it is being terminated");
    refused.error().AddCause({"NamespaceTerminating", "namespace " + name + " is being terminated",
                              "metadata.namespace"});
    return refused;
  }

  ResourceStorage* namespaces_;
  std::optional<size_t> phase_;  // where an entry has it
};

}  // namespace

MadePlugin MakeNamespaceLifecycle(const PluginContext& context, std::string_view) {
  return std::make_unique<NamespaceLifecycle>(StorageOf(context, "", "namespaces"));
}

}  // namespace skiff
