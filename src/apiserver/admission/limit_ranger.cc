#include "apiserver/admission/limit_ranger.h"

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "apiserver/admission/limit_ranger_rules.h"
#include "apiserver/admission/lookups.h"
#include "apiserver/admission/request.h"
#include "apiserver/rest/errors.h"
#include "apiserver/rest/object_output.h"
#include "views/core/v1.h"

namespace skiff::apiserver {
namespace {

namespace core = views::core_v1;

// Several faults are one message in brackets; the same fault of two containers is told once.
std::string Joined(const std::vector<std::string>& faults) {
  std::set<std::string_view> seen;
  std::string out;
  for (const std::string& fault : faults) {
    if (!seen.insert(fault).second) continue;
    if (!out.empty()) out += ", ";
    out += fault;
  }
  return seen.size() > 1 ? "[" + out + "]" : out;
}

class LimitRanger final : public AdmissionPlugin {
 public:
  explicit LimitRanger(const PluginContext& context)
      : ranges_(context.storages.Find(object::FindResource("", "v1", "limitranges")->hub)) {}

  Result<void> Mutate(AdmissionRequest& request) override {
    if (!IsOf(request, "", "pods") || !Concerns(request)) return {};
    if (request.object->type() != core::Pod::Type()) return {};
    Result<void> applied;
    const bool ready = ForEachRange(request, [&](const core::LimitRange& range) {
      applied = ApplyLimitDefaults(range, *request.object);
      return applied.has_value();
    });
    if (!ready) return NotReadyYet(request);
    return applied;
  }

  Result<void> Validate(AdmissionRequest& request) override {
    if (!Concerns(request)) return {};
    const auto pod = object::ViewAs<core::Pod>(*request.object);
    const auto claim = object::ViewAs<core::PersistentVolumeClaim>(*request.object);
    std::string why;
    const bool ready = ForEachRange(request, [&](const core::LimitRange& range) {
      if (pod) why = Joined(CheckPodLimits(range, *pod));
      if (claim) why = Joined(CheckClaimLimits(range, *claim));
      return why.empty();
    });
    if (!ready) return NotReadyYet(request);
    if (why.empty()) return {};
    return std::unexpected(Forbidden(request.resource, NameOf(request), why));
  }

 private:
  // Pods when they are made or resized, claims whenever they are written; nothing that is going.
  static bool Concerns(AdmissionRequest& request) {
    if (request.object == nullptr) return false;
    const bool updates = request.operation == AdmissionOperation::kUpdate;
    if (!updates && request.operation != AdmissionOperation::kCreate) return false;
    if (IsOf(request, "", "pods")) {
      if (request.subresource != (updates ? "resize" : "")) return false;
    } else if (!IsOf(request, "", "persistentvolumeclaims") || !request.subresource.empty()) {
      return false;
    }
    return request.old == nullptr || !MetaOf(*request.old).deleting();
  }

  template <typename Call>
  bool ForEachRange(const AdmissionRequest& request, Call call) const {
    return ForEachInCachedNamespace(
        ranges_, request.name_space, [&](const store::CacheEntry& entry) {
          const Result<object::Document> document =
              DecodeStored(entry.value().view(), entry.revision());
          const auto range = document ? object::ViewAs<core::LimitRange>(*document) : std::nullopt;
          return !range || call(*range);
        });
  }

  ResourceStorage* ranges_;
};

}  // namespace

Result<std::unique_ptr<AdmissionPlugin>> MakeLimitRanger(const PluginContext& context,
                                                         std::string_view config_json) {
  static_cast<void>(config_json);
  return std::make_unique<LimitRanger>(context);
}

}  // namespace skiff::apiserver
