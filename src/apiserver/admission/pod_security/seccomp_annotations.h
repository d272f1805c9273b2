// What pods said of seccomp before they had fields for it: policies of 1.18 and older look at it.
#pragma once

#include <string_view>

#include "object/view.h"

namespace skiff::apiserver::pod_security {

inline constexpr std::string_view kSeccompOfPod = "seccomp.security.alpha.kubernetes.io/pod";
// Before the name of a container.
inline constexpr std::string_view kSeccompOfContainer =
    "container.seccomp.security.alpha.kubernetes.io/";

// Whether a pod says something else of seccomp by annotations than before. Kubernetes lets a pod
// get past such a policy by an update of nothing but these.
bool AddsSeccompAnnotations(const object::MapView<std::string_view>& before,
                            const object::MapView<std::string_view>& after);

}  // namespace skiff::apiserver::pod_security
