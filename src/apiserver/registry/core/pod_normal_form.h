// What pods, and templates of pods, become by being read: two names of the service account are one,
// and annotations of init containers, from before they were fields, are dropped.
#pragma once

#include <string>
#include <string_view>

#include "apiserver/convert/normal_bytes.h"
#include "apiserver/convert/normal_form.h"

namespace skiff::apiserver {

extern const NormalForm kPodNormalForm;
extern const NormalForm kPodTemplateNormalForm;
extern const NormalForm kReplicationControllerNormalForm;

// Of a pod or a pod template; null: there is none.
void NormalizePodTemplate(object::Value* pod, Arena& arena);

// The same by the bytes of an object that has it at a path: "spec.template.", or "" for a pod.
class NormalPodTemplate {
 public:
  NormalPodTemplate(const object::MessageDesc* type, const std::string& at);
  bool Holds(std::string_view message) const;

 private:
  SameText account_;
  object::WirePath annotations_;
};

}  // namespace skiff::apiserver
