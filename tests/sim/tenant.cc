#include "tests/sim/tenant.h"

#include <map>
#include <memory>
#include <utility>

#include "tests/sim/managers.h"
#include "views/core/v1.h"

namespace skiff::sim {
namespace {

namespace core = views::core_v1;

constexpr uint64_t kNames = 8;
constexpr uint64_t kQuotas = 2;
constexpr std::string_view kAccount = "default";
constexpr std::string_view kCertificate = "kube-root-ca.crt";

constexpr std::string_view kRoomyQuota =
    R"(,"spec":{"hard":{"pods":"10000","configmaps":"10000","secrets":"10000"}})";

const client::ApiResource& Quotas() { return client::BuiltIn("", "v1", "resourcequotas"); }

// What may stand in a quota, and the kind that it counts.
const std::map<std::string_view, std::string_view>& Counted() {
  static const std::map<std::string_view, std::string_view> counted = {
      {"configmaps", "ConfigMap"},
      {"count/configmaps", "ConfigMap"},
      {"count/pods", "Pod"},
      {"count/secrets", "Secret"},
      {"count/serviceaccounts", "ServiceAccount"},
      {"pods", "Pod"},
      {"secrets", "Secret"}};
  return counted;
}

// Something that all namespaces have is there and stays.
RecordedPtr Furniture(const Ledger& ledger, std::string_view resource, const std::string& home,
                      std::string_view name) {
  const RecordedPtr found =
      ledger.Find("/registry/" + std::string(resource) + "/" + home + "/" + std::string(name));
  return found == nullptr || found->deleting ? nullptr : found;
}

bool HasQuota(const Ledger& ledger, const std::string& home) {
  const std::string prefix = StoredKey(Quotas(), {home, ""});
  const auto at = ledger.objects().lower_bound(prefix);
  return at != ledger.objects().end() && at->first.starts_with(prefix);
}

}  // namespace

TenantActor::TenantActor(Cluster& cluster, Guarantees& guarantees, int number)
    : Actor(cluster, guarantees, "tenant-" + std::to_string(number)),
      name_space_(name()),
      free_name_space_(name() + "-free"),
      full_name_space_(name() + "-full") {}

std::string TenantActor::DrawLimits() {
  std::string out;
  for (const auto& [resource, kind] : Counted()) {
    if (OneIn(2)) continue;
    out += (out.empty() ? "\"" : ",\"") + std::string(resource) + "\":\"" +
           std::to_string(1 + Draw(8)) + "\"";
  }
  return out;
}

Task<void> TenantActor::Work() {
  const auto kinds = WorkKinds();
  const client::ApiResource& resource = *kinds[Draw(kinds.size())];
  const client::ObjectName name{name_space_, "item-" + std::to_string(Draw(kNames))};
  if (OneIn(3)) {
    const client::DeleteChoice how;
    co_await Delete(resource, name, how);
  } else {
    co_await Create(resource, name, RestOf(resource));
  }
}

// All of them charge the same quota, so that each gets in the way of the others.
Task<void> TenantActor::Rush() {
  const uint64_t count = 2 + Draw(6);
  co_await FromCallback<bool>([&](auto done) {
    auto left = std::make_shared<uint64_t>(count);
    auto shared_done = std::make_shared<decltype(done)>(std::move(done));
    for (uint64_t i = 0; i < count; ++i) {
      Detach(MakeNameless(), [left, shared_done] {
        if (--*left == 0) (*shared_done)(true);
      });
    }
  });
}

// Creates something, and finds and perhaps deletes it by the name that it was told.
Task<void> TenantActor::MakeNameless() {
  const auto kinds = WorkKinds();
  const client::ApiResource& resource = *kinds[Draw(kinds.size())];
  const bool delete_it = !OneIn(4);
  const Result<client::ObjectPtr> made =
      co_await CreateNameless(resource, full_name_space_, RestOf(resource));
  if (!made) co_return;
  cluster_.counters().Count("names chosen by the server");
  const client::ObjectName name = client::NameOf(**made);
  co_await Get(resource, name);
  if (!delete_it) co_return;
  const client::DeleteChoice how;
  co_await Delete(resource, name, how);
}

Task<void> TenantActor::ChangeQuota() {
  const client::ObjectName name{name_space_, "quota-" + std::to_string(Draw(kQuotas))};
  const std::string limits = DrawLimits();
  if (OneIn(4)) {
    const client::DeleteChoice how;
    co_await Delete(Quotas(), name, how);
  } else if (OneIn(3)) {
    // Limits that are not named stay.
    co_await Patch(Quotas(), name, "|,\"spec\":{\"hard\":{" + limits + "}}");
  } else {
    co_await Create(Quotas(), name, ",\"spec\":{\"hard\":{" + limits + "}}");
  }
}

Task<void> TenantActor::Vandalize() {
  const client::ApiResource& config_maps = client::BuiltIn("", "v1", "configmaps");
  const std::string& home = OneIn(3) ? name_space_ : free_name_space_;
  const client::ObjectName certificate{home, std::string(kCertificate)};
  const client::ObjectName account{home, std::string(kAccount)};
  const client::DeleteChoice how;
  cluster_.counters().Count("furniture broken");
  switch (Draw(4)) {
    case 0:
      co_await Delete(config_maps, certificate, how);
      break;
    case 1:
      co_await Patch(config_maps, certificate, "|,\"data\":{\"ca.crt\":\"forged\"}");
      break;
    case 2:
      co_await Patch(config_maps, certificate, "|,\"data\":{\"more\":\"unasked\"}");
      break;
    default:
      co_await Delete(client::BuiltIn("", "v1", "serviceaccounts"), account, how);
  }
}

Task<void> TenantActor::Step() {
  if (!prepared_) {
    co_await EnsureNamespace(name_space_);
    co_await EnsureNamespace(free_name_space_);
    co_await EnsureNamespace(full_name_space_);
    const client::ObjectName roomy{full_name_space_, "roomy"};
    co_await Create(Quotas(), roomy, std::string(kRoomyQuota));
    prepared_ = true;
  }
  switch (Draw(10)) {
    case 0:
    case 1:
      co_await ChangeQuota();
      break;
    case 2:
      co_await Vandalize();
      break;
    case 3:
      co_await Rush();
      break;
    default:
      co_await Work();
  }
}

std::string QuotasOutOfStep(const Ledger& ledger) {
  for (const auto& [key, object] : ledger.objects()) {
    if (object->kind != "ResourceQuota") continue;
    const core::ResourceQuota quota(*object->object);
    std::map<std::string_view, int64_t> there;
    for (const auto& [other_key, other] : ledger.objects()) {
      if (other->name_space == object->name_space) ++there[other->kind];
    }
    for (const auto limit : quota.spec().hard()) {
      const std::string used(quota.status().used().Get(limit.key));
      const std::string real = std::to_string(there[Counted().at(limit.key)]);
      if (quota.status().hard().Get(limit.key) != limit.value || used != real) {
        return "quota " + key + " says that " + used + " are used of " + std::string(limit.key) +
               ", which are " + real;
      }
    }
    if (quota.status().used().size() != quota.spec().hard().size()) {
      return "quota " + key + " speaks of what it does not limit";
    }
  }
  return "";
}

std::string FurnitureMissing(const Ledger& ledger) {
  const std::string prefix = "/registry/namespaces/";
  for (auto at = ledger.objects().lower_bound(prefix);
       at != ledger.objects().end() && at->first.starts_with(prefix); ++at) {
    const std::string& home = at->second->name;
    // A quota may leave no room for it.
    if (at->second->deleting || HasQuota(ledger, home)) continue;
    if (Furniture(ledger, "serviceaccounts", home, kAccount) == nullptr) {
      return "namespace " + home + " has no service account";
    }
    const RecordedPtr map = Furniture(ledger, "configmaps", home, kCertificate);
    const bool good = map != nullptr && core::ConfigMap(*map->object).data().size() == 1 &&
                      core::ConfigMap(*map->object).data().Get("ca.crt") == kRootCa;
    if (!good) return "namespace " + home + " has no good " + std::string(kCertificate);
  }
  return "";
}

}  // namespace skiff::sim
