// NamespaceExists: refuses writes in namespaces that are not there. NamespaceLifecycle does this
// and more; this is for clusters that turn that one off.
#include "apiserver/admission/lookups.h"
#include "apiserver/admission/plugins.h"
#include "apiserver/admission/request.h"
#include "apiserver/rest/errors.h"

namespace skiff::apiserver {
namespace {

class NamespaceExists final : public AdmissionPlugin {
 public:
  explicit NamespaceExists(ResourceStorage* namespaces) : namespaces_(namespaces) {}

  Result<void> Validate(AdmissionRequest& request) override {
    if (request.operation == AdmissionOperation::kConnect || request.name_space.empty() ||
        namespaces_ == nullptr || IsOf(request, "", "namespaces")) {
      return {};
    }
    if (FindInCache(namespaces_, "", request.name_space) ||
        IsMadeIn(request.transaction, *namespaces_, "", request.name_space)) {
      return {};
    }
    if (request.awaited != nullptr) {
      *request.awaited = {namespaces_, "", std::string(request.name_space)};
    }
    return std::unexpected(NotFound(*namespaces_->hub().resource, request.name_space));
  }

 private:
  ResourceStorage* namespaces_;
};

}  // namespace

MadePlugin MakeNamespaceExists(const PluginContext& context, std::string_view) {
  return std::make_unique<NamespaceExists>(StorageOf(context, "", "namespaces"));
}

}  // namespace skiff::apiserver
