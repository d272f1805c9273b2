#include "controllers/volume_protection.h"

#include <memory>

#include "controllers/objects.h"
#include "controllers/owner_reference.h"
#include "controllers/queue_controller.h"
#include "views/core/v1.h"

namespace skiff::controllers {
namespace {

constexpr std::string_view kFinalizer = "kubernetes.io/pv-protection";

bool IsBound(const object::Document& volume) {
  return views::core_v1::PersistentVolume(volume).status().phase() == "Bound";
}

class VolumeProtection final : public QueueController {
 public:
  explicit VolumeProtection(ControllerContext context)
      : QueueController(std::move(context), {.name = "pvprotection"}),
        volumes_(context_.informers.For(client::BuiltIn("", "v1", "persistentvolumes"))) {
    queue_.FollowKeys(volumes_);
  }

 private:
  Task<Result<void>> Reconcile(std::string key) override {
    const client::ObjectPtr volume = volumes_.Find({.name_space = {}, .name = key});
    if (!volume) co_return Result<void>();
    const bool deleting = client::IsDeleting(*volume);
    if (deleting != HasFinalizer(*volume, kFinalizer) || (deleting && IsBound(*volume))) {
      co_return Result<void>();
    }
    client::ObjectPtr changed =
        deleting ? WithoutFinalizer(*volume, kFinalizer) : WithFinalizer(*volume, kFinalizer);
    const Result<client::ObjectPtr> written =
        co_await context_.client.Update(volumes_.resource(), std::move(changed));
    // Gone, or changed by another, of which there will be an event.
    if (written || FailedWith(written, StatusReason::kNotFound) ||
        FailedWith(written, StatusReason::kConflict)) {
      co_return Result<void>();
    }
    co_return std::unexpected(written.error());
  }

  client::Informer& volumes_;
};

}  // namespace

std::unique_ptr<Controller> MakeVolumeProtectionController(ControllerContext context) {
  return std::make_unique<VolumeProtection>(std::move(context));
}

}  // namespace skiff::controllers
