#include "apiserver/admission/pod_security/seccomp_annotations.h"

namespace skiff::apiserver::pod_security {

bool AddsSeccompAnnotations(const object::MapView<std::string_view>& before,
                            const object::MapView<std::string_view>& after) {
  for (const auto& [key, value] : after) {
    const bool is_of_seccomp = key == kSeccompOfPod || key.starts_with(kSeccompOfContainer);
    if (is_of_seccomp && before.Find(key) != value) return true;
  }
  return false;
}

}  // namespace skiff::apiserver::pod_security
