#include "apiserver/registry/core/service_ips.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "apiserver/registry/cache_reads.h"
#include "apiserver/rest/field_tracking.h"
#include "apiserver/rest/object_meta.h"
#include "apiserver/rest/object_output.h"
#include "base/random.h"
#include "object/protobuf/envelope.h"
#include "views/networking.k8s.io/v1.h"

namespace skiff::apiserver {
namespace {

namespace networking = views::networking_k8s_io_v1;

constexpr uint64_t kMinBand = 16;
constexpr uint64_t kMaxBand = 256;
constexpr uint64_t kBandShare = 16;
// Random addresses that are looked at before all that are used are counted.
constexpr int kProbes = 64;

uint64_t BandOf(uint64_t size) {
  if (size <= kMinBand) return 0;
  return std::clamp(size / kBandShare, kMinBand, kMaxBand);
}

bool IsUsable(const networking::ServiceCIDR& cidr) {
  if (cidr.metadata().deletion_timestamp()) return false;
  for (const auto condition : cidr.status().conditions()) {
    if (condition.type() == "Ready") return condition.status() == "True";
  }
  // Without a controller that judges it, it is good.
  return true;
}

}  // namespace

ServiceIpRange::ServiceIpRange(const IpRange& range) : range_(range), band_(BandOf(range.Size())) {
  const uint64_t all = range.Size();
  const uint64_t not_used = range.is_v4() ? 2 : 1;
  size_ = all > not_used ? all - not_used : 0;
  band_ = std::min(band_, size_);
}

std::optional<uint64_t> ServiceIpRange::OffsetOf(const IpAddress& address) const {
  if (address.is_v4() != range_.is_v4() || !range_.Contains(address)) return std::nullopt;
  uint64_t offset = 0;
  for (size_t i = 0; i < address.size(); ++i) {
    // What overflows is a prefix that both share, or an offset that no range here has.
    offset = offset << 8 | static_cast<uint8_t>(address.bytes()[i] ^ range_.base().bytes()[i]);
  }
  if (offset == 0 || offset > size_) return std::nullopt;
  return offset - 1;
}

std::optional<uint64_t> ServiceIpRange::ChooseFree(std::vector<uint64_t> used,
                                                   Random& random) const {
  std::ranges::sort(used);
  used.erase(std::unique(used.begin(), used.end()), used.end());
  const auto choose = [&](uint64_t from, uint64_t to) -> std::optional<uint64_t> {
    const auto begin = std::ranges::lower_bound(used, from);
    const auto end = std::ranges::lower_bound(used, to);
    const uint64_t free = to - from - static_cast<uint64_t>(end - begin);
    if (free == 0) return std::nullopt;
    // The n-th free one: each used one that is not behind it moves it by one.
    uint64_t at = from + random.Uniform(free);
    for (auto each = begin; each != end && *each <= at; ++each) ++at;
    return at;
  };
  if (const auto upper = choose(band_, size_); upper) return upper;
  return choose(0, band_);
}

ServiceIps::ServiceIps(StorageSet& storages, std::vector<IpRange> configured)
    : addresses_(
          storages.Find(object::FindResource("networking.k8s.io", "v1", "ipaddresses")->hub)),
      cidrs_(storages.Find(object::FindResource("networking.k8s.io", "v1", "servicecidrs")->hub)),
      configured_(std::move(configured)) {
  for (const IpRange& range : configured_) {
    families_.emplace_back(range.is_v4() ? kIpv4Family : kIpv6Family);
  }
}

std::vector<IpRange> ServiceIps::Ranges(bool v4) const {
  std::vector<IpRange> out;
  bool known = false;
  ForEachInCache(cidrs_, [&](const store::CacheEntry& entry) {
    const Result<object::Document> object = DecodeStored(entry.value().view(), {});
    if (!object) return;
    const networking::ServiceCIDR cidr(*object);
    for (const std::string_view text : cidr.spec().cidrs()) {
      const Result<IpRange> range = IpRange::Parse(text);
      if (!range || range->is_v4() != v4) continue;
      known = true;
      if (IsUsable(cidr)) out.push_back(*range);
    }
  });
  // Nobody has made the object of the flag's ranges yet.
  if (known) return out;
  std::ranges::copy_if(configured_, std::back_inserter(out),
                       [v4](const IpRange& range) { return range.is_v4() == v4; });
  return out;
}

bool ServiceIps::IsUsed(const IpAddress& address) const {
  return static_cast<bool>(FindInCache(addresses_, "", address.ToString()));
}

std::vector<uint64_t> ServiceIps::UsedOf(const ServiceIpRange& range) const {
  std::vector<uint64_t> out;
  ForEachInCache(addresses_, [&](const store::CacheEntry& entry) {
    const Result<IpAddress> address = IpAddress::Parse(entry.name());
    if (!address) return;
    if (const auto offset = range.OffsetOf(*address); offset) out.push_back(*offset);
  });
  return out;
}

Result<void> ServiceIps::Take(WriteContext& write, std::string_view name_space,
                              std::string_view service, const IpAddress& address) const {
  const std::vector<IpRange> ranges = Ranges(address.is_v4());
  const bool in_range = std::ranges::any_of(ranges, [&](const IpRange& range) {
    return ServiceIpRange(range).OffsetOf(address).has_value();
  });
  if (!in_range && write.dry_run && !ranges.empty()) {
    return Fail(StatusReason::kInvalid, "the provided IP (" + address.ToString() +
                                            ") is not in the valid range. The range of valid "
                                            "IPs is " +
                                            ranges.front().ToString());
  }
  if (!in_range) {
    return Fail(StatusReason::kInvalid, "the provided network does not match the current range");
  }
  if (write.dry_run) return {};
  if (IsUsed(address)) {
    return Fail(StatusReason::kInvalid, "provided IP is already allocated");
  }
  AddWrite(write, name_space, service, address);
  return {};
}

Result<IpAddress> ServiceIps::TakeAny(WriteContext& write, std::string_view name_space,
                                      std::string_view service, std::string_view family) const {
  for (const IpRange& each : Ranges(family == kIpv4Family)) {
    const ServiceIpRange range(each);
    // Nothing is taken, so it is of no use to look for one that is free.
    if (write.dry_run) return each.base();
    std::optional<uint64_t> chosen;
    for (int i = 0; i < kProbes && !chosen && range.size() > range.band(); ++i) {
      const uint64_t offset = range.band() + write.random.Uniform(range.size() - range.band());
      if (!IsUsed(range.At(offset))) chosen = offset;
    }
    if (!chosen) chosen = range.ChooseFree(UsedOf(range), write.random);
    if (!chosen) continue;
    const IpAddress address = range.At(*chosen);
    AddWrite(write, name_space, service, address);
    return address;
  }
  return Fail(StatusReason::kInternalError, "range is full");
}

void ServiceIps::AddWrite(WriteContext& write, std::string_view name_space,
                          std::string_view service, const IpAddress& address) const {
  if (addresses_ == nullptr) return;
  const object::Document object =
      NewIpAddress(address, name_space, service, write.random, write.now);
  std::string bytes;
  object::EncodeStorage(object.root(), &bytes);
  std::string key = addresses_->Key("", address.ToString());
  write.transaction.conditions.push_back({key, store::Revision{}});
  write.transaction.writes.push_back(
      {store::Write::Kind::kPut, std::move(key), SharedBytes(bytes), store::LeaseId{}});
}

void ServiceIps::Release(WriteContext& write, std::string_view name_space, std::string_view service,
                         std::string_view address) const {
  const Result<IpAddress> parsed = IpAddress::Parse(address);
  if (!parsed || addresses_ == nullptr) return;
  const std::string name = parsed->ToString();
  if (const store::EntryRef entry = FindInCache(addresses_, "", name); entry) {
    const Result<object::Document> object = DecodeStored(entry->value().view(), {});
    if (!object) return;
    const networking::ParentReference parent = networking::IPAddress(*object).spec().parent_ref();
    if (parent.namespace_() != name_space || parent.name() != service) return;
  }
  write.transaction.writes.push_back(
      {store::Write::Kind::kDelete, addresses_->Key("", name), SharedBytes(), store::LeaseId{}});
}

object::Document ServiceIps::NewIpAddress(const IpAddress& address, std::string_view name_space,
                                          std::string_view service, Random& random,
                                          object::Timestamp now) const {
  object::Document out = networking::IPAddress::New();
  networking::MutableIPAddress object(out);
  object.mutable_metadata().set_name(address.ToString());
  object.mutable_metadata().put_labels("ipaddress.kubernetes.io/ip-family",
                                       address.is_v4() ? kIpv4Family : kIpv6Family);
  object.mutable_metadata().put_labels("ipaddress.kubernetes.io/managed-by", "ipallocator.k8s.io");
  networking::MutableParentReference parent = object.mutable_spec().mutable_parent_ref();
  parent.set_resource("services");
  parent.set_namespace(name_space);
  parent.set_name(service);
  TrackOwnCreation(*addresses_, out, now);
  object.mutable_metadata().set_uid(NewUuid(random));
  object.mutable_metadata().set_creation_timestamp(now);
  addresses_->strategy().PrepareForCreate(out);
  return out;
}

}  // namespace skiff::apiserver
