#include "controllers/volume_attributes_class_protection.h"

#include <memory>
#include <string>
#include <vector>

#include "controllers/objects.h"
#include "controllers/owner_reference.h"
#include "controllers/queue_controller.h"
#include "views/core/v1.h"

namespace skiff::controllers {
namespace {

namespace core = views::core_v1;

constexpr std::string_view kFinalizer = "kubernetes.io/vac-protection";
constexpr char kByClass[] = "volumeAttributesClass";

std::vector<std::string> ClassesOfVolume(const object::Document& volume) {
  const auto name = core::PersistentVolume(volume).spec().volume_attributes_class_name();
  return name && !name->empty() ? std::vector<std::string>{std::string(*name)}
                                : std::vector<std::string>();
}

// The one that it is to have, the one that it has, and the one that it is getting.
std::vector<std::string> ClassesOfClaim(const object::Document& document) {
  const core::PersistentVolumeClaim claim(document);
  std::vector<std::string> names;
  for (const std::string_view name :
       {claim.spec().volume_attributes_class_name().value_or(""),
        claim.status().current_volume_attributes_class_name().value_or(""),
        claim.status().modify_volume_status().target_volume_attributes_class_name()}) {
    if (!name.empty()) names.emplace_back(name);
  }
  return names;
}

class VolumeAttributesClassProtection final : public QueueController {
 public:
  explicit VolumeAttributesClassProtection(ControllerContext context)
      : QueueController(std::move(context), {.name = "vacprotection"}),
        classes_(context_.informers.For(
            client::BuiltIn("storage.k8s.io", "v1", "volumeattributesclasses"))),
        claims_(context_.informers.For(client::BuiltIn("", "v1", "persistentvolumeclaims"))),
        volumes_(context_.informers.For(client::BuiltIn("", "v1", "persistentvolumes"))) {
    queue_.FollowKeys(classes_);
    FollowUses(claims_, ClassesOfClaim);
    FollowUses(volumes_, ClassesOfVolume);
  }

 private:
  void FollowUses(client::Informer& users,
                  std::vector<std::string> (*classes_of)(const object::Document&)) {
    users.AddIndex(kByClass, classes_of);
    const auto let_go = [this, classes_of](const client::ObjectPtr& old) {
      for (std::string& name : classes_of(*old)) queue_.Add(std::move(name));
    };
    queue_.Follow(users, {.updated =
                              [let_go, classes_of](const client::ObjectPtr& old,
                                                   const client::ObjectPtr& user) {
                                if (classes_of(*old) != classes_of(*user)) let_go(old);
                              },
                          .deleted = let_go});
  }

  Task<Result<void>> Reconcile(std::string key) override {
    const client::ObjectPtr object = classes_.Find({.name_space = {}, .name = key});
    if (!object) co_return Result<void>();
    const bool deleting = client::IsDeleting(*object);
    if (deleting != HasFinalizer(*object, kFinalizer)) co_return Result<void>();
    if (deleting &&
        (!volumes_.ByIndex(kByClass, key).empty() || !claims_.ByIndex(kByClass, key).empty())) {
      co_return Result<void>();
    }
    client::ObjectPtr changed =
        deleting ? WithoutFinalizer(*object, kFinalizer) : WithFinalizer(*object, kFinalizer);
    const Result<client::ObjectPtr> written =
        co_await context_.client.Update(classes_.resource(), std::move(changed));
    // Gone, or changed by another, of which there will be an event.
    if (written || FailedWith(written, StatusReason::kNotFound) ||
        FailedWith(written, StatusReason::kConflict)) {
      co_return Result<void>();
    }
    co_return std::unexpected(written.error());
  }

  client::Informer& classes_;
  client::Informer& claims_;
  client::Informer& volumes_;
};

}  // namespace

std::unique_ptr<Controller> MakeVolumeAttributesClassProtectionController(
    ControllerContext context) {
  return std::make_unique<VolumeAttributesClassProtection>(std::move(context));
}

}  // namespace skiff::controllers
