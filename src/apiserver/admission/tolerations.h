// Tolerations of pods as plugins merge them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "views/core/v1.h"

namespace skiff::apiserver {

struct PodToleration {
  std::string key;
  std::string op;  // "Exists", "Equal" or empty, which is the same
  std::string value;
  std::string effect;
  std::optional<int64_t> seconds;

  friend bool operator==(const PodToleration&, const PodToleration&) = default;
};

std::vector<PodToleration> ReadTolerations(object::ListView<views::core_v1::Toleration> list);
void SetTolerations(object::Document& pod, const std::vector<PodToleration>& tolerations);

// Whether `wide` tolerates all that `narrow` does.
bool Covers(const PodToleration& wide, const PodToleration& narrow);
// Both, without those that others cover.
std::vector<PodToleration> MergeTolerations(std::vector<PodToleration> first,
                                            const std::vector<PodToleration>& second);
// Whether each is covered by one of the allowed; an empty list allows all.
bool AreAllowed(const std::vector<PodToleration>& tolerations,
                const std::vector<PodToleration>& allowed);

}  // namespace skiff::apiserver
