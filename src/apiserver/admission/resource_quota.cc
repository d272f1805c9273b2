#include "apiserver/admission/resource_quota.h"

#include <utility>
#include <vector>

#include "apiserver/admission/lookups.h"
#include "apiserver/admission/request.h"
#include "apiserver/admission/resource_quota_charge.h"
#include "apiserver/admission/resource_quota_lookups.h"
#include "apiserver/rest/errors.h"
#include "apiserver/rest/field_tracking.h"
#include "apiserver/rest/object_output.h"
#include "object/protobuf/envelope.h"
#include "views/core/v1.h"
#include "views/meta/v1.h"

namespace skiff::apiserver {
namespace {

namespace core = views::core_v1;

class ResourceQuota final : public AdmissionPlugin {
 public:
  ResourceQuota(const PluginContext& context, std::vector<LimitedResource> limited)
      : quotas_(context.storages.Find(object::FindResource("", "v1", "resourcequotas")->hub)),
        lookups_(context.storages),
        limited_(std::move(limited)) {}

  Result<void> Validate(AdmissionRequest& request) override {
    const bool creates = request.operation == AdmissionOperation::kCreate;
    if (!creates && request.operation != AdmissionOperation::kUpdate) return {};
    if (!request.resource.namespaced || request.object == nullptr) return {};
    const std::string_view group = request.resource.version->desc->group;
    if (quota::IsExemptFromQuotas(group, request.resource.name)) return {};
    const auto evaluator = quota::MakeQuotaEvaluator(group, request.resource.name, lookups_);
    const QuotaCharge charge{group,
                             request.resource.name,
                             request.subresource,
                             creates ? quota::QuotaEvent::kCreate : quota::QuotaEvent::kUpdate,
                             *request.object,
                             creates ? nullptr : request.old,
                             request.now};
    if (!evaluator->Handles(charge.event, charge.subresource, charge.old, charge.object)) return {};
    std::vector<StoredQuota> quotas;
    if (!FindQuotas(request, quotas)) return NotReadyYet(request);
    if (quotas.empty() && limited_.empty()) return {};
    if (Result<void> charged = ChargeQuotas(charge, *evaluator, limited_, quotas); !charged) {
      if (charged.error().reason() != StatusReason::kForbidden) return charged;
      return std::unexpected(
          Forbidden(request.resource, NameOf(request), charged.error().message()));
    }
    if (request.dry_run) return {};
    for (StoredQuota& quota : quotas) {
      if (quota.changed) Write(request, quota);
    }
    return {};
  }

 private:
  bool FindQuotas(const AdmissionRequest& request, std::vector<StoredQuota>& out) const {
    // A quota that is made anew while it exists is not charged for itself: its key is in the
    // transaction already.
    const bool is_quota = IsOf(request, "", "resourcequotas");
    return ForEachInCachedNamespace(
        quotas_, request.name_space, [&](const store::CacheEntry& entry) {
          if (is_quota && entry.name() == NameOf(request)) return true;
          Result<object::Document> document = DecodeStored(entry.value().view(), entry.revision());
          if (document && document->type() == core::ResourceQuota::Type()) {
            out.push_back({std::move(*document), entry.revision()});
          }
          return true;
        });
  }

  // If somebody else charges the quota first, the request is judged again.
  void Write(AdmissionRequest& request, StoredQuota& quota) const {
    MetaOf meta(quota.document);
    std::string key = quotas_->Key(request.name_space, meta.name());
    const object::Document before = quota.document.Copy();
    core::MutableResourceQuota view(quota.document);
    view.mutable_status().clear_used();
    for (const auto& [name, amount] : quota.used) {
      view.mutable_status().put_used(name, amount.ToString());
    }
    TrackOwnStatus(*quotas_, before, quota.document, request.now);
    MetaOf(quota.document).Erase("resourceVersion");
    std::string bytes;
    object::EncodeStorage(quota.document.root(), &bytes);
    request.transaction.conditions.push_back({key, quota.revision});
    request.transaction.writes.push_back(
        {store::Write::Kind::kPut, std::move(key), SharedBytes(bytes), {}});
  }

  ResourceStorage* quotas_;
  CachedQuotaLookups lookups_;
  std::vector<LimitedResource> limited_;
};

}  // namespace

Result<std::unique_ptr<AdmissionPlugin>> MakeResourceQuota(const PluginContext& context,
                                                           std::string_view config_json) {
  SKIFF_ASSIGN_OR_RETURN(std::vector<LimitedResource> limited, ParseLimitedResources(config_json));
  return std::make_unique<ResourceQuota>(context, std::move(limited));
}

}  // namespace skiff::apiserver
