// Policies with one binding each, for tests of the plugins that evaluate them.
#pragma once

#include <string>

#include "apiserver/admission/testing.h"

namespace skiff::testing {

class PoliciesTest : public PluginTest {
 protected:
  // Stores a policy and a binding of that name. `spec` and `binding` are members of their specs.
  void AddPolicy(const std::string& spec, const std::string& binding, const std::string& name = "p",
                 const std::string& rules = kConfigMaps) {
    const std::string kind = is_mutating_ ? "Mutating" : "Validating";
    const std::string version = is_mutating_ ? StoredVersion("mutatingadmissionpolicies") : "v1";
    Add(R"({"apiVersion":"admissionregistration.k8s.io/)" + version + R"(","kind":")" + kind +
        R"(AdmissionPolicy","metadata":{"name":")" + name +
        R"("},"spec":{"failurePolicy":"Fail","matchConstraints":{"matchPolicy":"Equivalent",
        "namespaceSelector":{},"objectSelector":{},"resourceRules":[)" +
        rules + "]}," + spec + "}}");
    AddBinding(binding, name, name);
  }
  void AddBinding(const std::string& binding, const std::string& policy, const std::string& name) {
    const std::string kind = is_mutating_ ? "Mutating" : "Validating";
    const std::string version =
        is_mutating_ ? StoredVersion("mutatingadmissionpolicybindings") : "v1";
    Add(R"({"apiVersion":"admissionregistration.k8s.io/)" + version + R"(","kind":")" + kind +
        R"(AdmissionPolicyBinding","metadata":{"name":")" + name + R"("},"spec":{"policyName":")" +
        policy + R"(")" + (binding.empty() ? "" : ",") + binding + "}}");
  }
  static std::string StoredVersion(const std::string& resource) {
    return std::string(Resource("admissionregistration.k8s.io/" + resource)
                           .hub->storage->stored->group_version->version);
  }
  static std::string ConfigMap(const std::string& data, const std::string& name = "x") {
    return R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":")" + name +
           R"(","namespace":"ns"},"data":)" + data + "}";
  }
  // What the plugin says to the creation of a config map.
  std::string Create(const std::string& data = R"({"a":"1"})") {
    return Ask({.resource = "configmaps", .object = ConfigMap(data)});
  }

  static constexpr char kConfigMaps[] =
      R"({"operations":["*"],"apiGroups":[""],"apiVersions":["v1"],"resources":["configmaps"]})";
  bool is_mutating_ = false;
};

}  // namespace skiff::testing
