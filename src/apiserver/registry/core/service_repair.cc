// The repair of what services have been given (services.h): objects that were written past this
// server, restored from old backups or damaged may disagree.
#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include "apiserver/registry/cache_reads.h"
#include "apiserver/registry/core/service_behaviour.h"
#include "apiserver/rest/object_meta.h"
#include "apiserver/rest/object_output.h"
#include "object/protobuf/envelope.h"
#include "store/blocking.h"
#include "views/networking.k8s.io/v1.h"

namespace skiff::apiserver {
namespace {

namespace networking = views::networking_k8s_io_v1;

// One IPAddress that this allocator manages.
struct KnownAddress {
  store::Revision revision;
  std::string owner;  // "namespace/name"
};

struct ServiceAddress {
  std::string service_key;  // without the prefix: "namespace/name"
  store::Revision service_revision;
};

bool IsManaged(const object::Document& object) {
  const object::Value* label =
      object.root().FindPath({"metadata", "labels", "ipaddress.kubernetes.io/managed-by"});
  return label != nullptr && label->is_string() && label->AsText() == "ipallocator.k8s.io";
}

std::map<std::string, KnownAddress> KnownAddresses(ResourceStorage* storage) {
  std::map<std::string, KnownAddress> out;
  ForEachInCache(storage, [&](const store::CacheEntry& entry) {
    const Result<object::Document> object = DecodeStored(entry.value().view(), {});
    if (!object || !IsManaged(*object)) return;
    const networking::ParentReference parent = networking::IPAddress(*object).spec().parent_ref();
    out[std::string(entry.name())] = {
        entry.revision(), std::string(parent.namespace_()) + "/" + std::string(parent.name())};
  });
  return out;
}

// Calls with each service's fields; false when the services are not known.
template <typename Call>
bool ForEachService(StorageSet& storages, Call call) {
  ResourceStorage* storage = storages.Find(object::FindResource("", "v1", "services")->hub);
  return ForEachInCache(storage, [&](const store::CacheEntry& entry) {
    const Result<object::Document> object = DecodeStored(entry.value().view(), {});
    if (object) call(entry, ServiceFields::Read(*object));
  });
}

Result<void> CommitQuietly(store::Store& store, store::Transaction transaction) {
  // If somebody was faster, the next repair sees what is left to do.
  SKIFF_RETURN_IF_ERROR(store::CommitAndWait(store, std::move(transaction)));
  return {};
}

}  // namespace

Result<void> ServiceBehaviour::Repair(Clock& clock, Random& random) {
  SKIFF_RETURN_IF_ERROR(Follow());
  SKIFF_RETURN_IF_ERROR(RepairAddresses(clock, random));
  return RepairPorts();
}

Result<void> ServiceBehaviour::RepairAddresses(Clock& clock, Random& random) {
  ResourceStorage* addresses = ips_.storage();
  if (addresses == nullptr) return {};
  // Before the services, so that the address of a new service is not taken for a leak.
  std::map<std::string, KnownAddress> known = KnownAddresses(addresses);
  std::map<std::string, ServiceAddress> missing;
  const bool seen =
      ForEachService(storages_, [&](const store::CacheEntry& entry, ServiceFields service) {
        FillOldFields(service, ips_.families());
        if (service.external_name() || service.headless()) return;
        for (const std::string& text : service.cluster_ips) {
          const Result<IpAddress> address = IpAddress::Parse(text);
          if (!address) continue;
          const std::string name = address->ToString();
          const auto found = known.find(name);
          if (found != known.end() && found->second.owner == entry.key()) {
            known.erase(found);
          } else {
            missing[name] = {std::string(entry.key()), entry.revision()};
          }
        }
      });
  if (!seen) return {};
  ResourceStorage* services = storages_.Find(object::FindResource("", "v1", "services")->hub);
  for (const auto& [name, owner] : missing) {
    const size_t slash = owner.service_key.find('/');
    const std::string name_space = owner.service_key.substr(0, slash);
    const std::string service = owner.service_key.substr(slash + 1);
    const object::Document object =
        ips_.NewIpAddress(*IpAddress::Parse(name), name_space, service, random, NowOf(clock));
    std::string bytes;
    object::EncodeStorage(object.root(), &bytes);
    // An address of somebody else is only taken over if he is found to have no claim to it.
    const store::Transaction transaction{
        {{addresses->Key("", name), store::Revision{}},
         {services->Key(name_space, service), owner.service_revision}},
        {{store::Write::Kind::kPut, addresses->Key("", name), SharedBytes(bytes),
          store::LeaseId{}}}};
    SKIFF_RETURN_IF_ERROR(CommitQuietly(addresses->store(), transaction));
  }
  std::vector<std::string> leaked;
  for (const auto& [name, address] : known) {
    if (std::ranges::binary_search(leaked_addresses_, name)) {
      SKIFF_RETURN_IF_ERROR(CommitQuietly(
          addresses->store(),
          store::Transaction::DeleteIfRevision(addresses->Key("", name), address.revision)));
    } else {
      leaked.push_back(name);
    }
  }
  leaked_addresses_ = std::move(leaked);
  return {};
}

Result<void> ServiceBehaviour::RepairPorts() {
  SKIFF_ASSIGN_OR_RETURN(const NodePorts::State state, ports_->Current());
  PortBitmap wanted = state.ports;
  std::vector<int32_t> used;
  const bool seen =
      ForEachService(storages_, [&](const store::CacheEntry&, const ServiceFields& service) {
        std::ranges::move(service.NodePorts(), std::back_inserter(used));
        if (service.wants_health_check_port()) used.push_back(service.health_check_port);
      });
  if (!seen) return {};
  std::ranges::sort(used);
  for (const int32_t port : used) wanted.Set(port, true);
  std::vector<int32_t> leaked;
  for (const int32_t port : state.ports.Taken()) {
    if (std::ranges::binary_search(used, port)) continue;
    if (std::ranges::binary_search(leaked_ports_, port)) {
      wanted.Set(port, false);
    } else {
      leaked.push_back(port);
    }
  }
  leaked_ports_ = std::move(leaked);
  if (wanted == state.ports) return {};
  return CommitQuietly(ports_->store(), {{{ports_->key(), state.revision}},
                                         {{store::Write::Kind::kPut, ports_->key(),
                                           SharedBytes(wanted.Encode()), store::LeaseId{}}}});
}

}  // namespace skiff::apiserver
