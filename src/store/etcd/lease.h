// Requests about leases. Internal to store/etcd.
#pragma once

#include <memory>

#include "store/etcd/core.h"
#include "store/store.h"

namespace skiff::store {

void GrantEtcdLease(const std::shared_ptr<EtcdCore>& core, std::chrono::seconds ttl, LeaseId id,
                    StoreCallback<LeaseInfo> done);
void RenewEtcdLease(const std::shared_ptr<EtcdCore>& core, LeaseId id,
                    StoreCallback<LeaseInfo> done);
void RevokeEtcdLease(const std::shared_ptr<EtcdCore>& core, LeaseId id,
                     StoreCallback<Revision> done);
void FindEtcdLease(const std::shared_ptr<EtcdCore>& core, LeaseId id,
                   StoreCallback<LeaseInfo> done);

}  // namespace skiff::store
