#include "apiserver/registry/storage/csi_driver_behaviour.h"

#include "views/storage.k8s.io/v1.h"

namespace skiff::apiserver {
namespace {

namespace storage = views::storage_k8s_io_v1;

bool Same(const object::Value* a, const object::Value* b) {
  if (a == nullptr || b == nullptr) return a == b;
  return object::DeepEqual(*a, *b);
}

// The generation counts changes, but it begins at zero.
void UpdateDriver(const WriteContext&, const object::Document& old, object::Document& object) {
  constexpr uint16_t kSpec = storage::CSIDriver::kSpec;
  if (Same(old.root().Member(kSpec), object.root().Member(kSpec))) return;
  storage::MutableCSIDriver(object).mutable_metadata().set_generation(
      storage::CSIDriver(old).metadata().generation() + 1);
}

}  // namespace

constinit const KindStrategy kCSIDriverStrategy = {"storage.k8s.io", "csidrivers", nullptr,
                                                   UpdateDriver};

}  // namespace skiff::apiserver
