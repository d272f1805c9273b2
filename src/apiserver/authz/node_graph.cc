#include "apiserver/authz/node_graph.h"

#include <algorithm>
#include <mutex>
#include <optional>

#include "apiserver/authz/pod_references.h"
#include "views/core/v1.h"

namespace skiff::apiserver {
namespace {

namespace core = views::core_v1;

std::string_view TextAt(const object::Document& object,
                        std::initializer_list<std::string_view> path) {
  const object::Value* found = object.root().FindPath(path);
  return found != nullptr && found->is_string() ? found->AsText() : std::string_view();
}

// Calls visit(thing, name) for all that a pod names.
template <typename Visit>
class PodUses {
 public:
  PodUses(const core::Pod& pod, Visit visit) : visit_(std::move(visit)) {
    const core::PodSpec spec = pod.spec();
    Add(NodeThing::kServiceAccount, spec.service_account_name());
    VisitSecretNames(spec, [this](std::string_view name) {
      Add(NodeThing::kSecret, name);
      return false;
    });
    VisitConfigMapNames(spec, [this](std::string_view name) {
      Add(NodeThing::kConfigMap, name);
      return false;
    });
    for (const core::Volume volume : spec.volumes()) AddVolumeClaim(pod, volume);
    AddResourceClaims(pod);
  }

 private:
  void Add(NodeThing thing, std::string_view name) {
    if (!name.empty()) visit_(thing, name);
  }

  void AddVolumeClaim(const core::Pod& pod, const core::Volume& volume) {
    Add(NodeThing::kVolumeClaim, volume.persistent_volume_claim().claim_name());
    if (volume.has_ephemeral()) {
      Add(NodeThing::kVolumeClaim,
          std::string(pod.metadata().name()) + "-" + std::string(volume.name()));
    }
  }

  // One that is made from a template has its name in the status.
  void AddResourceClaims(const core::Pod& pod) {
    for (const core::PodResourceClaim claim : pod.spec().resource_claims()) {
      Add(NodeThing::kResourceClaim, claim.resource_claim_name().value_or(""));
      if (claim.resource_claim_name()) continue;
      for (const core::PodResourceClaimStatus made : pod.status().resource_claim_statuses()) {
        if (made.name() != claim.name()) continue;
        Add(NodeThing::kResourceClaim, made.resource_claim_name().value_or(""));
      }
    }
    Add(NodeThing::kResourceClaim,
        pod.status().extended_resource_claim_status().resource_claim_name());
  }

