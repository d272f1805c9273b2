// The addresses of services: which are free, and the IPAddress objects that say whose each is.
//
// An address belongs to whoever wrote its IPAddress, which happens in the transaction of the
// service under the condition that there is none; so two services never get the same one, whatever
// servers they are created through. What is free is looked up in the watch caches and may be out of
// date; then the transaction fails and is prepared anew.
//
// The ranges are those of all ServiceCIDR objects that are ready; until there is one of a family,
// those of the flags.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/registry/core/service_fields.h"
#include "apiserver/rest/behaviour.h"
#include "apiserver/rest/storage_set.h"
#include "base/ip_address.h"
#include "base/random.h"
#include "base/status.h"

namespace skiff::apiserver {

// The addresses of a range that services may have, counted from the first: not the network's own,
// nor, in IPv4, the broadcast address. The lower ones, the band, are handed out last, so that
// people who choose an address there rarely find it taken.
class ServiceIpRange {
 public:
  explicit ServiceIpRange(const IpRange& range);

  uint64_t size() const { return size_; }
  uint64_t band() const { return band_; }
  const IpRange& range() const { return range_; }
  IpAddress At(uint64_t offset) const { return range_.At(offset + 1).value_or(range_.base()); }
  // Nothing when it is not one of them.
  std::optional<uint64_t> OffsetOf(const IpAddress& address) const;

  // A random one that is not in `used`, above the band if possible; nothing when all are.
  std::optional<uint64_t> ChooseFree(std::vector<uint64_t> used, Random& random) const;

 private:
  IpRange range_;
  uint64_t size_;
  uint64_t band_;
};

// Any thread may use it.
class ServiceIps {
 public:
  // `configured` is never empty.
  ServiceIps(StorageSet& storages, std::vector<IpRange> configured);

  const ServiceFamilies& families() const { return families_; }

  // Adds what makes the address the service's to the transaction. The error is what is wrong with
  // it: kInvalid without causes.
  Result<void> Take(WriteContext& write, std::string_view name_space, std::string_view service,
                    const IpAddress& address) const;
  // Chooses one. kInternalError when there is none left.
  Result<IpAddress> TakeAny(WriteContext& write, std::string_view name_space,
                            std::string_view service, std::string_view family) const;
  // Gives it back, if it is the service's.
  void Release(WriteContext& write, std::string_view name_space, std::string_view service,
               std::string_view address) const;

  // The IPAddress of a service's address, ready to be stored.
  object::Document NewIpAddress(const IpAddress& address, std::string_view name_space,
                                std::string_view service, Random& random,
                                object::Timestamp now) const;
  ResourceStorage* storage() const { return addresses_; }

 private:
  std::vector<IpRange> Ranges(bool v4) const;
  bool IsUsed(const IpAddress& address) const;
  std::vector<uint64_t> UsedOf(const ServiceIpRange& range) const;
  void AddWrite(WriteContext& write, std::string_view name_space, std::string_view service,
                const IpAddress& address) const;

  ResourceStorage* const addresses_;  // null: not served
  ResourceStorage* const cidrs_;
  const std::vector<IpRange> configured_;
  ServiceFamilies families_;
};

}  // namespace skiff::apiserver
