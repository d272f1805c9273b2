// What is questionable in valid pods: fields that are deprecated or do nothing, entries that hide
// or overlap others. Texts are those of Kubernetes, for Warning headers.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "views/core/v1.h"
#include "views/meta/v1.h"

namespace skiff::apiserver {

void WarnAboutPod(const views::core_v1::PodSpec& spec, const views::meta_v1::ObjectMeta& meta,
                  std::vector<std::string>& warnings);
// `place` is where the template stands: "spec.template". On an update, call this only if the
// generation has changed.
void WarnAboutPodTemplate(const views::core_v1::PodTemplateSpec& pod, std::string_view place,
                          std::vector<std::string>& warnings);

// Of a pod, and of something that names its pods after itself: the name becomes a host's, so a DNS
// label is better.
void WarnAboutPodName(std::string_view name, std::vector<std::string>& warnings);
void WarnAboutNameOfPods(std::string_view name, std::vector<std::string>& warnings);

}  // namespace skiff::apiserver