  Visit visit_;
};

// Calls visit(name_space, name) for the secrets that a kubelet needs for a volume. Those that name
// no namespace are in that of the claim, where their kind of volume allows it.
template <typename Visit>
void ForEachVolumeSecret(const core::PersistentVolumeSpec& spec, Visit visit) {
  const std::string_view of_claim = spec.claim_ref().namespace_();
  const auto add = [&](const core::SecretReference& secret, std::string_view otherwise) {
    if (secret.name().empty()) return;
    visit(secret.namespace_().empty() ? otherwise : secret.namespace_(), secret.name());
  };
  if (spec.has_azure_file() && !spec.azure_file().secret_name().empty()) {
    const std::string_view given = spec.azure_file().secret_namespace().value_or("");
    visit(given.empty() ? of_claim : given, spec.azure_file().secret_name());
  }
  add(spec.cephfs().secret_ref(), of_claim);
  add(spec.cinder().secret_ref(), "");
  add(spec.flex_volume().secret_ref(), of_claim);
  add(spec.rbd().secret_ref(), of_claim);
  add(spec.scale_io().secret_ref(), of_claim);
  add(spec.iscsi().secret_ref(), of_claim);
  const core::ObjectReference storage_os = spec.storageos().secret_ref();
  if (!storage_os.name().empty()) visit(storage_os.namespace_(), storage_os.name());
  add(spec.csi().node_publish_secret_ref(), "");
  add(spec.csi().node_stage_secret_ref(), "");
  add(spec.csi().node_expand_secret_ref(), "");
}

}  // namespace

NodeGraph::Grant NodeGraph::GrantOf(NodeThing source, const object::Document& object) {
  const std::string name_space(TextAt(object, {"metadata", "namespace"}));
  Grant grant{.node = std::string(TextAt(object, {"spec", "nodeName"}))};
  if (source != NodeThing::kPod) return grant;
  const core::Pod pod(object);
  if (IsMirrorPod(pod)) return grant;
  PodUses(pod, [&](NodeThing thing, std::string_view name) {
    grant.uses.push_back({thing, name_space, std::string(name)});
  });
  return grant;
}

NodeGraph::Volume NodeGraph::VolumeOf(const object::Document& object) {
  const core::PersistentVolumeSpec spec = core::PersistentVolume(object).spec();
  Volume volume{.claim = {NodeThing::kVolumeClaim, std::string(spec.claim_ref().namespace_()),
                          std::string(spec.claim_ref().name())}};
  ForEachVolumeSecret(spec, [&](std::string_view name_space, std::string_view name) {
    volume.secrets.push_back({NodeThing::kSecret, std::string(name_space), std::string(name)});
  });
  return volume;
}

void NodeGraph::Put(NodeThing source, const object::Document& object) {
  Key key{source, std::string(TextAt(object, {"metadata", "namespace"})),
          std::string(TextAt(object, {"metadata", "name"}))};
  std::optional<Volume> volume;
  Grant grant;
  if (source != NodeThing::kVolume) {
    grant = GrantOf(source, object);
  } else if (core::PersistentVolume(object).spec().has_claim_ref()) {
    volume = VolumeOf(object);
  }
  {
    // The status of a pod changes often, and what it names seldom.
    const std::shared_lock lock(mutex_);
    const auto held = grants_.find(key);
    if (held != grants_.end() && held->second.Is(grant)) return;
  }
  const std::lock_guard lock(mutex_);
  RemoveLocked(key);
  if (volume) {
    for (const Key& secret : volume->secrets) volumes_of_secret_[secret].insert(key);
    volumes_.emplace(std::move(key), std::move(*volume));
  } else if (!grant.node.empty()) {
    HoldLocked(std::move(key), grant);
  }
}

bool NodeGraph::HeldGrant::Is(const Grant& grant) const {
  return node == grant.node &&
         std::ranges::equal(uses, grant.uses, {},
                            [](const Key* key) -> const Key& { return *key; });
}

void NodeGraph::HoldLocked(Key source, const Grant& grant) {
  HeldGrant held{.node = grant.node};
  held.uses.reserve(grant.uses.size());
  for (const Key& each : grant.uses) {
    const auto used = nodes_.try_emplace(each).first;
    ++used->second[grant.node];
    held.uses.push_back(&used->first);
  }
  grants_.emplace(std::move(source), std::move(held));
}

void NodeGraph::Remove(NodeThing source, std::string_view name_space, std::string_view name) {
  const std::lock_guard lock(mutex_);
  RemoveLocked({source, std::string(name_space), std::string(name)});
}

void NodeGraph::RemoveLocked(const Key& source) {
  if (const auto grant = grants_.find(source); grant != grants_.end()) {
    for (const Key* each : grant->second.uses) {
      const auto nodes = nodes_.find(*each);
      const auto count = nodes->second.find(grant->second.node);
      if (--count->second == 0) nodes->second.erase(count);
      if (nodes->second.empty()) nodes_.erase(nodes);
    }
    grants_.erase(grant);
  }
  if (const auto volume = volumes_.find(source); volume != volumes_.end()) {
    for (const Key& secret : volume->second.secrets) {
      const auto volumes = volumes_of_secret_.find(secret);
      if (volumes == volumes_of_secret_.end()) continue;
      volumes->second.erase(source);
      if (volumes->second.empty()) volumes_of_secret_.erase(volumes);
    }
    volumes_.erase(volume);
  }
}

bool NodeGraph::Concerns(std::string_view node, NodeThing thing, std::string_view name_space,
                         std::string_view name) const {
  const std::shared_lock lock(mutex_);
  return ConcernsLocked(std::string(node), {thing, std::string(name_space), std::string(name)});
}

bool NodeGraph::ConcernsLocked(const std::string& node, const Key& key) const {
  if (const auto grant = grants_.find(key); grant != grants_.end()) {
    return grant->second.node == node;
  }
  if (const auto nodes = nodes_.find(key); nodes != nodes_.end() && nodes->second.contains(node)) {
    return true;
  }
  if (const auto volume = volumes_.find(key); volume != volumes_.end()) {
    return ConcernsLocked(node, volume->second.claim);
  }
  if (const auto volumes = volumes_of_secret_.find(key); volumes != volumes_of_secret_.end()) {
    for (const Key& volume : volumes->second) {
      if (ConcernsLocked(node, volume)) return true;
    }
  }
  return false;
}

bool NodeGraph::Put(size_t feed, const store::CacheEntry& entry) {
  const Result<object::Document> object = DecodeEntry(entry.value().view());
  if (!object) return false;
  Put(kSources[feed], *object);
  return true;
}

void NodeGraph::Remove(size_t feed, std::string_view name_space, std::string_view name) {
  Remove(kSources[feed], name_space, name);
}

}  // namespace skiff::apiserver
