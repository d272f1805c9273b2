// A valid pod, and the rules of pods, for tests.
#pragma once

#include <string_view>

#include "apiserver/registry/rules_testing.h"

namespace skiff::testing {

// As it is after defaults.
inline constexpr std::string_view kValidPod = R"({"apiVersion": "v1", "kind": "Pod",
  "metadata": {"name": "p", "namespace": "default"},
  "spec": {"restartPolicy": "Always", "dnsPolicy": "ClusterFirst", "schedulerName": "s",
    "terminationGracePeriodSeconds": 30, "securityContext": {}, "serviceAccountName": "default",
    "volumes": [{"name": "v", "emptyDir": {}}],
    "containers": [{"name": "c", "image": "i", "imagePullPolicy": "Always", "resources": {},
      "terminationMessagePolicy": "File", "terminationMessagePath": "/dev/termination-log"}]}})";

inline RulesTester Pods() { return RulesTester("v1", "Pod", kValidPod); }

}  // namespace skiff::testing
