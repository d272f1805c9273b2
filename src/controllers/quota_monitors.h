// What the quotas of a cluster count: which resources the server has, what of them a namespace
// uses, and when that becomes less.
//
// A resource is watched from when a quota first names something that counts for it. Objects that
// are merely counted are watched by their metadata alone. Belongs to the client's executor.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "client/client.h"
#include "client/informer.h"
#include "controllers/quota_lookups.h"
#include "quota/evaluator.h"
#include "quota/resource_list.h"

namespace skiff::controllers {

class QuotaMonitors {
 public:
  // Something that this evaluator knows may count for less in this namespace.
  using Freed =
      std::function<void(const quota::QuotaEvaluator& evaluator, const std::string& name_space)>;

  // Both must outlive it.
  QuotaMonitors(client::InformerSet& informers, Clock& clock, Freed freed);
  ~QuotaMonitors();

  // Takes in what the server serves. What does not answer stays, with what was last seen of it.
  void Learn(const client::ServedApi& api);
  bool knows_any() const { return !monitors_.empty(); }
  // Whether each name that counts objects (count/deployments.apps) is that of a known resource.
  bool KnowsCountsOf(const quota::ResourceNames& names) const;

  // Watches what counts for these names. To be called again until synced() holds for them.
  void Watch(const quota::ResourceNames& names);
  bool synced(const quota::ResourceNames& names) const;
  // Watches nothing any more, until asked to again.
  void Rest();

  // What the namespace's objects that are in all of these scopes use, of those names that count
  // something known.
  quota::ResourceList Usage(const std::string& name_space,
                            const std::vector<quota::ScopeRule>& scopes,
                            const quota::ResourceNames& names) const;

 private:
  struct Monitor;

  void Start(Monitor& monitor);
  void Stop(Monitor& monitor);
  void WatchDevices(const quota::ResourceNames& names);
  void AddUsage(const Monitor& monitor, const std::string& name_space,
                const std::vector<quota::ScopeRule>& scopes, quota::ResourceList& used) const;

  client::InformerSet& informers_;
  Clock& clock_;
  const Freed freed_;
  InformedQuotaLookups lookups_;
  bool has_device_classes_ = false;
  std::vector<std::unique_ptr<Monitor>> monitors_;
};

}  // namespace skiff::controllers
