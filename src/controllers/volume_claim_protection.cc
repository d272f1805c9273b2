#include "controllers/volume_claim_protection.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "controllers/objects.h"
#include "controllers/owner_reference.h"
#include "controllers/queue_controller.h"
#include "views/core/v1.h"

namespace skiff::controllers {
namespace {

namespace core = views::core_v1;

constexpr std::string_view kFinalizer = "kubernetes.io/pvc-protection";
constexpr char kByClaim[] = "claim";

// The claim that is made for an ephemeral volume of a pod.
std::string EphemeralClaimName(const core::Pod& pod, const core::Volume& volume) {
  return std::string(pod.metadata().name()) + "-" + std::string(volume.name());
}

// Claims that the pod's volumes name, of its namespace, as keys.
std::vector<std::string> ClaimsOf(const object::Document& document) {
  const core::Pod pod(document);
  const std::string prefix = std::string(pod.metadata().namespace_()) + "/";
  std::vector<std::string> claims;
  for (const core::Volume volume : pod.spec().volumes()) {
    if (volume.has_persistent_volume_claim()) {
      claims.push_back(prefix + std::string(volume.persistent_volume_claim().claim_name()));
    } else if (volume.has_ephemeral()) {
      claims.push_back(prefix + EphemeralClaimName(pod, volume));
    }
  }
  return claims;
}

bool HasEnded(const core::Pod& pod) {
  return pod.status().phase() == "Succeeded" || pod.status().phase() == "Failed";
}

// Its containers have ended and its volumes are no longer in use; only finalizers keep it.
bool IsShutDown(const core::Pod& pod) {
  return pod.metadata().deletion_timestamp() && pod.metadata().deletion_grace_period_seconds() == 0;
}

bool IsOwnedBy(const object::Document& claim, const core::Pod& pod) {
  for (const auto owner : core::PersistentVolumeClaim(claim).metadata().owner_references()) {
    if (owner.controller().value_or(false)) return owner.uid() == pod.metadata().uid();
  }
  return false;
}

// A pod that has no node yet does not count: no node starts a pod with a claim that goes.
bool Uses(const object::Document& document, const object::Document& claim) {
  const core::Pod pod(document);
  const client::ObjectName name = client::NameOf(claim);
  if (pod.spec().node_name().empty() || pod.metadata().namespace_() != name.name_space) {
    return false;
  }
  for (const core::Volume volume : pod.spec().volumes()) {
    if (volume.has_persistent_volume_claim()) {
      if (volume.persistent_volume_claim().claim_name() == name.name) return true;
    } else if (volume.has_ephemeral() && !IsShutDown(pod) &&
               EphemeralClaimName(pod, volume) == name.name && IsOwnedBy(claim, pod)) {
      return true;
    }
  }
  return false;
}

bool AnyUses(const std::vector<client::ObjectPtr>& pods, const object::Document& claim) {
  return std::ranges::any_of(pods, [&](const client::ObjectPtr& pod) { return Uses(*pod, claim); });
}

class VolumeClaimProtection final : public QueueController {
 public:
  explicit VolumeClaimProtection(ControllerContext context)
      : QueueController(std::move(context), {.name = "pvcprotection"}),
        claims_(context_.informers.For(client::BuiltIn("", "v1", "persistentvolumeclaims"))),
        pods_(context_.informers.For(client::BuiltIn("", "v1", "pods"))) {
    pods_.AddIndex(kByClaim, ClaimsOf);
    const auto look_at_claim = [this](const client::ObjectPtr& claim) {
      if (client::IsDeleting(*claim) == HasFinalizer(*claim, kFinalizer)) {
        queue_.Add(client::NameOf(*claim).name_space);
      }
    };
    queue_.Follow(claims_, {.added = look_at_claim,
                            .updated = [look_at_claim](const client::ObjectPtr&,
                                                       const client::ObjectPtr& claim) {
                              look_at_claim(claim);
                            }});
    FollowPods();
  }

 private:
  // Those that no longer use the claims that they name.
  void FollowPods() {
    const auto let_go = [this](const client::ObjectPtr& pod) {
      for (const std::string& claim : ClaimsOf(*pod)) {
        const client::ObjectPtr there = claims_.Find(NameOfKey(claim));
        if (there && client::IsDeleting(*there)) queue_.Add(client::NameOf(*pod).name_space);
      }
    };
    const auto look_at = [let_go](const client::ObjectPtr& document) {
      const core::Pod pod(*document);
      if (HasEnded(pod) || IsShutDown(pod) || pod.spec().node_name().empty()) let_go(document);
    };
    queue_.Follow(
        pods_, {.added = look_at,
                .updated =
                    [look_at, let_go](const client::ObjectPtr& old, const client::ObjectPtr& pod) {
                      look_at(pod);
                      if (client::UidOf(*old) != client::UidOf(*pod)) let_go(old);
                    },
                .deleted = let_go});
  }

  // The key is a namespace: for all claims of it the pods are listed once.
  Task<Result<void>> Reconcile(std::string key) override {
    std::optional<std::vector<client::ObjectPtr>> live_pods;
    Result<void> result;
    for (const client::ObjectPtr& claim : claims_.List(key)) {
      const bool deleting = client::IsDeleting(*claim);
      if (deleting != HasFinalizer(*claim, kFinalizer)) continue;
      if (deleting && AnyUses(pods_.ByIndex(kByClaim, KeyOf(*claim)), *claim)) continue;
      if (deleting && !live_pods) {
        // A pod may be there that has not been seen yet.
        client::ClientCall call;
        call.verb = client::ClientVerb::kList;
        call.resource = &pods_.resource();
        call.target.name_space = key;
        Result<client::ClientReply> listed = co_await context_.client.List(std::move(call));
        if (!listed) co_return std::unexpected(listed.error());
        live_pods = std::move(listed->items);
      }
      if (deleting && AnyUses(*live_pods, *claim)) continue;
      client::ObjectPtr changed =
          deleting ? WithoutFinalizer(*claim, kFinalizer) : WithFinalizer(*claim, kFinalizer);
      const Result<client::ObjectPtr> written =
          co_await context_.client.Update(claims_.resource(), std::move(changed));
      // Gone, or changed by another, of which there will be an event.
      if (!written && !FailedWith(written, StatusReason::kNotFound) &&
          !FailedWith(written, StatusReason::kConflict)) {
        result = std::unexpected(written.error());
      }
    }
    co_return result;
  }

  client::Informer& claims_;
  client::Informer& pods_;
};

}  // namespace

std::unique_ptr<Controller> MakeVolumeClaimProtectionController(ControllerContext context) {
  return std::make_unique<VolumeClaimProtection>(std::move(context));
}

}  // namespace skiff::controllers
