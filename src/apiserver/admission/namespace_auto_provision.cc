// NamespaceAutoProvision: whoever creates an object in a namespace that is not there gets the
// namespace too. Both are committed together.
#include "apiserver/admission/lookups.h"
#include "apiserver/admission/plugins.h"
#include "apiserver/admission/request.h"
#include "apiserver/rest/object_meta.h"
#include "base/random.h"
#include "object/protobuf/envelope.h"
#include "views/core/v1.h"

namespace skiff::apiserver {
namespace {

namespace core = views::core_v1;

class NamespaceAutoProvision final : public AdmissionPlugin {
 public:
  explicit NamespaceAutoProvision(ResourceStorage* namespaces) : namespaces_(namespaces) {}

  Result<void> Mutate(AdmissionRequest& request) override {
    if (!Creates(request) || request.dry_run || request.name_space.empty() ||
        namespaces_ == nullptr || IsOf(request, "", "namespaces")) {
      return {};
    }
    if (FindInCache(namespaces_, "", request.name_space) ||
        IsMadeIn(request.transaction, *namespaces_, "", request.name_space)) {
      return {};
    }
    object::Document made = core::Namespace::New();
    core::MutableNamespace object(made);
    object.mutable_metadata().set_name(request.name_space);
    object.mutable_metadata().set_uid(NewUuid(request.random));
    object.mutable_metadata().set_creation_timestamp(request.now);
    object.mutable_metadata().put_labels("kubernetes.io/metadata.name", request.name_space);
    object.mutable_spec().add_finalizers("kubernetes");
    object.mutable_status().set_phase("Active");
    std::string bytes;
    object::EncodeStorage(made.root(), &bytes);
    std::string key = namespaces_->Key("", request.name_space);
    request.transaction.conditions.push_back({key, store::Revision{}});
    request.transaction.writes.push_back(
        {store::Write::Kind::kPut, std::move(key), SharedBytes(bytes), store::LeaseId{}});
    return {};
  }

 private:
  ResourceStorage* namespaces_;
};

}  // namespace

MadePlugin MakeNamespaceAutoProvision(const PluginContext& context, std::string_view) {
  return std::make_unique<NamespaceAutoProvision>(StorageOf(context, "", "namespaces"));
}

}  // namespace skiff::apiserver
