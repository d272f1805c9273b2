// Which objects are the business of which node, for the Node authorizer.
//
// A pod on a node makes these its node's: the pod, its service account, and the secrets, config
// maps, volume claims and resource claims that it names. The volume behind such a claim is the
// node's too, and so are the secrets that a kubelet needs for the volume. An attachment of a
// volume, a slice of devices and a request for a pod's certificate name their node themselves.
//
// A mirror pod makes nothing but itself its node's: the kubelet made it, and must not give itself
// rights that way.
//
// Any thread may ask; Put() and Remove() are told in the order of events.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "apiserver/authz/cache_follower.h"
#include "object/value.h"

namespace skiff::apiserver {

enum class NodeThing : uint8_t {
  kPod,
  kServiceAccount,
  kSecret,
  kConfigMap,
  kVolumeClaim,
  kVolume,
  kResourceClaim,
  kVolumeAttachment,
  kResourceSlice,
  kPodCertificateRequest,
};

class NodeGraph final : public FollowedState {
 public:
  // Those that it must be told of, in this order for FollowedState.
  static constexpr NodeThing kSources[] = {NodeThing::kPod, NodeThing::kVolume,
                                           NodeThing::kVolumeAttachment, NodeThing::kResourceSlice,
                                           NodeThing::kPodCertificateRequest};

  bool Concerns(std::string_view node, NodeThing thing, std::string_view name_space,
                std::string_view name) const;

  // An object of one of kSources, in its stored version or another with the same fields.
  void Put(NodeThing source, const object::Document& object);
  void Remove(NodeThing source, std::string_view name_space, std::string_view name);

  bool Put(size_t feed, const store::CacheEntry& entry) override;
  void Remove(size_t feed, std::string_view name_space, std::string_view name) override;

 private:
  struct Key {
    NodeThing thing;
    std::string name_space;
    std::string name;
    auto operator<=>(const Key&) const = default;
  };
  // The node that a source names: it is the node's itself, and so is what it uses.
  struct Grant {
    std::string node;
    std::vector<Key> uses = {};
  };
  // A grant as it is kept. There are as many as pods, and most of them use the same few objects.
  struct HeldGrant {
    std::string node;
    std::vector<const Key*> uses = {};  // of nodes_
    bool Is(const Grant& grant) const;
  };
  struct Volume {
    Key claim;
    std::vector<Key> secrets = {};
  };

  static Grant GrantOf(NodeThing source, const object::Document& object);
  static Volume VolumeOf(const object::Document& object);
  bool ConcernsLocked(const std::string& node, const Key& key) const;
  void HoldLocked(Key source, const Grant& grant);
  void RemoveLocked(const Key& source);

  mutable std::shared_mutex mutex_;  // guards what follows
  std::map<Key, HeldGrant> grants_;  // by what makes them
  // How many sources on the node use the object.
  std::map<Key, std::map<std::string, uint32_t>> nodes_;
  std::map<Key, Volume> volumes_;
  std::map<Key, std::set<Key>> volumes_of_secret_;
};

}  // namespace skiff::apiserver
