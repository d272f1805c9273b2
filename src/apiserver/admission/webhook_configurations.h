// The webhooks of a cluster, compiled: what mutating or validating configurations say, in the order
// in which they are called.
//
// Configurations are followed, each compiled when it changes; who admits a request takes the table
// at hand and finds in it those that may be about the request's resource, which is nearly always
// nobody. Owner: the plugin.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "apiserver/admission/policy.h"
#include "apiserver/admission/resource_rules.h"
#include "apiserver/admission/webhook_review.h"
#include "apiserver/authz/cache_follower.h"
#include "apiserver/rest/resource_storage.h"
#include "apiserver/webhook/webhook_target.h"
#include "base/clock.h"

namespace skiff::apiserver {

// One webhook. Immutable.
struct CompiledWebhook {
  std::string configuration;
  std::string name;
  std::string id;  // the same for the same place in the same configuration
  MatchCriteria criteria;
  // Of a policy that has nothing but matchConditions and what becomes of those that fail; null:
  // there are none.
  std::shared_ptr<const Policy> conditions;
  std::shared_ptr<const WebhookTarget> target;
  ReviewVersion version = ReviewVersion::kNone;
  Duration timeout{0};  // none
  bool ignores_failures = false;
  bool has_side_effects = true;  // also of a dry run
  bool says_side_effects = false;
  bool may_be_reinvoked = false;
};
using CompiledWebhookPtr = std::shared_ptr<const CompiledWebhook>;

// `configuration` is an object of either kind.
std::vector<CompiledWebhookPtr> CompileWebhooks(const object::Document& configuration);

class WebhookTable {
 public:
  // In the order of the names of configurations, and in that of each.
  explicit WebhookTable(std::vector<CompiledWebhookPtr> all);

  struct Entry {
    CompiledWebhookPtr webhook;
    size_t index;  // among all webhooks
  };
  // Those whose rules name the resource, or any. By its plural alone: equivalent resources share
  // it.
  const std::vector<Entry>& For(std::string_view resource) const;

 private:
  struct TextHash {
    using is_transparent = void;
    size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
  };
  std::unordered_map<std::string, std::vector<Entry>, TextHash, std::equal_to<>> by_resource_;
  std::vector<Entry> any_;
};

class WebhookConfigurations final : private FollowedState {
 public:
  using Table = std::shared_ptr<const WebhookTable>;

  // `storage` is of one of the two kinds. `add_background` is that of PluginContext; without it
  // every request looks anew.
  using AddBackground =
      std::function<std::function<void()>(Duration interval, std::function<void()> run)>;
  WebhookConfigurations(ResourceStorage* storage, const AddBackground& add_background);
  ~WebhookConfigurations() override;

  // Any thread. Null: they are not known yet.
  Table table() const;

 private:
  bool Put(size_t feed, const store::CacheEntry& entry) override;
  void Remove(size_t feed, std::string_view name_space, std::string_view name) override;
  void Publish();
  // Once they were seen, the table that is published; before, what the cache has.
  Table ReadNow() const;

  ResourceStorage* const storage_;
  std::map<std::string, std::vector<CompiledWebhookPtr>, std::less<>> known_;  // of the follower
  bool changed_ = true;
  std::atomic<Table> published_;
  std::unique_ptr<CacheFollower> follower_;
};

}  // namespace skiff::apiserver
