// The version of Skiff and the version of Kubernetes whose API, formats and flags it has. Stated
// here only.
#pragma once

#include <string_view>

namespace skiff {

inline constexpr std::string_view kVersion = "v0.1.0";
inline constexpr std::string_view kKubernetesVersion = "v1.36.4";
inline constexpr std::string_view kKubernetesMajor = "1";
inline constexpr std::string_view kKubernetesMinor = "36";

}  // namespace skiff
