// Sees all objects that can be garbage, as metadata: one informer for each resource that discovery
// names and that can be listed, watched and deleted. Resources come and go; what discovery cannot
// reach at the moment is kept.
//
// Owner: the garbage collector; belongs to its executor.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "client/client.h"
#include "client/informer.h"
#include "controllers/owner_graph.h"

namespace skiff::controllers {

class ResourceMonitors {
 public:
  struct Change {
    bool any = false;                    // kinds came or went
    std::vector<std::string> lost = {};  // uids of objects that no informer sees any more
  };

  // All must outlive it. `on_apis_changed` is told when an object changed that adds or removes
  // resources, so that discovery may have news.
  ResourceMonitors(client::InformerSet& informers, OwnerGraph& graph, Clock& clock,
                   std::function<void()> on_apis_changed);
  ~ResourceMonitors();
  ResourceMonitors(const ResourceMonitors&) = delete;
  ResourceMonitors& operator=(const ResourceMonitors&) = delete;

  Change Update(const client::ServedApi& served);

  // The resource of a kind that an owner reference or an object names, or null when the server
  // serves none. Versions of built-in kinds must be ones that exist.
  std::shared_ptr<const client::ApiResource> Resolve(std::string_view api_version,
                                                     std::string_view kind) const;
  // There are informers, and all have seen everything.
  bool synced() const;
  // Nothing more can be waited for: those that have not seen everything have had their time.
  bool settled() const;
  size_t size() const { return monitors_.size(); }

 private:
  class Monitor;
  using Kinds =
      std::map<std::pair<std::string, std::string>, std::shared_ptr<const client::ApiResource>>;

  client::InformerSet& informers_;
  OwnerGraph& graph_;
  Clock& clock_;
  const std::function<void()> on_apis_changed_;
  std::map<std::string, std::unique_ptr<Monitor>> monitors_;  // by "group/version/name"
  Kinds kinds_;                                               // by group and kind
};

}  // namespace skiff::controllers
