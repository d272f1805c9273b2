#include "apiserver/admission/token_audiences.h"

#include "apiserver/admission/lookups.h"
#include "apiserver/admission/request.h"
#include "base/strings.h"
#include "views/core/v1.h"
#include "views/storage.k8s.io/v1.h"

namespace skiff::apiserver {
namespace {

namespace core = views::core_v1;

// Volumes that Kubernetes once knew how to mount, and the drivers that do it now.
struct Migrated {
  std::string_view member;
  std::string_view driver;
};
constexpr Migrated kMigrated[] = {
    {"awsElasticBlockStore", "ebs.csi.aws.com"},
    {"azureDisk", "disk.csi.azure.com"},
    {"azureFile", "file.csi.azure.com"},
    {"cinder", "cinder.csi.openstack.org"},
    {"gcePersistentDisk", "pd.csi.storage.gke.io"},
    {"portworxVolume", "pxd.portworx.com"},
    {"vsphereVolume", "csi.vsphere.vmware.com"},
};

std::string MigratedDriver(const object::Value& volume) {
  for (const Migrated& each : kMigrated) {
    if (volume.Find(each.member) != nullptr) return std::string(each.driver);
  }
  return {};
}

}  // namespace

TokenAudiences::TokenAudiences(const PluginContext& context)
    : authorizer_(context.authorizer),
      claims_(StorageOf(context, "", "persistentvolumeclaims")),
      volumes_(StorageOf(context, "", "persistentvolumes")),
      drivers_(StorageOf(context, "storage.k8s.io", "csidrivers")) {}

std::string TokenAudiences::Check(const AdmissionRequest& request, const object::Document& pod) {
  const object::Value* audiences = request.object->root().FindPath({"spec", "audiences"});
  if (audiences != nullptr && audiences->size() > 1) {
    return "node may only request 0 or 1 audiences";
  }
  const std::string_view audience =
      audiences != nullptr && audiences->size() == 1 ? audiences->items()[0].AsText() : "";
  if (IsReferredTo(pod, request.name_space, audience)) return {};
  const serving::AccessAttributes attributes{.user = &request.user,
                                             .verb = "request-serviceaccounts-token-audience",
                                             .is_resource = true,
                                             .group = {},
                                             .version = "v1",
                                             .resource = audience,
                                             .subresource = {},
                                             .name_space = request.name_space,
                                             .name = request.name,
                                             .path = {}};
  if (IsAllowed(authorizer_, attributes)) return {};
  return "audience " + InQuotes(audience) + " not found in pod spec volume, " + request.user.name +
         " is not authorized to request tokens for this audience";
}

bool TokenAudiences::IsReferredTo(const object::Document& pod, std::string_view name_space,
                                  std::string_view audience) {
  const core::Pod read(pod);
  for (const core::Volume volume : read.spec().volumes()) {
    for (const core::VolumeProjection source : volume.projected().sources()) {
      if (source.has_service_account_token() &&
          source.service_account_token().audience() == audience) {
        return true;
      }
    }
    const std::string driver = DriverOf(*volume.AsValue(), name_space, read.metadata().name());
    if (!driver.empty() && DriverWants(driver, audience)) return true;
  }
  return false;
}

std::string TokenAudiences::DriverOf(const object::Value& volume, std::string_view name_space,
                                     std::string_view pod_name) {
  const core::Volume read(&volume);
  if (read.ephemeral().has_volume_claim_template()) {
    return DriverOfClaim(name_space, std::string(pod_name) + "-" + std::string(read.name()));
  }
  if (read.has_persistent_volume_claim()) {
    return DriverOfClaim(name_space, read.persistent_volume_claim().claim_name());
  }
  if (read.has_csi()) return std::string(read.csi().driver());
  return MigratedDriver(volume);
}

std::string TokenAudiences::DriverOfClaim(std::string_view name_space, std::string_view claim) {
  const std::optional<object::Document> found = DecodeNow(claims_, name_space, claim);
  if (!found) return {};
  const std::string_view name = core::PersistentVolumeClaim(*found).spec().volume_name();
  const std::optional<object::Document> volume = DecodeNow(volumes_, "", name);
  if (!volume) return {};
  const core::PersistentVolumeSpec spec = core::PersistentVolume(*volume).spec();
  if (spec.has_csi()) return std::string(spec.csi().driver());
  return spec.AsValue() != nullptr ? MigratedDriver(*spec.AsValue()) : std::string();
}

bool TokenAudiences::DriverWants(std::string_view driver, std::string_view audience) {
  const std::optional<object::Document> found = DecodeNow(drivers_, "", driver);
  if (!found) return false;
  const views::storage_k8s_io_v1::CSIDriver read(*found);
  for (const auto each : read.spec().token_requests()) {
    if (each.audience() == audience) return true;
  }
  return false;
}

}  // namespace skiff::apiserver
