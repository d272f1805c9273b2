#include "apiserver/admission/resource_quota.h"

#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "apiserver/admission/lookups.h"
#include "apiserver/admission/request.h"
#include "apiserver/admission/resource_quota_charge.h"
#include "apiserver/admission/resource_quota_lookups.h"
#include "apiserver/convert/convert.h"
#include "apiserver/rest/errors.h"
#include "apiserver/rest/field_tracking.h"
#include "apiserver/rest/object_output.h"
#include "object/protobuf/envelope.h"
#include "views/core/v1.h"
#include "views/meta/v1.h"

namespace skiff::apiserver {
namespace {

namespace core = views::core_v1;

// A write, of which the objects are told apart: they are others when it is charged anew.
struct ChargedWrite {
  const object::ResourceDesc& resource;
  std::string subresource;
  std::string name_space;
  std::string name;
  bool creates;
  object::Timestamp now;
  const object::MessageDesc* type;  // as what it is admitted

  explicit ChargedWrite(const AdmissionRequest& request)
      : resource(request.resource),
        subresource(request.subresource),
        name_space(request.name_space),
        name(NameOf(request)),
        creates(request.operation == AdmissionOperation::kCreate),
        now(request.now),
        type(request.object->type()) {}
};

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
    if (quota::IsExemptFromQuotas(request.resource.version->desc->group, request.resource.name)) {
      return {};
    }
    const ChargedWrite write(request);
    SKIFF_ASSIGN_OR_RETURN(store::Transaction charges,
                           Charge(write, *request.object, creates ? nullptr : request.old));
    if (request.dry_run || charges.writes.empty()) return {};
    if (request.charges == nullptr) {
      Append(std::move(charges.conditions), request.transaction.conditions);
      Append(std::move(charges.writes), request.transaction.writes);
      return {};
    }
    request.charges->transaction = std::move(charges);
    request.charges->charge_anew = [this, write](const object::Document& object,
                                                 const object::Document* old) {
      return ChargeStored(write, object, old);
    };
    return {};
  }

 private:
  template <typename T>
  static void Append(std::vector<T> from, std::vector<T>& to) {
    to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
  }

  Result<store::Transaction> Charge(const ChargedWrite& write, const object::Document& object,
                                    const object::Document* old) const {
    const std::string_view group = write.resource.version->desc->group;
    const auto evaluator = quota::MakeQuotaEvaluator(group, write.resource.name, lookups_);
    const QuotaCharge charge{
        group,
        write.resource.name,
        write.subresource,
        write.creates ? quota::QuotaEvent::kCreate : quota::QuotaEvent::kUpdate,
        object,
        old,
        write.now};
    store::Transaction out;
    if (!evaluator->Handles(charge.event, charge.subresource, charge.old, charge.object))
      return out;
    std::vector<StoredQuota> quotas;
    if (!FindQuotas(write, quotas)) {
      return std::unexpected(Forbidden(write.resource, write.name, kNotReadyYet));
    }
    if (quotas.empty() && limited_.empty()) return out;
    if (Result<void> charged = ChargeQuotas(charge, *evaluator, limited_, quotas); !charged) {
      if (charged.error().reason() != StatusReason::kForbidden) {
        return std::unexpected(std::move(charged.error()));
      }
      return std::unexpected(Forbidden(write.resource, write.name, charged.error().message()));
    }
    for (StoredQuota& quota : quotas) {
      if (quota.changed) Write(write, quota, out);
    }
    return out;
  }

  // Of objects as they are stored.
  Result<store::Transaction> ChargeStored(const ChargedWrite& write, const object::Document& object,
                                          const object::Document* old) const {
    if (object.type() == write.type) return Charge(write, object, old);
    SKIFF_ASSIGN_OR_RETURN(const object::Document admitted, Convert(object, write.type));
    if (old == nullptr) return Charge(write, admitted, nullptr);
    SKIFF_ASSIGN_OR_RETURN(const object::Document admitted_old, Convert(*old, write.type));
    return Charge(write, admitted, &admitted_old);
  }

  bool FindQuotas(const ChargedWrite& write, std::vector<StoredQuota>& out) const {
    // A quota that is made anew while it exists is not charged for itself: its key is in the
    // transaction already.
    const bool is_quota =
        write.resource.name == "resourcequotas" && write.resource.version->desc->group.empty();
    return ForEachInCachedNamespace(quotas_, write.name_space, [&](const store::CacheEntry& entry) {
      if (is_quota && entry.name() == write.name) return true;
      Result<object::Document> document = DecodeStored(entry.value().view(), entry.revision());
      if (document && document->type() == core::ResourceQuota::Type()) {
        out.push_back({std::move(*document), entry.revision()});
      }
      return true;
    });
  }

  // If somebody else charges the quota first, the write is charged anew.
  void Write(const ChargedWrite& write, StoredQuota& quota, store::Transaction& out) const {
    MetaOf meta(quota.document);
    std::string key = quotas_->Key(write.name_space, meta.name());
    const object::Document before = quota.document.Copy();
    core::MutableResourceQuota view(quota.document);
    view.mutable_status().clear_used();
    for (const auto& [name, amount] : quota.used) {
      view.mutable_status().put_used(name, amount.ToString());
    }
    TrackOwnStatus(*quotas_, before, quota.document, write.now);
    MetaOf(quota.document).Erase("resourceVersion");
    std::string bytes;
    object::EncodeStorage(quota.document.root(), &bytes);
    out.conditions.push_back({key, quota.revision});
    out.writes.push_back({store::Write::Kind::kPut, std::move(key), SharedBytes(bytes), {}});
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
