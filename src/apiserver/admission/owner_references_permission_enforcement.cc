// OwnerReferencesPermissionEnforcement: giving an object an owner lets garbage collection delete
// it, so that takes the right to delete it; and a reference that blocks the deletion of the owner
// takes the right to set finalizers of the owner.
#include <vector>

#include "apiserver/admission/plugins.h"
#include "apiserver/admission/request.h"
#include "apiserver/validation/seen_names.h"
#include "base/strings.h"
#include "views/meta/v1.h"

namespace skiff::apiserver {
namespace {

namespace meta = views::meta_v1;
using Owners = object::ListView<meta::OwnerReference>;

Owners OwnersOf(const object::Document* object) {
  return Owners(object != nullptr ? object->root().FindPath({"metadata", "ownerReferences"})
                                  : nullptr);
}

bool SameOwners(const Owners& a, const Owners& b) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i) {
    if (!object::DeepEqual(*a[i].AsValue(), *b[i].AsValue())) return false;
  }
  return true;
}

// Those that block now and did not before.
std::vector<meta::OwnerReference> NewlyBlocking(const Owners& before, const Owners& after) {
  const auto blocks = [](const meta::OwnerReference& owner) {
    return owner.block_owner_deletion().value_or(false);
  };
  SeenNames blocking;
  for (const meta::OwnerReference old : before) {
    if (blocks(old)) blocking.Add(old.uid());
  }
  std::vector<meta::OwnerReference> out;
  for (const meta::OwnerReference owner : after) {
    if (blocks(owner) && !blocking.Has(owner.uid())) out.push_back(owner);
  }
  return out;
}

std::vector<const object::ResourceDesc*> ResourcesOf(std::string_view api_version,
                                                     std::string_view kind) {
  std::vector<const object::ResourceDesc*> out;
  for (const object::GroupVersionInfo& version : object::ServedGroupVersions()) {
    if (version.desc->api_version != api_version) continue;
    for (const object::ResourceDesc& resource : version.resources) {
      if (resource.kind_name == kind) out.push_back(&resource);
    }
  }
  return out;
}

class OwnerReferencesPermissionEnforcement final : public AdmissionPlugin {
 public:
  explicit OwnerReferencesPermissionEnforcement(serving::Authorizer& authorizer)
      : authorizer_(authorizer) {}

  Result<void> Validate(AdmissionRequest& request) override {
    if (request.object == nullptr || (!Creates(request) && !Updates(request))) return {};
    // The status of a pod is the node's to write, and it cannot change owners by it.
    if (request.subresource == "status" && IsOf(request, "", "pods")) return {};
    const Owners before = OwnersOf(request.old);
    const Owners after = OwnersOf(request.object);
    if (SameOwners(before, after)) return {};
    if (!Creates(request)) SKIFF_RETURN_IF_ERROR(CheckDelete(request));
    const std::vector<meta::OwnerReference> blocking = NewlyBlocking(before, after);
    if (blocking.empty() || MayFinalizeAll(request)) return {};
    for (const meta::OwnerReference& owner : blocking) {
      SKIFF_RETURN_IF_ERROR(CheckFinalizers(request, owner));
    }
    return {};
  }

 private:
  Result<void> CheckDelete(const AdmissionRequest& request) {
    const serving::AuthorizationResult answer =
        AuthorizeNow(authorizer_, {.user = &request.user,
                                   .verb = "delete",
                                   .is_resource = true,
                                   .group = GroupOf(request),
                                   .version = request.resource.version->desc->version,
                                   .resource = request.resource.name,
                                   .subresource = request.subresource,
                                   .name_space = request.name_space,
                                   .name = request.name,
                                   .path = {}});
    if (answer.decision == serving::Decision::kAllow) return {};
    return Deny(request, "cannot set an ownerRef on a resource you can't delete: " + answer.reason +
                             ", " + ErrorOf(answer));
  }

  bool MayFinalizeAll(const AdmissionRequest& request) {
    return IsAllowed(authorizer_, {.user = &request.user,
                                   .verb = "update",
                                   .is_resource = true,
                                   .group = "*",
                                   .version = "*",
                                   .resource = "*",
                                   .subresource = "finalizers",
                                   .name_space = {},
                                   .name = "*",
                                   .path = {}});
  }

  Result<void> CheckFinalizers(const AdmissionRequest& request, const meta::OwnerReference& owner) {
    const auto resources = ResourcesOf(owner.api_version(), owner.kind());
    if (resources.empty()) {
      return Deny(request,
                  "cannot set blockOwnerDeletion in this case because cannot find RESTMapping for "
                  "APIVersion " +
                      std::string(owner.api_version()) + " Kind " + std::string(owner.kind()) +
                      ": no matches for kind " + InQuotes(owner.kind()) + " in version " +
                      InQuotes(owner.api_version()));
    }
    for (const object::ResourceDesc* resource : resources) {
      const serving::AuthorizationResult answer =
          AuthorizeNow(authorizer_, {.user = &request.user,
                                     .verb = "update",
                                     .is_resource = true,
                                     .group = resource->version->desc->group,
                                     .version = resource->version->desc->version,
                                     .resource = resource->name,
                                     .subresource = "finalizers",
                                     .name_space = resource->namespaced ? request.name_space : "",
                                     .name = owner.name(),
                                     .path = {}});
      if (answer.decision == serving::Decision::kAllow) continue;
      return Deny(request,
                  "cannot set blockOwnerDeletion if an ownerReference refers to a resource you "
                  "can't set finalizers on: " +
                      answer.reason + ", " + ErrorOf(answer));
    }
    return {};
  }

  static std::string ErrorOf(const serving::AuthorizationResult& answer) {
    return answer.evaluation_error.empty() ? "<nil>" : answer.evaluation_error;
  }

  serving::Authorizer& authorizer_;
};

}  // namespace

MadePlugin MakeOwnerReferencesPermissionEnforcement(const PluginContext& context,
                                                    std::string_view) {
  return std::make_unique<OwnerReferencesPermissionEnforcement>(context.authorizer);
}

}  // namespace skiff::apiserver
