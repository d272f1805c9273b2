#include "apiserver/bootstrap/identity_lease.h"

#include <utility>

#include "apiserver/rest/object_meta.h"
#include "apiserver/rest/object_output.h"
#include "base/random.h"
#include "crypto/digest.h"
#include "store/blocking.h"
#include "views/coordination.k8s.io/v1.h"

namespace skiff::apiserver {
namespace {

namespace coordination = views::coordination_k8s_io_v1;

constexpr std::string_view kNamespace = "kube-system";
constexpr std::string_view kIdentityLabel = "apiserver.kubernetes.io/identity";
constexpr std::string_view kComponent = "kube-apiserver";
constexpr int32_t kDurationSeconds = 3600;

const object::ResourceDesc& Leases() {
  return *object::FindResource("coordination.k8s.io", "v1", "leases");
}

object::Timestamp MicrosNow(Clock& clock) {
  const int64_t nanos = clock.Wall().count();
  return object::MakeTimestamp(nanos / 1'000'000'000, nanos % 1'000'000'000 / 1000 * 1000);
}

void AppendWithLength(std::string_view text, std::string& out) {
  out += static_cast<char>(text.size() >> 8 & 0xff);
  out += static_cast<char>(text.size() & 0xff);
  out += text;
}

std::string Base32(std::string_view bytes) {
  static constexpr std::string_view kDigits = "abcdefghijklmnopqrstuvwxyz234567";
  std::string out;
  uint32_t bits = 0;
  int count = 0;
  for (const char byte : bytes) {
    bits = bits << 8 | static_cast<uint8_t>(byte);
    count += 8;
    for (; count >= 5; count -= 5) out += kDigits[bits >> (count - 5) & 31];
  }
  if (count > 0) out += kDigits[bits << (5 - count) & 31];
  return out;
}

}  // namespace

std::string ApiServerIdentity(std::string_view host_name) {
  std::string hashed;
  AppendWithLength(host_name, hashed);
  AppendWithLength(kComponent, hashed);
  const crypto::Sha256Digest digest = crypto::Sha256(hashed);
  return "apiserver-" + Base32(crypto::AsBytes(digest).substr(0, 16));
}

IdentityLease::IdentityLease(SystemWriter& writer, std::string host_name)
    : writer_(writer),
      host_name_(std::move(host_name)),
      name_(ApiServerIdentity(host_name_)),
      holder_(name_ + "_" + NewUuid(writer.rest().random)) {}

WantedObject IdentityLease::Renewed() {
  WantedObject out;
  out.resource = &Leases();
  out.object = coordination::Lease::New();
  coordination::MutableLease lease(out.object);
  lease.mutable_metadata().set_name(name_);
  lease.mutable_metadata().set_namespace(kNamespace);
  lease.mutable_spec().set_holder_identity(holder_);
  out.repair = [now = MicrosNow(writer_.rest().clock),
                host_name = host_name_](object::Document& object) {
    coordination::MutableLease current(object);
    current.mutable_metadata().put_labels(kIdentityLabel, kComponent);
    current.mutable_metadata().put_labels("kubernetes.io/hostname", host_name);
    current.mutable_spec().set_lease_duration_seconds(kDurationSeconds);
    current.mutable_spec().set_renew_time(now);
  };
  out.repair(out.object);
  return out;
}

Result<void> IdentityLease::RemoveExpired() {
  ResourceStorage* storage = writer_.StorageOf(Leases());
  if (storage == nullptr) return {};
  store::CacheListRequest request;
  request.selection.name_space = kNamespace;
  SKIFF_ASSIGN_OR_RETURN(const store::ListReply leases,
                         store::Await<store::ListReply>([&](auto done) {
                           storage->cache().List(std::move(request), std::move(done));
                         }));
  const object::Timestamp now = MicrosNow(writer_.rest().clock);
  store::ListCursor at = leases.Entries();
  while (const store::CacheEntry* entry = at.Next()) {
    SKIFF_ASSIGN_OR_RETURN(const object::Document object, DecodeStored(entry->value().view(), {}));
    const object::Value* label = object.root().FindPath({"metadata", "labels", kIdentityLabel});
    if (label == nullptr || !label->is_string() || label->AsText() != kComponent) continue;
    const coordination::LeaseSpec spec = coordination::Lease(object).spec();
    const int64_t duration = spec.lease_duration_seconds().value_or(0);
    const bool alive = spec.renew_time() && spec.renew_time()->seconds + duration >= now.seconds;
    if (alive) continue;
    SKIFF_RETURN_IF_ERROR(writer_.Remove(Leases(), kNamespace, entry->name(), entry->revision()));
  }
  return {};
}

}  // namespace skiff::apiserver
